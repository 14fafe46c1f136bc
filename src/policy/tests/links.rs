//! Tests rules about places behind links, and the places that a walk leaves out.
//!
//! Must not know: real files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{call, with};
use crate::{Moment, Origin, Preset, Subject};
use overrule_domain::advice::Extent;
use overrule_domain::call::{EffectClass, Gate};

const ALLOW: Gate = Gate::Allow;
const ASK: Gate = Gate::Ask;
const DENY: Gate = Gate::Deny;

/// Links of the workspace `/w`: `pub` to `secrets`, `d/s` to `secrets`, `vault` is where `safe` leads, `out` leaves it.
fn follow(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part.as_os_str().to_str().unwrap() {
            ".." => drop(flat.pop()),
            part => flat.push(part),
        }
        for (link, target) in [
            ("/w/pub", "/w/secrets"),
            ("/w/d/s", "/w/secrets"),
            ("/w/safe", "/w/vault"),
            ("/w/out", "/elsewhere"),
        ] {
            if flat == Path::new(link) {
                flat = PathBuf::from(target);
            }
        }
    }
    flat
}

fn moment() -> Moment<'static> {
    Moment {
        links: Some(&follow),
        ..Moment::default()
    }
}

fn policy(rule: &str) -> crate::Policy {
    let preset = if rule.contains("allow") {
        Preset::Supervised
    } else {
        Preset::Auto
    };
    with(preset, &format!("[[rule]]\ntool = \"*\"\n{rule}"), Origin::User).in_workspace(Path::new("/w"))
}

fn on(rule: &str, tool: &'static str, args: &Value) -> Gate {
    let subject = Subject {
        args,
        ..call(tool, EffectClass::Read)
    };
    policy(rule).verdict_at(&subject, &moment()).gate
}

#[test]
fn both_forms_of_a_path_must_pass() {
    let rule = |test: &str, gate: &str| format!("args = [{{ at = \"/path\", {test} }}]\ngate = \"{gate}\"");
    for (test, gate, path, expected) in [
        ("under = \"secrets\"", "deny", "pub/key", DENY),
        ("under = \"secrets\"", "deny", "d/s/key", DENY),
        ("under = \"secrets\"", "deny", "/w/pub", DENY),
        ("under = \"secrets\"", "ask", "pub/key", ASK),
        ("under = \"secrets\"", "deny", "pub/../secrets/key", DENY),
        ("under = \"secrets\"", "deny", "docs/key", ALLOW),
        // As written, too: the link may lead elsewhere later.
        ("under = \"pub\"", "deny", "pub/key", DENY),
        // The directory of a rule may be a link itself.
        ("under = \"safe\"", "deny", "vault/key", DENY),
        ("under = \"safe\"", "deny", "safe/key", DENY),
        ("glob = \"secrets/*\"", "deny", "pub/key", DENY),
        ("glob = \"/w/secrets/*\"", "deny", "/w/d/s/key", DENY),
        ("regex = '^secrets/'", "deny", "d/s/key", DENY),
        ("is = \"secrets\"", "deny", "pub", DENY),
        ("glob = \"/elsewhere/*\"", "deny", "out/x", DENY),
        ("glob = \"secrets/*\"", "deny", "docs/key", ALLOW),
        // Only the sources may be changed: a link in them leads elsewhere.
        ("under = \"d\", not = true", "deny", "d/x", ALLOW),
        ("under = \"d\", not = true", "deny", "d/s/x", DENY),
        ("glob = \"d/*\", not = true", "deny", "d/s/x", DENY),
        ("glob = \"d/*\", not = true", "deny", "d/x", ALLOW),
        // An allow rule needs both.
        ("under = \"d\"", "allow", "d/x", ALLOW),
        ("under = \"d\"", "allow", "d/s/x", ASK),
        ("under = \"safe\"", "allow", "safe/x", ALLOW),
        ("under = \"secrets\", not = true", "allow", "pub/x", ASK),
        ("under = \"secrets\", not = true", "allow", "docs/x", ALLOW),
    ] {
        assert_eq!(
            on(&rule(test, gate), "read_file", &json!({ "path": path })),
            expected,
            "{test} {gate} {path}"
        );
    }
    let file = "args = [{ at = \"/file_path\", glob = \"secrets/*\" }]\ngate = \"deny\"";
    assert_eq!(on(file, "Read", &json!({"file_path": "pub/key"})), DENY);
    // Text that is no place has one form.
    let text = "args = [{ at = \"/content\", glob = \"secrets\" }]\ngate = \"deny\"";
    assert_eq!(on(text, "Write", &json!({"content": "pub"})), ALLOW);
    // Where nobody can look, the path as written counts.
    let args = json!({"path": "pub/key"});
    let subject = Subject {
        args: &args,
        ..call("read_file", EffectClass::Read)
    };
    let deny = policy(&rule("under = \"secrets\"", "deny"));
    assert_eq!(deny.verdict(&subject).gate, ALLOW);
}

#[test]
fn a_walk_leaves_out_what_a_rule_denies_or_asks_about() {
    let withheld = |rule: &str, tool: &'static str, args: &Value, path: &str| {
        let subject = Subject {
            args,
            ..call(tool, EffectClass::Read)
        };
        let policy = with(Preset::Supervised, &format!("[[rule]]\n{rule}"), Origin::User);
        let policy = policy.in_workspace(Path::new("/w"));
        policy
            .withheld(&subject, &moment())
            .extent(Path::new(path), Some(&follow))
    };
    let root = json!({"pattern": "x"});
    let secrets = json!({"pattern": "x", "path": "secrets"});
    let under = "under = \"secrets\"";
    let env = "glob = \"*.env\"";
    let docs = "under = \"docs\", not = true";
    let (itself, below) = (Some(Extent::Itself), Some(Extent::Below));
    for (of, test, gate, tool, args, path, expected) in [
        ("*", under, "deny", "search", &root, "secrets", below),
        ("*", under, "ask", "search", &root, "secrets/a", below),
        ("*", under, "ask", "list_dir", &root, "pub", below),
        ("*", under, "deny", "search", &root, "docs", None),
        // The call itself was asked about.
        ("*", under, "ask", "search", &secrets, "secrets/a", None),
        // What is kept from reading is kept from searching, and may be listed.
        ("read_file", env, "deny", "search", &root, "a/b.env", itself),
        ("read_file", env, "deny", "list_dir", &root, "a/b.env", None),
        ("write_file", env, "deny", "search", &root, "a/b.env", None),
        ("*", under, "allow", "search", &root, "secrets", None),
        // Only the documents may be read. Above them, each place counts for itself.
        ("read_file", docs, "deny", "search", &root, "src/a", itself),
        ("read_file", docs, "deny", "search", &root, "docs/a", None),
    ] {
        let rule = format!("tool = \"{of}\"\nargs = [{{ at = \"/path\", {test} }}]\ngate = \"{gate}\"");
        assert_eq!(
            withheld(&rule, tool, args, path),
            expected,
            "{rule} {tool} {args} {path}"
        );
    }
    // A rule that is about no place was held against the call.
    assert_eq!(
        withheld("tool = \"*\"\ngate = \"ask\"", "search", &root, "a"),
        None
    );
}
