//! What is refused, what is resolved, and which addresses are connected to.
//!
//! Must not know: heads and bodies.

use super::*;

#[tokio::test]
async fn an_empty_list_refuses_and_remembers() {
    let (resolve, asked) = resolver(&[&["127.0.0.1"]]);
    let trap = Trap::new("127.0.0.1:0");
    let port = trap.at().port();
    let proxy = Proxy::new(Hosts::default(), resolve);
    let direct = format!("127.0.0.1:{port}");
    for (request, place) in [
        (
            "GET http://B.example./x HTTP/1.1\r\n\r\n".to_owned(),
            "b.example:80",
        ),
        (
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n".to_owned(),
            "a.example:443",
        ),
        (
            "CONNECT A.EXAMPLE:443 HTTP/1.1\r\n\r\n".to_owned(),
            "a.example:443",
        ),
        (format!("CONNECT {direct} HTTP/1.1\r\n\r\n"), direct.as_str()),
        (
            format!("POST http://{direct}/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody"),
            direct.as_str(),
        ),
        ("CONNECT [::1]:22 HTTP/1.1\r\n\r\n".to_owned(), "[::1]:22"),
    ] {
        assert_refused(&proxy.ask(request).await, place);
    }
    let expected = ["b.example:80", "a.example:443", &direct, "[::1]:22"];
    assert_eq!(proxy.serving.refused(), expected);
    assert!(asked.lock().unwrap().is_empty(), "no refused name is resolved");
    trap.assert_not_reached();
}

#[tokio::test]
async fn what_a_child_asks_for_is_safe_to_show() {
    let proxy = Proxy::new(hosts(&["*.example"]), no_names());
    let long = "x".repeat(3000);
    for (target, place) in [
        ("user:pass@a.example:443".to_owned(), "@a.example:443".to_owned()),
        ("a%00.example:443".to_owned(), "a%00.example:443".to_owned()),
        (format!("{long}:443"), format!("{}…:443", "x".repeat(255))),
    ] {
        assert_refused(
            &proxy.ask(format!("CONNECT {target} HTTP/1.1\r\n\r\n")).await,
            &place,
        );
    }
    assert_eq!(proxy.serving.refused().len(), 3);
    for target in [
        "a\u{1b}[2J.example:443",
        "\u{202e}.example:443",
        "a\0.example:443",
        "a\u{7f}:443",
    ] {
        let answer = proxy.ask(format!("CONNECT {target} HTTP/1.1\r\n\r\n")).await;
        assert!(
            answer.starts_with("HTTP/1.1 400 ") && answer.is_ascii() && !answer.contains('\u{1b}'),
            "{answer}"
        );
    }
    assert_eq!(proxy.serving.refused().len(), 3);
}

#[tokio::test]
async fn at_most_64_refusals_are_retained() {
    let proxy = Proxy::new(Hosts::default(), no_names());
    for index in 0..70 {
        proxy
            .ask(format!("CONNECT h{index}.example:443 HTTP/1.1\r\n\r\n"))
            .await;
    }
    let refused = proxy.serving.refused();
    assert_eq!(refused.len(), 64);
    assert_eq!(refused.first().unwrap(), "h0.example:443");
    assert_eq!(refused.last().unwrap(), "h63.example:443");
}

