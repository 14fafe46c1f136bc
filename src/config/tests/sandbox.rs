//! Tests `[sandbox]`, and how single tools and servers are confined.
//!
//! Must not know: how a kernel confines.

use std::path::{Path, PathBuf};

use crate::written;
use overrule_domain::sandbox::Level;

use super::World;

const FILE: &str = "home/.config/overrule/config.toml";

fn level(world: &World) -> Level {
    world.load().sandbox.level.value
}

#[test]
fn without_a_setting_commands_write_in_the_workspace_only() {
    let world = World::new();
    for (key, value) in [
        ("level", "1"),
        ("required", "false"),
        ("write", "none"),
        ("hide", "none"),
        ("show", "none"),
        ("network", "none"),
        ("unix_sockets", "false"),
    ] {
        assert_eq!(
            world.why(&format!("sandbox.{key}")),
            format!("{value} by default")
        );
    }
    assert_eq!(level(&world), Level::Workspace);
}

#[test]
fn every_key_of_the_users_file_counts() {
    let world = World::new().user(
        "[sandbox]\nlevel = 2\nrequired = true\nwrite = [\"~/cache\", \"/srv/data\"]\nhide = [\"~/notes\"]\n\
         show = [\"~/.kube\"]\nnetwork = [\"Registry.example.org\", \"*.example.net:443\"]\nunix_sockets = true\n",
    );
    for (line, (key, value)) in [
        ("level", "2"),
        ("required", "true"),
        ("write", "home/cache, /srv/data"),
        ("hide", "home/notes"),
        ("show", "home/.kube"),
        ("network", "registry.example.org, *.example.net:443"),
        ("unix_sockets", "true"),
    ]
    .into_iter()
    .enumerate()
    {
        let expected = format!("{value} by {FILE}:{}", line + 2);
        assert_eq!(world.why(&format!("sandbox.{key}")), expected);
    }
    let settings = world.load().sandbox;
    let home = world.root.path().join("home");
    assert_eq!(
        settings.write.value,
        [home.join("cache"), PathBuf::from("/srv/data")]
    );
    assert_eq!(settings.hidden().collect::<Vec<&Path>>(), [home.join("notes")]);
    assert_eq!(settings.show.value, [home.join(".kube")]);
    assert!(settings.required.value && settings.unix_sockets.value);
    assert!(world.notices().is_empty());
    // Empty lists are as good as none.
    let empty = World::new().user("[sandbox]\nwrite = []\nhide = []\nshow = []\nnetwork = []\n");
    assert_eq!(empty.why("sandbox.network"), format!("none by {FILE}:5"));
}

#[test]
fn of_the_level_the_later_layer_wins() {
    let world = World::new().user("[sandbox]\nlevel = 1");
    assert_eq!(world.why("sandbox.level"), format!("1 by {FILE}:2"));
    let world = world.theirs("[sandbox]\nlevel = 2");
    assert_eq!(world.why("sandbox.level"), "2 by work/overrule.toml:2");
    // As with limits, the operator's own word for a run counts before the workspace's.
    let world = world.with(|env, _| env.sandbox = Some("0".into()));
    assert_eq!(world.why("sandbox.level"), "0 by OVERRULE_SANDBOX");
    let world = world.with(|_, flags| flags.sandbox = Some(Level::Workspace));
    assert_eq!(world.why("sandbox.level"), "1 by --sandbox");
    for text in ["3", "-1", "+1", "01", "1.5", " 1", "on"] {
        let world = World::new().with(|env, _| env.sandbox = Some(text.into()));
        assert_eq!(
            world.fault(),
            format!("OVERRULE_SANDBOX: `{text}` is no level; write 0, 1 or 2")
        );
    }
}

