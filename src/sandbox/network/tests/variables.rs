//! What a child finds in its environment.
//!
//! Must not know: the proxy.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::network::variables;

#[test]
fn every_program_finds_the_proxy_in_its_own_variable() {
    let all = variables(4711, Path::new("/usr/bin/overrule"));
    let map: BTreeMap<_, _> = all.iter().cloned().collect();
    assert_eq!(map.len(), all.len(), "each once");
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "npm_config_proxy",
        "npm_config_https_proxy",
        "CARGO_HTTP_PROXY",
    ] {
        assert_eq!(map[name], "http://127.0.0.1:4711", "{name}");
    }
    for name in ["NO_PROXY", "no_proxy"] {
        assert_eq!(map[name], "localhost,127.0.0.1,::1");
    }
    assert_eq!(map["NODE_USE_ENV_PROXY"], "1");
    assert_eq!(
        map["GIT_SSH_COMMAND"],
        "ssh -o 'ProxyCommand=/usr/bin/overrule sandbox connect %h %p'"
    );
    let no_text = variables(1, Path::new(std::ffi::OsStr::from_bytes(b"/\xff")));
    assert!(!no_text.iter().any(|(name, _)| name == "GIT_SSH_COMMAND"));
}

/// Does with its option what `ssh` does: replaces `%h`, `%p` and `%%`, and gives the result to a shell.
const SSH: &str = r#"#!/bin/sh
[ "$1" = -o ] && [ $# = 3 ] && [ "$3" = git.example ] || exit 9
command=$(printf '%s' "${2#ProxyCommand=}" | sed 's/%%/\x01/g; s/%h/git.example/g; s/%p/22/g; s/\x01/%/g')
exec sh -c "exec $command"
"#;
const PROGRAM: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n";

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn ssh_finds_this_program_whatever_its_path_is() {
    let directory = tempfile::tempdir().unwrap();
    executable(&directory.path().join("bin/ssh"), SSH);
    for name in [
        "plain",
        "two words",
        "it's",
        "\"quoted\"",
        "100%",
        "%h%p%%",
        "$(exit 3)`exit 4`$HOME",
        "a\\b",
        "a;b&c|d#e",
        "'\"' %'",
        "ü",
    ] {
        let program = directory.path().join(name).join("overrule");
        executable(&program, PROGRAM);
        let (_, command) = variables(1, &program)
            .into_iter()
            .find(|(name, _)| name == "GIT_SSH_COMMAND")
            .unwrap();
        let output = Command::new("/bin/sh")
            .arg("-c")
            .arg(format!("{command} \"$@\""))
            .args(["sh", "git.example"])
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", directory.path().join("bin").display()),
            )
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text, "sandbox\nconnect\ngit.example\n22\n", "{name}: {output:?}");
    }
}
