//! Tests that a change of a protected path that was undone can be kept, and nothing else.

use std::fs;
use std::path::Path;

use overrule::domain::sandbox::Level;
use overrule::sandbox::session::{Request, Sandbox};

use super::machine::helper;

fn request(root: &Path) -> Request {
    Request {
        level: Level::Workspace,
        workspace: root.join("w"),
        write: Vec::new(),
        hide: Vec::new(),
        show: Vec::new(),
        network: Vec::new(),
        unix_sockets: false,
        home: None,
        own: Vec::new(),
        store: root.join("store"),
        session: "s".to_owned(),
        namespaces: false,
    }
}

#[tokio::test]
async fn only_what_the_session_moved_away_is_given_back() {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = root.path().canonicalize().unwrap();
    fs::create_dir(root.join("w")).unwrap();
    fs::write(root.join("w/.envrc"), "mine").unwrap();
    fs::write(root.join("other"), "other").unwrap();
    let (sandbox, profile) = Sandbox::prepare(helper(), &request(&root)).await.unwrap();
    let mut begun = sandbox.begin(&profile);
    fs::write(root.join("w/.envrc"), "theirs").unwrap();
    fs::write(root.join("w/.mcp.json"), "{}").unwrap();
    let undone = begun.end();
    let stored = |path: &str| {
        let found = undone.iter().find(|one| one.path == path).unwrap();
        begun.stored(found).unwrap()
    };
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    assert_eq!(
        (text("w/.envrc"), text("w/.mcp.json")),
        ("mine".into(), String::new())
    );

    let (envrc, mcp) = (stored(".envrc"), stored(".mcp.json"));
    let outside = root.join("other").to_str().unwrap().to_owned();
    let climbs = format!(
        "{}/../../../../../other",
        root.join("store/sessions/s/undone").display()
    );
    for (path, from) in [
        (".mcp.json", outside.as_str()),
        (".mcp.json", climbs.as_str()),
        ("../outside", mcp.as_str()),
        ("/etc/outside", mcp.as_str()),
        ("", mcp.as_str()),
    ] {
        assert!(sandbox.keep(path, from).is_err(), "{path} from {from}");
    }
    assert_eq!(text("w/.mcp.json"), "");
    assert_eq!(text("other"), "other");
    assert!(!root.join("outside").exists() && Path::new(&mcp).exists());

    // A command that runs meanwhile is not blamed for what the operator keeps.
    let mut other = sandbox.begin(&profile);
    sandbox.keep(".mcp.json", &mcp).unwrap();
    sandbox.keep(".envrc", &envrc).unwrap();
    assert_eq!(other.end(), []);
    assert_eq!(
        (text("w/.envrc"), text("w/.mcp.json")),
        ("theirs".into(), "{}".into())
    );
    assert!(sandbox.keep(".mcp.json", &mcp).is_err(), "it is there no more");
}