#[test]
fn wrong_values_are_refused_with_place_and_cure() {
    let number = "a whole number from 0 to 2";
    let path = "write an absolute path, or one below \"~/\"";
    for (text, message) in [
        ("level = 3", format!("9: `sandbox.level`: 3 is out of range; write {number}")),
        ("level = -1", format!("9: `sandbox.level`: -1 is out of range; write {number}")),
        (
            "level = \"1\"",
            format!("9: `sandbox.level`: expected {number}, found a string; write {number}"),
        ),
        (
            "level = 1.5",
            format!("9: `sandbox.level`: expected {number}, found a number with a fraction; write {number}"),
        ),
        (
            "required = 1",
            "12: `sandbox.required`: expected true or false, found a whole number; write true or false".into(),
        ),
        (
            "network = \"x.org\"",
            "11: `sandbox.network`: expected a list, found a string; write a list".into(),
        ),
        (
            "network = [\"a.org\", 1]",
            "21: `sandbox.network`: expected a string in quotes, found a whole number; write a string in quotes".into(),
        ),
        (
            "network = [\"a.org\", \"https://x/\"]",
            "21: `sandbox.network`: `https://x/` is an URL, not a host; write \"x\"".into(),
        ),
        (
            "network = [\"a\\u001b\"]",
            "12: `sandbox.network`: `a⟨U+001B⟩` has a blank or a control character in it; write a host such as \
             \"registry.example.org\", \"*.example.net:443\" or \"192.0.2.7\", or \"all\""
                .into(),
        ),
        (
            "netwrok = [\"a.org\"]",
            "1: `sandbox.netwrok`: unknown key; did you mean `network`?".into(),
        ),
        (
            "write = \"/srv\"",
            "9: `sandbox.write`: expected a list, found a string; write a list".into(),
        ),
        ("write = [\"/a\", \"b/c\"]", format!("16: `sandbox.write`: `b/c` is relative; {path}")),
        ("hide = [\"./b\"]", format!("9: `sandbox.hide`: `./b` is relative; {path}")),
        ("show = [\"\"]", format!("9: `sandbox.show`: `` is empty; {path}")),
        (
            "show = [\"~ann/x\"]",
            format!("9: `sandbox.show`: `~ann/x` begins with ~ and a name, which is not understood; {path}"),
        ),
        (
            "hide = [\"/a\\u001b\"]",
            format!("9: `sandbox.hide`: `/a⟨U+001B⟩` holds a control character; {path}"),
        ),
        (
            "unix_sockets = [\"/run/x\"]",
            "16: `sandbox.unix_sockets`: expected true or false, found a list; write true or false".into(),
        ),
    ] {
        let world = World::new().user(&format!("[sandbox]\n{text}"));
        assert_eq!(world.fault(), format!("{FILE}:2:{message}"), "{text}");
    }
    let mut homeless = World::new().user("[sandbox]\nwrite = [\"~/x\"]");
    homeless.env.home = None;
    assert!(homeless.fault().contains("there is no home directory for ~"));
}

#[test]
fn a_workspace_raises_requires_and_hides_trusted_or_not() {
    let theirs = "[sandbox]\nlevel = 2\nrequired = true\nhide = [\"keys\", \"~/secrets\", \"/srv/keys\"]\n";
    for world in [World::new().theirs(theirs), World::new().theirs(theirs).trusted()] {
        let world = world.user("[sandbox]\nhide = [\"~/notes\"]");
        assert_eq!(world.why("sandbox.level"), "2 by work/overrule.toml:2");
        assert_eq!(world.why("sandbox.required"), "true by work/overrule.toml:3");
        assert_eq!(
            world.why("sandbox.hide"),
            format!("home/notes, work/keys, home/secrets, /srv/keys by {FILE}:2, work/overrule.toml:4")
        );
        assert!(world.notices().is_empty(), "{:?}", world.notices());
    }
}

#[test]
fn what_a_workspace_would_loosen_is_ignored_and_reported_trusted_or_not() {
    let theirs = "[sandbox]\nlevel = 0\nrequired = false\nwrite = [\"/\"]\nshow = [\"~/.ssh\"]\nnetwork = [\"all\"]\n\
                  unix_sockets = true\n";
    for world in [World::new().theirs(theirs), World::new().theirs(theirs).trusted()] {
        let world = world.user("[sandbox]\nrequired = true");
        let settings = world.load().sandbox;
        let mine = World::new().user("[sandbox]\nrequired = true").load().sandbox;
        assert_eq!((settings.level, settings.write), (mine.level, mine.write));
        assert_eq!((settings.show, settings.network), (mine.show, mine.network));
        assert!(settings.required.value && !settings.unix_sockets.value);
        let notices = world.notices();
        assert_eq!(notices.len(), 6, "{notices:?}");
        for (key, line, why) in [
            ("level", 2, "a workspace may only tighten"),
            ("required", 3, "a workspace may only tighten"),
            ("write", 4, "no workspace sets it, trusted or not"),
            ("show", 5, "no workspace sets it, trusted or not"),
            ("network", 6, "no workspace sets it, trusted or not"),
            ("unix_sockets", 7, "no workspace sets it, trusted or not"),
        ] {
            let notice = format!("ignored: `sandbox.{key}` in work/overrule.toml:{line}: {why}");
            assert!(
                notices.iter().any(|one| one.starts_with(&notice)),
                "{key}: {notices:?}"
            );
        }
    }
    // Against a stricter user, against the default, and an equal level.
    let lower = |mine: &str, theirs: &str| {
        let world = World::new()
            .user(mine)
            .theirs(&format!("[sandbox]\nlevel = {theirs}"));
        (level(&world).number(), world.notices().len())
    };
    assert_eq!(lower("[sandbox]\nlevel = 2", "1"), (2, 1));
    assert_eq!(lower("[sandbox]\nlevel = 0", "1"), (1, 0));
    assert_eq!(lower("[sandbox]\nlevel = 0", "0"), (0, 0));
    assert_eq!(lower("", "0"), (1, 1));
    // A misspelt key is an error there, too.
    let fault = World::new().theirs("[sandbox]\nlevl = 2").fault();
    assert_eq!(
        fault,
        "work/overrule.toml:2:1: `sandbox.levl`: unknown key; did you mean `level`?"
    );
}

