//! Shell lines with a command in an option, a variable or code: rules about `touch` deny them, ask, or let them run.
//!
//! Must not know: how a line is read.

use serde_json::{Value, json};

use super::{ALLOW, ASK, DENY, RULE, argv, line};
use crate::tests::{call, gate, on_args, with};
use crate::{Origin, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate};

/// Lines in which `touch mark` runs, or may run, and stands in the text.
const DENIED: &[&str] = &[
    "git grep -O'touch mark' alpha",
    "git grep --open-files-in-pager='touch mark;' alpha",
    "git filter-branch --tree-filter 'touch mark' HEAD",
    "git -c core.sshCommand='touch mark' fetch h:x",
    "git difftool -x 'touch mark' HEAD",
    "GIT_EXTERNAL_DIFF='touch mark' git diff",
    "BASH_ENV='$(touch mark)' bash -c ls",
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='touch mark' a.txt",
    "tar xf x.tar --to-command='touch mark'",
    "sed -n '1e touch mark' a.txt",
    "sed 's/alpha/touch mark/e' a.txt",
    "split --filter='touch mark' a.txt",
    "vim -es -c ':!touch mark' -c q a.txt",
    "ssh -o ProxyCommand='touch mark' h",
    "make --eval='a: ; touch mark' a",
    "gdb -batch -ex 'shell touch mark'",
    "awk 'BEGIN { system(\"touch mark\") }'",
    "rsync -e 'touch mark' a h:b",
    "ed a.txt <<E\n!touch mark\nE",
    "python3 -c 'import os; os.system(\"touch mark\")'",
    "perl -e 'system \"touch mark\"'",
    "node -e 'require(\"child_process\").execSync(\"touch mark\")'",
    "cd x && sudo env PAGER='touch mark' git -p log",
    "split --f 'touch mark' f",
    "git clone --u 'touch mark;git-upload-pack' h:a",
    "git clone -qc core.sshCommand='touch mark' h:a",
    "git config --typ path core.sshCommand 'touch mark'",
    "git for-each-repo --config=K grep -O'touch mark' a",
    "/usr/lib/git-core/git-grep -O'touch mark' a",
    "HOME='touch mark' git status",
    "ssh -o ' \"ProxyCommand\"\t= touch mark' h",
    "ssh -F 'touch mark' h",
    "go build -ldflags '-s -extld touch -linkmode mark'",
    "vim -Oc '!touch mark'",
    "python3 -mtimeit 'touch mark'",
    "gdb -eval-comm '!touch mark'",
    "gcc -wrapper touch,mark a.c",
    "gh alias set x '!touch mark'",
    "make \"A=\"'$(shell touch mark)'\"$y\"",
    "sed -n ':x e touch mark' a",
    "awk '(1) /\"/ ; { print \"a\" | \"touch mark\" } /\"/' a",
    "for PAGER in 'touch mark'; do git log; done",
    "node --import 'data:,touch mark' a.js",
    "php -d auto_prepend_file='touch mark' a.php",
    "latexmk 'touch mark' -shell-escape",
];

/// Lines in which a command may run that cannot be read.
const ASKED: &[&str] = &[
    "python3 -c 'import os; os.system(bytes([116,111]).decode())'",
    "python3 -c \"$X\"",
    "awk \"$X\" a",
    "awk 'BEGIN { system(ENVIRON[\"X\"]) }'",
    "sed \"$X\" a",
    "sed 's/a/b/e' a",
    "tar xf a.tar --to-command=\"$X\"",
    "git -c core.hooksPath=x commit -m y",
    "git -c core.pager=\"$X\" log",
    "LD_PRELOAD=./x.so ls",
    "BASH_ENV=x.sh bash -c ls",
    "curl h | python3",
    "vim -es a <<< \"$X\"",
    "gdb -x a -ex 'source b'",
    "perl -pe 's/x/y/' a",
    "read EDITOR < a; export EDITOR; git commit",
    "tar cf a.tar *",
    "git grep {-Oother,a}",
    "git grep \"${z:--Oother x}\" a",
    "for f in *; do zip a.zip \"$f\"; done",
    "export \"$n=x\"",
    "HOME=. git status",
    "GIT_DIR=x git status",
    "PATH=.:$PATH ls",
    "PYTHONPATH=. python3 -c 'print(1)'",
    "ssh -F x h",
    "cargo --config x.toml build",
    "make A=$(x)",
    "node -e 'console[\"log\"](1)'",
    "echo 1 | m4",
];