#[tokio::test]
async fn a_listed_name_with_private_addresses_is_refused() {
    let trap = Trap::new("127.0.0.1:0");
    let port = trap.at().port();
    let private: [&[&str]; 7] = [
        &["127.0.0.1"],
        &["::1"],
        &["169.254.169.254"],
        &["fd00:ec2::254"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["10.0.0.1", "192.168.0.1", "0.0.0.0", "2002:7f00:1::"],
    ];
    for addresses in private {
        let (resolve, asked) = resolver(&[addresses]);
        // Another port of the address is listed.
        let list = hosts(&[&format!("a.example:{port}"), "127.0.0.1:1"]);
        let proxy = Proxy::new(list, resolve);
        let place = format!("a.example:{port}");
        let answer = proxy.ask(format!("CONNECT {place} HTTP/1.1\r\n\r\n")).await;
        assert_refused(&answer, &place);
        assert!(
            answer.contains("resolves to a private address; list the address itself"),
            "{answer}"
        );
        assert_eq!(proxy.serving.refused(), [place]);
        assert_eq!(asked.lock().unwrap().len(), 1);
    }
    trap.assert_not_reached();
}

#[tokio::test]
async fn literals_of_metadata_and_of_this_machine_are_refused() {
    let trap = Trap::new("127.0.0.1:0");
    let port = trap.at().port();
    let (resolve, asked) = resolver(&[&["127.0.0.1"]]);
    let proxy = Proxy::new(hosts(&["*.example", "a.example"]), resolve);
    for host in [
        "169.254.169.254",
        "[fd00:ec2::254]",
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::1%25lo]",
        "localhost",
        "1.1.1.1",
    ] {
        let place = format!("{host}:{port}");
        assert_refused(
            &proxy.ask(format!("CONNECT {place} HTTP/1.1\r\n\r\n")).await,
            &place,
        );
        let url = format!("GET http://{place}/latest/meta-data HTTP/1.1\r\nHost: a.example\r\n\r\n");
        assert_refused(&proxy.ask(url).await, &place);
    }
    assert!(asked.lock().unwrap().is_empty(), "no address is resolved");
    trap.assert_not_reached();
}

#[tokio::test]
async fn a_name_cannot_change_its_address_after_the_check() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let port = host.at.port();
    let trap = Trap::new(&format!("127.0.0.2:{port}"));
    let list = hosts(&[&format!("a.example:{port}"), &host.at.to_string()]);
    let request = format!("GET http://a.example:{port}/ HTTP/1.1\r\n\r\n");
    // The second question has another answer; so has the same one.
    for answers in [
        [["127.0.0.1"].as_slice(), &["127.0.0.2"]],
        [&["127.0.0.1", "127.0.0.2"], &[]],
        [&["127.0.0.2", "127.0.0.1"], &[]],
    ] {
        let (resolve, asked) = resolver(&answers);
        let proxy = Proxy::new(list.clone(), resolve);
        let answer = proxy.ask(&request).await;
        assert!(answer.ends_with("ok"), "{answers:?}: {answer}");
        assert_eq!(asked.lock().unwrap().len(), 1);
        if answers[1].len() == 1 {
            assert_refused(&proxy.ask(&request).await, &format!("a.example:{port}"));
        }
    }
    trap.assert_not_reached();
}

#[tokio::test]
async fn the_next_address_is_tried_if_one_fails() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let port = host.at.port();
    let list = hosts(&[
        &format!("a.example:{port}"),
        &host.at.to_string(),
        &format!("127.0.0.9:{port}"),
    ]);
    let request = format!("GET http://a.example:{port}/ HTTP/1.1\r\n\r\n");
    let proxy = Proxy::new(list.clone(), resolver(&[&["127.0.0.9", "127.0.0.1"]]).0);
    assert!(proxy.ask(&request).await.ends_with("ok"));

    let proxy = Proxy::new(list.clone(), resolver(&[&["127.0.0.9"]]).0);
    let answer = proxy.ask(&request).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(
        answer.contains(&format!("[sandbox] cannot reach a.example:{port}: ")),
        "{answer}"
    );

    for resolve in [no_names(), resolver(&[&[]]).0] {
        let proxy = Proxy::new(list.clone(), resolve);
        let answer = proxy.ask(&request).await;
        assert!(
            answer.starts_with("HTTP/1.1 502 ") && answer.contains("not found"),
            "{answer}"
        );
        assert!(proxy.serving.refused().is_empty(), "it is allowed");
    }
}