#[test]
fn before_a_file_is_trusted_all_that_it_would_widen_is_shown() {
    let text = "[sandbox]\nlevel = 2\nhide = [\"x\"]\nnetwork = [\"all\"]\n[mcp.git]\ncommand = \"git-mcp\"\nsandbox = 1\n\
                network = [\"a.example\"]\n";
    let values = written::values(Path::new("/w/overrule.toml"), text).unwrap();
    let keys: Vec<&str> = values.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "sandbox.network",
            "mcp.git.command",
            "mcp.git.sandbox",
            "mcp.git.network"
        ]
    );
    assert!(written::is_operators("sandbox.network") && !written::is_operators("sandbox.level"));
}

const COUNT: &str = "[tool.count]\ndescription = \"d\"\ncommand = [\"wc\"]\n";

#[test]
fn a_declared_command_has_a_level_and_hosts_of_its_own() {
    let one = |more: &str| {
        let world = World::new().user(&format!("{COUNT}{more}"));
        world.load().declared.remove(0)
    };
    let plain = one("");
    assert_eq!((plain.sandbox, plain.network.len()), (None, 0));
    assert!(!plain.written.contains("sandbox") && !plain.written.contains("network"));
    let confined = one("sandbox = 2\nnetwork = [\"API.example.org\"]");
    assert_eq!(confined.sandbox, Some(Level::Scratch));
    assert_eq!(confined.network, ["api.example.org"]);
    assert!(confined.written.contains("\"sandbox\":2") && confined.written.contains("[\"api.example.org\"]"));
    // A change of either makes another tool.
    let texts = ["", "sandbox = 0", "sandbox = 1", "network = [\"all\"]"].map(|more| one(more).written);
    assert!(
        (1..texts.len()).all(|at| !texts[..at].contains(&texts[at])),
        "{texts:?}"
    );
}

#[test]
fn a_tool_that_is_no_command_is_not_confined() {
    let http =
        "[tool.send]\ndescription = \"d\"\nhttp = { method = \"GET\", url = \"https://a.example/\" }\n";
    for (text, message) in [
        (
            format!("{http}sandbox = 1"),
            "4:11: `tool.send.sandbox`: only goes with command; remove it",
        ),
        (
            format!("{http}network = [\"a.example\"]"),
            "4:11: `tool.send.network`: only goes with command; remove it",
        ),
        (
            "[tool.shell]\nsandbox = 1".to_owned(),
            "2:11: `tool.shell.sandbox`: only goes with command or http; add one of them, or remove it",
        ),
        (
            format!("{COUNT}sandbox = 3"),
            "4:11: `tool.count.sandbox`: 3 is out of range; write a whole number from 0 to 2",
        ),
        (
            format!("{COUNT}network = [\"x/y\"]"),
            "4:12: `tool.count.network`: `x/y` has a path, which no rule of a host sees; write \"x\"",
        ),
    ] {
        assert_eq!(World::new().user(&text).fault(), format!("{FILE}:{message}"));
    }
}

#[test]
fn a_workspace_confines_its_own_tools_and_servers_once_it_is_trusted() {
    let theirs = "[tool.count]\ndescription = \"d\"\ncommand = [\"wc\"]\nsandbox = 0\nnetwork = [\"all\"]\n\
                  [mcp.git]\ncommand = \"git-mcp\"\nsandbox = 1\nwrite = [\"data\"]\n";
    let world = World::new().theirs(theirs);
    let settings = world.load();
    assert!(settings.declared.is_empty() && settings.servers.is_empty());
    let notices = world.notices();
    for key in ["`tool.count.sandbox`", "`tool.count.network`", "`mcp`"] {
        assert!(notices.iter().any(|one| one.contains(key)), "{key}: {notices:?}");
    }
    let world = world.trusted();
    let settings = world.load();
    assert_eq!(settings.declared[0].sandbox, Some(Level::Off));
    assert_eq!(
        settings.servers[0].confinement.write,
        [world.workspace().join("data")]
    );
}

