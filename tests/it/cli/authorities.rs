//! Tests of `ca_file`: servers of models with a certificate of a private authority.
//!
//! Must not know: what a model says.

use std::time::Duration;

use hyper::Method;
use hyper::header::HeaderMap;
use overrule::model::http::Authorities;
use overrule::proxy::upstream::{SendError, Upstream};

use crate::cli::tls::{AUTHORITY, server};
use crate::cli::world::World;

const MODELS: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 27\r\n\r\n\
                      {\"data\":[{\"id\":\"private\"}]}";
const END: &str = "\r\n\r\n";

#[test]
fn a_server_of_models_may_have_a_certificate_of_the_named_authority() {
    let world = World::new();
    let authority = world.aside("authority.pem", AUTHORITY);
    for (line, is_trusted) in [
        (format!("ca_file = \"{authority}\"\n"), true),
        (String::new(), false),
    ] {
        let (port, served) = server("127.0.0.1", END, MODELS);
        let base = format!("https://localhost:{port}/v1");
        let config = world.aside("models.toml", &format!("{line}base_url = \"{base}\"\n"));
        let told = world.run(&["models", "--config", &config]);
        assert_eq!(
            told.out.contains("  1 model\n"),
            is_trusted,
            "{}{}",
            told.out,
            told.err
        );
        assert_eq!(served.join().unwrap().is_ok(), is_trusted);
    }
}

#[test]
fn what_is_no_certificate_is_refused_before_anything_starts() {
    let world = World::new();
    let wrong = world.aside(
        "wrong.pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    let key = world.aside("empty.pem", "no certificate\n");
    for (file, why) in [
        (wrong.as_str(), "it has a certificate that cannot be read"),
        (key.as_str(), "it has no certificate in PEM"),
        ("/nowhere/ca.pem", "there is no such file"),
    ] {
        let config = world.aside("wrong.toml", &format!("ca_file = \"{file}\"\n"));
        let told = world.run(&["config", "--config", &config]).ends(3);
        assert!(told.err.contains(why), "{}", told.err);
    }
}

#[tokio::test]
async fn an_agents_requests_reach_a_server_of_the_named_authority_and_no_other() {
    for (authorities, is_trusted) in [
        (Authorities::read(AUTHORITY).unwrap(), true),
        (Authorities::default(), false),
    ] {
        let (port, served) = server("127.0.0.1", END, MODELS);
        let upstream = Upstream::new(&format!("https://localhost:{port}"), &authorities).unwrap();
        let sent = upstream.send(Method::GET, "/v1/models", HeaderMap::new(), Vec::new().into());
        let sent = tokio::time::timeout(Duration::from_secs(20), sent).await.unwrap();
        match sent {
            Ok(response) => assert!(is_trusted && response.status() == 200),
            Err(SendError::Network(why)) => assert!(!is_trusted && why.contains("certificate"), "{why}"),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(served.join().unwrap().is_ok(), is_trusted);
    }
}
