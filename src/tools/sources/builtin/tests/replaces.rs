//! Tests previews of replaced files: only in the workspace, never at length, not blocking.
//!
//! Must not know: who shows them.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;

use super::*;

impl Bench {
    /// Returns what is shown of the place at this path.
    fn now(&self, path: &str) -> Result<Option<String>, String> {
        let args = json!({"path": path, "content": "new"});
        let tool = self.tools.get("write_file").unwrap();
        let found = tool.replaces(&args, self.path(), self.tools.private()).unwrap();
        assert_eq!(found.then, "new");
        found.now
    }

    fn untold(&self, path: &str) -> String {
        self.now(path).unwrap_err()
    }
}

#[test]
fn the_current_text_is_returned_or_none() {
    let bench = Bench::new().with(&[("a/b.md", "one\ntwo\n")]);
    symlink("a/b.md", bench.path().join("link")).unwrap();
    let text = Ok(Some("one\ntwo\n".to_owned()));
    assert_eq!(bench.now("a/b.md"), text);
    assert_eq!(bench.now("./a/../a/b.md"), text);
    assert_eq!(bench.now("link"), text, "it stays inside");
    assert_eq!(bench.now("a/c.md"), Ok(None));
    assert_eq!(bench.now("no/such/place.md"), Ok(None));
    assert!(!bench.path().join("no").exists(), "a look makes nothing");
}

#[test]
fn nothing_outside_the_workspace_or_private_is_returned() {
    let mut bench = Bench::new().with(&[("own/key", "secret")]);
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("key"), "secret").unwrap();
    symlink(other.path(), bench.path().join("out")).unwrap();
    symlink(other.path().join("key"), bench.path().join("key")).unwrap();
    symlink("nowhere", bench.path().join("dangling")).unwrap();
    let own = [bench.path().join("own")];
    bench.tools = bench.tools.clone().keeping_out_of(own);
    let absolute = other.path().join("key");
    for path in [
        "out/key",
        "key",
        "../key",
        absolute.to_str().unwrap(),
        "/etc/passwd",
        "out/new",
    ] {
        let why = bench.untold(path);
        assert!(why.contains("outside of the workspace"), "{path}: {why}");
    }
    assert!(bench.untold("own/key").contains("belongs to this program"));
    assert!(bench.untold("dangling").contains("symbolic link to nothing"));
}

#[test]
fn binary_or_long_files_are_not_returned() {
    let bench = Bench::new().with(&[("dir/file", "")]);
    std::fs::write(bench.path().join("binary"), [b'a', 0, b'b']).unwrap();
    std::fs::write(bench.path().join("latin"), [0xe9, b'\n']).unwrap();
    std::fs::write(bench.path().join("whole"), "x".repeat(64 << 10)).unwrap();
    std::fs::write(bench.path().join("long"), "x".repeat((64 << 10) + 1)).unwrap();
    assert!(bench.untold("binary").contains("is no text"));
    assert!(bench.untold("latin").contains("is no text"));
    assert_eq!(bench.now("whole").unwrap().unwrap().len(), 64 << 10);
    assert!(bench.untold("long").contains("longer than 64 KiB"));
    assert!(bench.untold("dir").contains("dir"), "a directory");
    let fifo = bench.path().join("fifo");
    rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(
        bench.untold("fifo").contains("a device, pipe or socket"),
        "and it is not waited for"
    );
}

#[test]
fn other_tools_replace_nothing_whole() {
    let bench = Bench::new().with(&[("a", "one")]);
    let args = json!({"path": "a", "old": "one", "new": "two", "command": "echo > a"});
    for tool in ["edit_file", "shell", "read_file"] {
        let tool = bench.tools.get(tool).unwrap();
        assert_eq!(tool.replaces(&args, bench.path(), &[]), None);
    }
}