#[test]
fn a_server_is_confined_where_the_settings_say_so() {
    let mine = "[mcp.git]\ncommand = \"git-mcp\"\n[mcp.files]\ncommand = \"files-mcp\"\nsandbox = 1\nwrite = [\"~/.cache/uv\"]\n\
                network = [\"pypi.org\", \"*.PythonHosted.org:443\"]\n";
    let world = World::new().user(mine);
    let servers = world.load().servers;
    assert_eq!(servers[0].name, "git");
    assert!(servers[0].confinement.write.is_empty() && servers[0].confinement.network.is_empty());
    assert_eq!(servers[0].confinement.level, Level::Off);
    let files = &servers[1].confinement;
    assert_eq!(files.level, Level::Workspace);
    assert_eq!(files.write, [world.root.path().join("home/.cache/uv")]);
    assert_eq!(files.network, ["pypi.org", "*.pythonhosted.org:443"]);
    // Its accepted definitions stay accepted.
    let plain = World::new().user("[mcp.files]\ncommand = \"files-mcp\"").load();
    assert_eq!(plain.servers[0].identity(), servers[1].identity());
    for (text, message) in [
        (
            "url = \"https://a.example/\"\nsandbox = 1",
            "3:11: `mcp.x.sandbox`: only goes with command: no server over HTTP is started; remove it",
        ),
        (
            "url = \"https://a.example/\"\nnetwork = [\"a.example\"]",
            "3:11: `mcp.x.network`: only goes with command: no server over HTTP is started; remove it",
        ),
        (
            "command = \"x\"\nwrite = [\"/srv\"]",
            "3:9: `mcp.x.write`: only goes with sandbox = 1 or 2; add it, or remove this",
        ),
        (
            "command = \"x\"\nsandbox = 1\nwrite = [\"srv\"]",
            "4:10: `mcp.x.write`: `srv` is relative; write an absolute path, or one below \"~/\"",
        ),
        (
            "command = \"x\"\nsandbox = true",
            "3:11: `mcp.x.sandbox`: expected a whole number from 0 to 2, found true or false; write a whole number from 0 to 2",
        ),
    ] {
        let world = World::new().user(&format!("[mcp.x]\n{text}"));
        assert_eq!(world.fault(), format!("{FILE}:{message}"), "{text}");
    }
}

#[test]
fn your_file_confines_servers_of_the_workspace_and_its_word_counts_before_theirs() {
    let published = r#"{"mcpServers": {"git": {"command": "git-mcp", "sandbox": 0}, "docs": {"url": "https://a.example/"}}}"#;
    let mine = "[mcp.git]\nsandbox = 2\n[mcp.docs]\nsandbox = 1\n[mcp.own]\ncommand = \"own-mcp\"\nsandbox = 1\n\
                [mcp.free]\ncommand = \"free-mcp\"\n";
    let theirs =
        "[mcp.git]\nsandbox = 1\nnetwork = [\"all\"]\n[mcp.own]\nsandbox = 0\n[mcp.free]\nsandbox = 1\n";
    let world = World::new().user(mine).theirs(theirs).trusted();
    std::fs::write(world.workspace().join(".mcp.json"), published).unwrap();
    let settings = world.load();
    let of = |name: &str| {
        let server = settings
            .servers
            .iter()
            .find(|server| server.name == name)
            .unwrap();
        (
            server.confinement.level.number(),
            server.confinement.network.len(),
        )
    };
    assert_eq!((of("git"), of("own"), of("free")), ((2, 0), (1, 0), (1, 0)));
    assert_eq!(of("docs"), (0, 0));
    let notice = "ignored: `mcp.docs.sandbox` in ";
    let notices = world.notices();
    assert!(notices.iter().any(|one| one.starts_with(notice)), "{notices:?}");
}

#[test]
fn the_tables_of_the_documentation_are_read() {
    let configuration = include_str!("../../../docs/configuration.md");
    let of_servers = include_str!("../../../docs/mcp.md");
    let table = |page: &str, name: &str| {
        let at = page.find(&format!("\n{name}")).unwrap();
        let end = page[at..].find("\n\n").or(page[at..].find("\n```"));
        page[at..at + end.unwrap()].replace("\n```", "")
    };
    let settings = World::new().user(&table(configuration, "[sandbox]")).load();
    assert_eq!(
        (
            settings.sandbox.write.value.len(),
            settings.sandbox.network.value.len()
        ),
        (1, 2)
    );
    let settings = World::new().user(&table(of_servers, "[mcp.git]")).load();
    assert_eq!(settings.servers[0].confinement.level, Level::Workspace);
}