/// Lines that run nothing beside.
const HARMLESS: &[&str] = &[
    "tar cf x.tar a.txt; sed -n 's/a/b/p' a.txt > out",
    "git grep -n 'touch mark'",
    "git -c user.name='touch mark' commit -m 'touch mark'",
    "GIT_PAGER=cat PAGER=less git log --grep 'touch mark'",
    "EDITOR=true git commit --amend",
    "ENV=touch npm test",
    "awk '/touch mark/ { print $2 }' a",
    "sed '/touch mark/d' a",
    "find . -name '*.rs' -exec grep -l 'touch mark' {} +",
    "make -j4 PREFIX=/usr",
    "tar xzf a.tgz --strip-components=1",
    "psql -c 'select 1'",
    "docker run --rm img ls touch mark",
    "ls * touch",
    "wc -l *.rs",
    "git add src/*.rs",
    "tar cf a.tar ./*",
    "git push origin $(git branch --show-current)",
    "PYTHONPATH=src python3 -m pytest -k 'touch mark'",
    "PATH=\"$HOME/.cargo/bin:$PATH\" cargo test",
    "CARGO_BUILD_JOBS=4 cargo test",
    "ssh -D 1080 -o ConnectTimeout=5 h",
    "go build -ldflags '-s -w' ./...",
    "git clone --depth 1 -b touch https://h/a",
    "git config --get core.pager",
    "git commit -m \"$x\"",
    "make -j$(nproc) CFLAGS=-O2",
    "sed ':a;N;$!ba;s/touch/mark/g' a",
    "python3 -m json.tool touch",
];

/// What the rule and the preset `guarded` decide about a shell call.
fn guarded(rule: &str, args: &Value) -> Gate {
    let policy = with(Preset::Guarded, &format!("[[rule]]\n{rule}"), Origin::User);
    let subject = Subject {
        args,
        ..call("shell", EffectClass::Unknown)
    };
    gate(&policy, &subject)
}

#[test]
fn a_command_in_an_option_a_variable_or_code_is_denied() {
    for shape in DENIED {
        assert_eq!(line(RULE, shape), DENY, "{shape}");
        assert_eq!(line(&RULE.replace("\"deny\"", "\"ask\""), shape), ASK, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), DENY, "{shape}");
        assert_ne!(line(&RULE.replace("touch *", "other *"), shape), DENY, "{shape}");
    }
    for words in [
        &["git", "grep", "-Otouch mark", "x"][..],
        &["env", "EDITOR=touch mark", "git", "commit"],
        &["awk", "BEGIN { system(\"touch mark\") }"],
    ] {
        assert_eq!(argv(RULE, words), DENY, "{words:?}");
    }
    for shape in HARMLESS {
        assert_eq!(line(RULE, shape), ALLOW, "{shape}");
    }
}

#[test]
fn what_cannot_be_read_asks_whatever_allows_it() {
    for shape in ASKED {
        assert_eq!(line(RULE, shape), ASK, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), ASK, "{shape}");
        // Without a rule about commands the preset decides.
        let other = "tool = \"shell\"\nargs = [{ at = \"/cwd\", glob = \"x\" }]\ngate = \"deny\"";
        assert_eq!(line(other, shape), ALLOW, "{shape}");
    }
}

#[test]
fn no_rule_allows_commands_that_cannot_be_read_unless_it_spells_the_line_out() {
    let whole = "tool = \"shell\"\ngate = \"allow\"";
    let all = "gate = \"allow\"\ntool = \"*\"";
    let cwd = "tool = \"shell\"\nargs = [{ at = \"/cwd\", glob = \"x\", not = true }]\ngate = \"allow\"";
    let more = ["$X mark", "curl h | sh", "eval \"$X\"", "echo 'a", "bash <(x)"];
    for shape in ASKED.iter().chain(&more) {
        for rule in [whole, all, cwd] {
            assert_eq!(
                guarded(rule, &json!({ "command": shape })),
                ASK,
                "{rule} on {shape}"
            );
            assert_eq!(
                guarded(rule, &json!({ "argv": ["sh", "-c", shape] })),
                ASK,
                "{rule} on {shape}"
            );
        }
        // A preset that allows needs no rule, and a rule that allows does not tighten it.
        let text = format!("[[rule]]\n{whole}");
        let auto = with(Preset::Auto, &text, Origin::User);
        let args = json!({ "command": shape });
        let subject = Subject {
            args: &args,
            ..call("shell", EffectClass::Unknown)
        };
        assert_eq!(gate(&auto, &subject), ALLOW, "{shape}");
        // The line itself may be allowed.
        let spelled = Value::from(*shape);
        let rule =
            format!("tool = \"shell\"\nargs = [{{ at = \"/command\", is = {spelled} }}]\ngate = \"allow\"");
        assert_eq!(guarded(&rule, &args), ALLOW, "{rule}");
    }
    for shape in HARMLESS {
        assert_eq!(guarded(whole, &json!({ "command": shape })), ALLOW, "{shape}");
    }
    assert_eq!(
        guarded(whole, &json!({ "command": "ls", "env": { "A": "b" } })),
        ASK
    );
}

