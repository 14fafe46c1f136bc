//! Tests commands inside commands: wrappers, lines of shells, texts that are read again.
//!
//! Must not know: rules.

use super::super::{Reading, Uncertainty};

/// The forms of all commands that the reading knows, listed or not, without their signs.
fn forms(reading: &Reading) -> Vec<String> {
    let words = |one: &super::super::Command| {
        let texts: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
        texts.join(" ")
    };
    reading.commands.iter().map(words).collect()
}

fn of_words(words: &[&str]) -> Reading {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    Reading::of_words(&words)
}

fn texts(reading: &Reading) -> Vec<(&'static str, String)> {
    reading
        .listed()
        .map(|one| (one.after, one.text.clone()))
        .collect()
}

fn owned(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let list = list.iter();
    list.map(|(after, text)| (*after, (*text).to_owned())).collect()
}

/// Lines in which `rm x` runs inside of something else.
const LINES: &[&str] = &[
    "env rm x",
    "env -i A=1 B='2 3' rm x",
    "env -u A -C dir --unset=B --chdir d rm x",
    "/usr/bin/env -- rm x",
    "env -S 'rm x'",
    "env -iSrm x",
    "env --split-string='rm x'",
    "env A=1 env -S 'rm x'",
    "nohup rm x",
    "x86_64 rm x",
    "i386 -R rm x",
    "/lib64/ld.so --preload a.so rm x",
    "sg staff 'rm x'",
    "sg staff -c 'rm x'",
    "cpulimit -l 5 -- rm x",
    "logsave log rm x",
    "perf trace rm x",
    "mise x node@20 -- rm x",
    "fnm exec --using=20 rm x",
    "micromamba run -n e rm x",
    "podman container run image rm x",
    "apptainer exec image rm x",
    "wsl -e rm x",
    "oc debug pod/x -- rm x",
    "tmux if 'rm x'",
    "nix shell nixpkgs#a -c rm x",
    "guix shell a -- rm x",
    "just -c rm x",
    "fish -C 'rm x'",
    "zsh --emulate sh -c 'rm x'",
    "bfs . -exec rm x ;",
    "echo x | gxargs rm",
    "genv A=1 rm x",
    "timeout 5 rm x",
    "timeout -k 3 --signal=KILL -s TERM 5s rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "nice --adjustment=3 rm x",
    "ionice -c2 -n 7 rm x",
    "chrt -f 10 rm x",
    "taskset -c 0,1 rm x",
    "setsid -f rm x",
    "stdbuf -oL -e0 rm x",
    "sudo -u me -E A=1 rm x",
    "sudo -- rm x",
    "doas -u me rm x",
    "su -c 'rm x'",
    "su me -c 'rm x'",
    "su - me -c 'rm x'",
    "su --command='rm x' me",
    "runuser -u me -- rm x",
    "runuser me -c 'rm x'",
    "chroot /x rm x",
    "flock /tmp/l rm x",
    "flock -n /tmp/l -c 'rm x'",
    "script -qec 'rm x' /dev/null",
    "script -q /dev/null -c 'rm x'",
    "script -q /dev/null rm x",
    "setarch -R rm x",
    "setarch x86_64 -R rm x",
    "watch -n 1 'rm x'",
    "watch rm x",
    "ssh -p 22 localhost rm x",
    "strace -f -o out rm x",
    "busybox rm x",
    "busybox sh -c 'rm x'",
    "/lib64/ld-linux-x86-64.so.2 rm x",
    "exec rm x",
    "exec -a name rm x",
    "command rm x",
    "command -p rm x",
    "builtin command rm x",
    "time rm x",
    "time -p rm x",
    "coproc rm x",
    "! rm x",
    "eval rm x",
    "eval 'rm x'",
    "eval -- 'rm' \"x\"",
    "eval \"eval 'rm x'\"",
    "trap 'rm x' EXIT",
    "sh -c 'rm x'",
    "/bin/sh -ec 'rm x'",
    "bash -lc 'rm x'",
    "bash --norc -O extglob -co pipefail 'rm x'",
    "sh -c -- 'rm x'",
    "sh -c \"sh -c 'rm x'\"",
    "sh <<E\nrm x\nE",
    "sh <<< 'rm x'",
    "sudo bash -s <<'E'\nrm x\nE",
    "echo rm x | sh",
    "echo 'rm x' | sudo -u me bash -",
    "printf 'rm x\\n' | sh",
    "printf '%s\\n' 'rm x' | bash",
    "cat <<E | sh\nrm x\nE",
    "echo x | xargs rm",
    "echo x | xargs -n 1 -P4 -- rm",
    "echo x | xargs -I{} rm {}",
    "echo x | xargs -I @ sh -c 'rm @'",
    "xargs rm <<< x",
    "find . -name y -exec rm x \\;",
    "find . -execdir rm x +",
    "find . -exec true \\; -ok rm x ';'",
    "find . -exec sh -c 'rm x' \\;",
    "fd -x rm x",
    "git -c alias.y='!rm x' y",
    "uv run rm x",
    "poetry run rm x",
    "npx rm x",
    "parallel rm ::: x",
    "docker exec -it c sh -c 'rm x'",
    "echo rm x | sudo -s",
    "su <<< 'rm x'",
    "nohup nice -n 5 env A=1 timeout 3 sudo sh -c 'exec rm x'",
];

