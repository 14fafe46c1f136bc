//! Tests of a notification to an address with TLS.
//!
//! Must not know: the content of the notification.
//!
use crate::cli::tls::{AUTHORITY, server};
use crate::cli::world::{Said, World, finish, until, wait};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
const PLAYBOOK: &str = r#"
[meta]
name = "line zero"

[[rule]]
when = { seen_call = "part" }
answer = "read"

[[rule]]
[[rule.call]]
tool = "read_file"
as = "part"
args = { path = "notes.txt", from_line = 0 }
"#;

/// A run that ends because no operator can choose a repair, and notifies the operator at this address; `trusted` are
/// the authorities that it knows.
fn run(world: &World, address: &str, trusted: Option<&str>) -> Said {
    let config = format!(
        "[policy]\npreset = \"auto\"\n[resilience.repair]\nwait = true\n[notify]\nwebhook = \"{address}\"\ntimeout = \"30s\"\n"
    );
    let config = world.aside("wait.toml", &config);
    let mut command = world.playing(PLAYBOOK, &["--config", &config]);
    if let Some(pem) = trusted {
        command.env("SSL_CERT_FILE", world.aside("authority.pem", pem));
    }
    finish(command)
}

/// That nothing about the address has touched the run.
fn untouched(world: &World) {
    let state = world.state(&world.id());
    let waits = state.calls.values().filter(|call| call.status.needs_operator());
    assert_eq!(waits.count(), 1);
}

/// Elsewhere the authorities of the system count, which a test leaves alone.
#[cfg(target_os = "linux")]
#[test]
fn an_address_with_a_certificate_that_is_vouched_for_gets_the_text() {
    let world = World::new();
    let (port, served) = server("127.0.0.1", "}", NO_CONTENT);
    let output = run(
        &world,
        &format!("https://localhost:{port}/hook/s3cret"),
        Some(AUTHORITY),
    )
    .ends(4);
    assert!(!output.err.contains("notify."), "{}", output.err);
    let request = served.join().unwrap().unwrap();
    assert!(request.starts_with("POST /hook/s3cret HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(r#""cause":"repair""#), "{request}");
    untouched(&world);
}

#[test]
fn an_address_whose_certificate_nobody_vouches_for_gets_nothing_and_is_told() {
    let world = World::new();
    let (port, served) = server("127.0.0.1", "}", NO_CONTENT);
    let output = run(&world, &format!("https://localhost:{port}/hook/s3cret"), None).ends(4);
    let message = output.err.lines().find(|line| line.contains("notify.webhook"));
    let message = message.unwrap_or_else(|| panic!("nothing was told: {}", output.err));
    assert!(
        message.contains("notify.webhook failed: cannot reach localhost: "),
        "{message}"
    );
    assert!(message.to_lowercase().contains("certificate"), "{message}");
    assert!(message.contains("The run is not affected"), "{message}");
    assert!(!output.err.contains("s3cret"), "{}", output.err);
    assert!(served.join().unwrap().is_err(), "not a byte of the text was sent");
    untouched(&world);
}

#[cfg(target_os = "linux")]
#[test]
fn a_certificate_for_another_name_is_a_bad_one() {
    let world = World::new();
    let (port, served) = server("127.0.0.2", "}", NO_CONTENT);
    // The same machine under a name that the certificate does not have.
    let output = run(&world, &format!("https://127.0.0.2:{port}/"), Some(AUTHORITY)).ends(4);
    let output = output.tells("notify.webhook failed: cannot reach 127.0.0.2: ");
    assert!(output.err.contains("certificate"), "{}", output.err);
    assert!(served.join().unwrap().is_err(), "not a byte of the text was sent");
    untouched(&world);
}

/// A run that waits for a decision that another process may make.
const WRITES: &str = r#"
[meta]
name = "writes"
[[rule]]
when = { failed = "write" }
answer = "not written"
[[rule]]
[[rule.call]]
tool = "write_file"
as = "write"
args = { path = "out.txt", content = "x" }
"#;

#[test]
fn who_is_called_can_be_changed_while_the_run_waits_and_is_recorded() {
    let world = World::new();
    let called = world.path("called.json");
    let mut run = world.playing(WRITES, &["--control"]);
    let child = run
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let waits = || {
        let ids = world.ids();
        ids.first()
            .is_some_and(|id| world.has_recorded(id, "\"call.asked\""))
    };
    until("the call waits", waits);
    let id = world.id();
    let bad = world.run(&["set-resilience", &id, "notify.after=25h"]).ends(2);
    assert!(bad.err.contains("at most 24h"), "{}", bad.err);
    let line = format!("notify.command=cat > {}", called.display());
    world.run(&["set-resilience", &id, "notify.after=0s"]).ends(0);
    world.run(&["set-resilience", &id, &line]).ends(0);
    until("the operator is called", || {
        std::fs::read_to_string(&called).is_ok_and(|text| text.ends_with('}'))
    });
    let message = std::fs::read_to_string(&called).unwrap();
    assert!(message.contains(r#""cause":"calls""#), "{message}");
    // The change is a fact that names no secret, and a process that continues the run keeps it.
    let state = world.state(&id);
    assert!(state.settings.resilience.unwrap().policy.contains("cat > "));
    let audit = world.run(&["audit", &id]).ends(0).out;
    assert!(
        audit.contains("notify.command") && !audit.contains("cat > "),
        "{audit}"
    );
    assert!(audit.contains("notify.after"), "{audit}");
    world.run(&["reject", &id, "c3"]).ends(0);
    wait(child).ends(0);
}