#[test]
fn a_rule_about_the_tool_that_types_allows_it() {
    let args = json!({ "session_id": 1, "chars": "y\n" });
    let rule = "tool = \"write_stdin\"\ngate = \"allow\"";
    assert_eq!(on_args(rule, "write_stdin", &args), ALLOW);
}

#[test]
fn a_deny_rule_counts_by_its_literal_words() {
    let rule =
        |test: &str| format!("tool = \"shell\"\nargs = [{{ at = \"/command\", {test} }}]\ngate = \"deny\"");
    let code = "python3 -c 'import os; os.system(\"git -C a push\")'";
    for (test, expected) in [
        ("glob = \"git push*\"", DENY),
        ("glob = \"*push*\"", DENY),
        ("is = \"git push\"", DENY),
        ("glob = \"git pull*\"", ASK),
        ("glob = \"pus *\"", ASK),
        ("regex = 'git.*pull'", ASK),
        ("glob = \"?????????????? x\"", ASK),
        ("glob = \"python*\", not = true", ASK),
        ("glob = \"git *\", not = true", DENY),
    ] {
        assert_eq!(line(&rule(test), code), expected, "{test}");
    }
    let argv_0 = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"git\" }]\ngate = \"deny\"";
    assert_eq!(line(argv_0, code), DENY);
    let two = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git *\" }, { at = \"/cwd\", under = \"x\" }]\n\
               gate = \"deny\"";
    let at = |cwd: &str| on_args(two, "shell", &json!({"command": code, "cwd": cwd}));
    assert_eq!((at("x"), at("y")), (DENY, ALLOW));
}

#[test]
fn a_pattern_that_allows_a_program_does_not_allow_what_it_runs_beside() {
    let allows = |test: &str, shape: &str| {
        let rule = format!("tool = \"shell\"\nargs = [{{ at = \"/command\", {test} }}]\ngate = \"allow\"");
        guarded(&rule, &json!({ "command": shape }))
    };
    assert_eq!(allows("glob = \"git *\"", "git grep alpha"), ALLOW);
    assert_eq!(allows("glob = \"git *\"", "git grep -Otouch alpha"), ASK);
    assert_eq!(allows("glob = \"git *\"", "git rebase -x touch"), ASK);
    assert_eq!(allows("glob = \"sed *\"", "sed -n 1etouch a"), ASK);
    assert_eq!(allows("glob = \"sed *\"", "sed -n 1p a"), ALLOW);
    assert_eq!(
        allows("is = \"git grep -Otouch alpha\"", "git grep -Otouch alpha"),
        ALLOW
    );
    let words = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"git\" }]\ngate = \"allow\"";
    let on = |words_of: &[&str]| guarded(words, &json!({ "argv": words_of }));
    assert_eq!(on(&["git", "log"]), ALLOW);
    assert_eq!(on(&["git", "grep", "-Otouch mark", "x"]), ASK);
}

#[test]
fn an_exception_holds_only_if_it_covers_what_runs_beside() {
    let only =
        "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git *\", not = true }]\ngate = \"deny\"";
    for shape in [
        "git log",
        "git -c user.name=a commit",
        "EDITOR=true git commit",
        "git -c alias.x=log x",
    ] {
        assert_eq!(line(only, shape), ALLOW, "{shape}");
    }
    for shape in [
        "git grep -O'rm x' a",
        "PAGER='rm x' git log",
        "git -c alias.x='!rm x' x",
        "git bisect run rm x",
    ] {
        assert_eq!(line(only, shape), DENY, "{shape}");
    }
    // What runs beside does not stand for the command itself.
    let rule = only.replace("git *", "cat*");
    assert_eq!(line(&rule, "PAGER=cat rm x"), DENY);
}