#[test]
fn wrappers_are_removed_with_their_options() {
    for line in LINES {
        let reading = Reading::of_line(line);
        let forms = forms(&reading);
        assert!(forms.contains(&"rm x".to_owned()), "{line}: {forms:?}");
    }
    for words in [
        &["env", "rm", "x"][..],
        &["sh", "-c", "rm x"],
        &["env", "A=1", "bash", "-lc", "true; rm x"],
        &["env", "-S", "rm x"],
        &["find", ".", "-exec", "rm", "x", ";"],
        &["xargs", "sh", "-c", "rm x"],
        &["timeout", "5", "rm", "x"],
    ] {
        let reading = of_words(words);
        assert!(forms(&reading).contains(&"rm x".to_owned()), "{words:?}");
        assert_eq!(reading.uncertainty, None, "{words:?}");
    }
}

#[test]
fn words_that_only_look_like_a_command_are_none() {
    for line in [
        "echo rm x",
        "rg eval rm x",
        "cargo test eval -- rm x",
        "command -v rm x",
        "type rm x",
        "which rm x",
        "find . -name rm x",
        "env grep rm x",
        "sort -S 50M rm x",
        "env A=1 make -S rm x",
        "timeout 5 grep rm x",
        "sh x.sh -c 'rm x'",
        "flock /tmp/l grep -c 'rm x' f",
        "git commit -m 'rm x'",
        "cat <<E\nrm x\nE",
        "echo 'rm x' | cat",
        "trap - EXIT",
        "sh < script.sh",
    ] {
        let reading = Reading::of_line(line);
        assert!(!forms(&reading).contains(&"rm x".to_owned()), "{line}");
        assert_eq!(reading.uncertainty, None, "{line}");
    }
}

#[test]
fn the_line_of_a_nested_shell_is_read_as_a_line() {
    let two = owned(&[("", "a"), (";", "curl x"), ("|", "wc")]);
    for words in [
        &["sh", "-c"][..],
        &["/bin/bash", "-lc"],
        &["dash", "-e", "-c"],
        &["bash", "-ec", "--"],
        &["zsh", "-o", "pipefail", "-c"],
        &["bash", "-co", "pipefail"],
        &["bash", "--rcfile", "x", "--login", "-c"],
        &["ash", "-c", "-x"],
        &["eval"],
    ] {
        let mut words = words.to_vec();
        words.push("a; curl x|wc");
        let reading = of_words(&words);
        assert_eq!(texts(&reading), two, "{words:?}");
        assert_eq!(reading.lines, ["a; curl x|wc"], "{words:?}");
    }
    assert_eq!(
        texts(&Reading::of_line("s\\h -\"c\" \"sh -c 'a; curl x|wc'\"")),
        two
    );
}

#[test]
fn commands_around_a_nested_line_are_listed_too() {
    assert_eq!(
        texts(&of_words(&["env", "A=x y", "sh", "-c", "a; b"])),
        owned(&[("", "env 'A=x y' sh -c 'a; b'"), ("-c", "a"), (";", "b")])
    );
    assert_eq!(
        texts(&Reading::of_line("cd x && A=1 timeout 5 sh -c 'a; b'; c")),
        owned(&[
            ("", "cd x"),
            ("&&", "A=1 timeout 5 sh -c 'a; b'"),
            ("-c", "a"),
            (";", "b"),
            (";", "c")
        ])
    );
    assert_eq!(
        texts(&of_words(&["sh", "-c", "a \"$1\"", "x", "y"])),
        owned(&[("", "sh -c 'a \"$1\"' x y"), ("-c", "a \"$1\"")])
    );
    assert_eq!(
        texts(&Reading::of_line(">o command eval 'a; b'; env -S 'rm -rf x' y")),
        owned(&[
            ("", ">o command eval 'a; b'"),
            ("-c", "a"),
            (";", "b"),
            (";", "env -S 'rm -rf x' y"),
            ("-S", "rm -rf x y")
        ])
    );
    for none in [
        &["sh", "x.sh", "-c", "a; b"][..],
        &["rg", "a; b"],
        &["sh", "-c"],
        &["echo", "$(a)"],
    ] {
        assert_eq!(of_words(none).lines, [""; 0], "{none:?}");
    }
    assert_eq!(
        of_words(&["grep", "$(x)", "a"]).uncertainty,
        None,
        "no shell reads it"
    );
    assert_eq!(
        of_words(&["sh", "-c", "$X a"]).uncertainty,
        Some(Uncertainty::Program)
    );
}
