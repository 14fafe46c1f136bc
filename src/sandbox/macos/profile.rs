//! Writes the profile for `sandbox-exec`.
//!
//! Must not know: how a child is started.
//!
//! **Untested on a real machine.** Of two rules that match, the later one counts.

use std::fmt::Write as _;
use std::path::Path;

use overrule_domain::sandbox::Profile;

use crate::plan::Plan;

/// A path that cannot be named in a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot name `{}` in a sandbox profile: it has a control character, or is not UTF-8", overrule_base::text::visible(.0))]
pub struct PathError(String);

/// What a shell and ordinary programs need besides files.
const BASICS: &str = "\
(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-ioctl (literal \"/dev/null\"))
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name \"com.apple.system.opendirectoryd.libinfo\")
  (global-name \"com.apple.system.notification_center\")
  (global-name \"com.apple.logd\")
  (global-name \"com.apple.trustd.agent\"))
(if (defined? 'file-map-executable) (allow file-map-executable))
";

/// Terminals: those that a child opened itself.
const OWN_TERMINALS: &str = "\
(deny file-read-data file-write* file-ioctl
  (literal \"/dev/console\")
  (regex #\"^/dev/ttys[0-9a-z]+$\"))
(allow file-read* file-write* file-ioctl
  (require-all
    (regex #\"^/dev/ttys[0-9]+$\")
    (extension \"com.apple.sandbox.pty\")))
";

/// Terminals where a child keeps that of its parent: all, because a profile does not know which one that is.
const ALL_TERMINALS: &str = "\
(allow file-read* file-write* file-ioctl
  (literal \"/dev/tty\")
  (regex #\"^/dev/ttys[0-9]+$\"))
";

/// Devices that every program may write.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/tty",
    "/dev/dtracehelper",
    "/dev/ptmx",
];

/// Returns the profile of a plan. `port` is that of the proxy for allowed hosts on this machine's loopback; none where every
/// host is reached.
///
/// # Errors
///
/// Returns an error for a path that cannot be quoted: nothing is started then.
pub fn profile(plan: &Plan, port: Option<u16>) -> Result<String, PathError> {
    let mut text = BASICS.to_owned();
    rule(&mut text, "allow file-read*", "", &[])?;
    let hidden: Vec<&Path> = plan.hidden().collect();
    if !hidden.is_empty() {
        // Names may be seen, contents not.
        rule(&mut text, "deny file-read-data", "subpath", &hidden)?;
    }
    // It lies in the directory of this program, which is hidden.
    let temporary = plan.temporary();
    rule(&mut text, "allow file-read*", "subpath", &[&temporary])?;
    let mut written: Vec<&Path> = plan.writable();
    written.push(&temporary);
    for place in written {
        writable(&mut text, plan, place)?;
    }
    rule(&mut text, "allow file-write*", "literal", &DEVICES.map(Path::new))?;
    text.push_str(if plan.keeps_terminal {
        ALL_TERMINALS
    } else {
        OWN_TERMINALS
    });
    text.push_str(&network(&plan.profile, port));
    Ok(text)
}

/// Adds a rule about paths; about everything, where there is no kind.
fn rule(text: &mut String, what: &str, kind: &str, paths: &[&Path]) -> Result<(), PathError> {
    if kind.is_empty() {
        let _ = writeln!(text, "({what})");
        return Ok(());
    }
    let _ = write!(text, "({what}");
    for path in paths {
        let _ = write!(text, "\n  ({kind} {})", quoted(path)?);
    }
    text.push_str(")\n");
    Ok(())
}

/// Allows writes below a directory, without the protected paths in it. A directory that must stay where it is may be
/// written, but not removed or renamed.
fn writable(text: &mut String, plan: &Plan, place: &Path) -> Result<(), PathError> {
    let _ = write!(
        text,
        "(allow file-write*\n  (require-all\n    (subpath {})",
        quoted(place)?
    );
    let below = |path: &&std::path::PathBuf| path.starts_with(place);
    for path in plan.read_only.iter().filter(below) {
        let _ = write!(text, "\n    (require-not (subpath {}))", quoted(path)?);
    }
    for path in plan.pinned.iter().filter(below) {
        let _ = write!(text, "\n    (require-not (literal {}))", quoted(path)?);
    }
    for path in plan.hidden().filter(|path| path.starts_with(place)) {
        let _ = write!(text, "\n    (require-not (subpath {}))", quoted(path)?);
    }
    text.push_str("))\n");
    Ok(())
}

/// The rules about the network: everything, or servers of its own on the loopback and the proxy.
fn network(profile: &Profile, port: Option<u16>) -> String {
    if profile.reaches_all() {
        return ALL_NETWORK.to_owned();
    }
    // Programs of a call reach each other by ports of the loopback; macOS cannot tell them from those of others, so only
    // binding and accepting are allowed, and connections to the proxy alone.
    let mut text = String::from(
        "(deny network*)\n\
         (allow network-bind (local ip \"localhost:*\"))\n\
         (allow network-inbound (local ip \"localhost:*\"))\n",
    );
    if let Some(port) = port {
        let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
    }
    if profile.unix_sockets {
        text.push_str("(allow network-outbound (remote unix-socket))\n");
    }
    text
}

/// The whole network, with the services that look up names.
const ALL_NETWORK: &str = "\
(allow network*)
(allow system-socket)
(allow mach-lookup
  (global-name \"com.apple.SystemConfiguration.DNSConfiguration\")
  (global-name \"com.apple.SystemConfiguration.configd\"))
";

/// Returns a path as a string of the profile's language.
fn quoted(path: &Path) -> Result<String, PathError> {
    let refused = || PathError(path.to_string_lossy().into_owned());
    let plain = path.to_str().ok_or_else(refused)?;
    if plain.chars().any(char::is_control) {
        return Err(refused());
    }
    let mut text = String::from("\"");
    for letter in plain.chars() {
        if matches!(letter, '"' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('"');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::PathBuf;

    use super::*;
    use overrule_domain::sandbox::Level;

    fn plan() -> Plan {
        Plan {
            profile: Profile {
                level: Level::Workspace,
                write: vec!["/Users/me/my \"work\"".into(), "/Users/me/back\\slash".into()],
                hidden: vec!["/Users/me/.ssh".into(), "/Users/me/my \"work\"/.env".into()],
                ..Profile::default()
            },
            namespaces: false,
            scratch: "/Users/me/store/s".into(),
            own: vec!["/Users/me/store".into()],
            pinned: vec!["/Users/me/my \"work\"/.git".into()],
            read_only: vec![
                "/Users/me/my \"work\"/.git/hooks".into(),
                "/Users/me/my \"work\"/.mcp.json".into(),
            ],
            linked: Vec::new(),
            caches: Vec::new(),
            home: Some("/Users/me".into()),
            keeps_terminal: false,
            port: None,
        }
    }

    #[test]
    fn the_whole_profile_is_as_it_was_read() {
        let expected = r#"(allow file-read*)
(deny file-read-data
  (subpath "/Users/me/.ssh")
  (subpath "/Users/me/my \"work\"/.env")
  (subpath "/Users/me/store"))
(allow file-read*
  (subpath "/Users/me/store/s/tmp"))
(allow file-write*
  (require-all
    (subpath "/Users/me/my \"work\"")
    (require-not (subpath "/Users/me/my \"work\"/.git/hooks"))
    (require-not (subpath "/Users/me/my \"work\"/.mcp.json"))
    (require-not (literal "/Users/me/my \"work\"/.git"))
    (require-not (subpath "/Users/me/my \"work\"/.env"))))
(allow file-write*
  (require-all
    (subpath "/Users/me/back\\slash")))
(allow file-write*
  (require-all
    (subpath "/Users/me/store/s/tmp")))
(allow file-write*
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/dtracehelper")
  (literal "/dev/ptmx"))
(deny file-read-data file-write* file-ioctl
  (literal "/dev/console")
  (regex #"^/dev/ttys[0-9a-z]+$"))
(allow file-read* file-write* file-ioctl
  (require-all
    (regex #"^/dev/ttys[0-9]+$")
    (extension "com.apple.sandbox.pty")))
(deny network*)
(allow network-bind (local ip "localhost:*"))
(allow network-inbound (local ip "localhost:*"))
(allow network-outbound (remote ip "localhost:4321"))
"#;
        let text = profile(&plan(), Some(4321)).unwrap();
        assert_eq!(text, format!("{BASICS}{expected}"));
        assert!(text.starts_with("(version 1)\n(deny default)\n"));
        let opened = text.matches('(').count();
        assert_eq!(opened, text.matches(')').count(), "{text}");
    }

    #[test]
    fn level_2_writes_the_temporary_directory_and_nothing_of_the_workspace() {
        let mut plan = plan();
        plan.profile.level = Level::Scratch;
        let text = profile(&plan, Some(1)).unwrap();
        let written: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("    (subpath"))
            .collect();
        assert_eq!(written, [r#"    (subpath "/Users/me/store/s/tmp")))"#]);
    }

    #[test]
    fn the_network_is_open_only_where_the_settings_say_so() {
        let mut plan = plan();
        plan.profile.network = vec![Profile::ALL_HOSTS.into()];
        let text = profile(&plan, Some(1)).unwrap();
        assert!(text.ends_with(ALL_NETWORK) && !text.contains("(deny network*)"));
        plan.profile.network = vec!["registry.example.org".into()];
        let text = profile(&plan, Some(1)).unwrap();
        // The proxy reaches the host, not the child.
        assert!(
            !text.contains("registry") && !text.contains("(allow network*)"),
            "{text}"
        );
        assert!(!text.contains("unix-socket"));
        plan.profile.unix_sockets = true;
        assert!(
            profile(&plan, Some(1))
                .unwrap()
                .contains("(allow network-outbound (remote unix-socket))")
        );
    }

    #[test]
    fn without_a_proxy_nothing_is_reached() {
        let text = profile(&plan(), None).unwrap();
        assert!(
            text.contains("(deny network*)") && !text.contains("outbound"),
            "{text}"
        );
    }

    #[test]
    fn only_a_child_that_keeps_the_terminal_opens_it() {
        let mut plan = plan();
        assert!(!profile(&plan, None).unwrap().contains(ALL_TERMINALS));
        plan.keeps_terminal = true;
        let text = profile(&plan, None).unwrap();
        assert!(
            text.contains(ALL_TERMINALS) && !text.contains(OWN_TERMINALS),
            "{text}"
        );
    }

    #[test]
    fn a_path_that_would_end_the_string_is_quoted_or_refused() {
        let injected = "/w\") (allow default) (deny file-read* (literal \"/x";
        let quotes = quoted(Path::new(injected)).unwrap();
        assert_eq!(
            quotes,
            "\"/w\\\") (allow default) (deny file-read* (literal \\\"/x\""
        );
        assert_eq!(quoted(Path::new("/a\\\"b")).unwrap(), r#""/a\\\"b""#);
        for (name, path) in [
            ("newline", PathBuf::from("/w\n(allow default)")),
            ("return", PathBuf::from("/w\r")),
            ("NUL", PathBuf::from("/w\0")),
            ("escape", PathBuf::from("/w\u{1b}[2J")),
            ("no UTF-8", PathBuf::from(OsStr::from_bytes(b"/w\xff"))),
        ] {
            let places: [fn(&mut Plan, &Path); 3] = [
                |plan, path| {
                    plan.read_only =
                        vec![PathBuf::from("/Users/me/back\\slash").join(path.strip_prefix("/").unwrap())];
                },
                |plan, path| plan.own = vec![path.to_owned()],
                |plan, path| plan.scratch = path.to_owned(),
            ];
            for put in places {
                let mut plan = plan();
                put(&mut plan, &path);
                let error = profile(&plan, Some(1)).unwrap_err().to_string();
                assert!(error.starts_with("cannot name `"), "{name}: {error}");
                assert!(!error.contains('\n') && !error.contains('\u{1b}'), "{error}");
            }
        }
    }
}
