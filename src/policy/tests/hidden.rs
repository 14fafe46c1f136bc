//! Commands that hide in a line from a rule about commands, and lines that must run all the same.
//!
//! Must not know: how a line is read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{call, gate, on_args, with};
use crate::domain::call::{EffectClass, Gate};
use crate::policy::{Moment, Origin, Policy, Preset, Subject};

const ALLOW: Gate = Gate::Allow;
const ASK: Gate = Gate::Ask;
const DENY: Gate = Gate::Deny;

/// Lines that run `touch mark`, in which it can be seen.
const DENIED: &[&str] = &[
    "touch mark",
    "  touch mark",
    "touch\tmark",
    "touch   mark  ",
    "touch 'mark'",
    "tou''ch mark",
    "t\"ou\"ch mark",
    "\\touch mark",
    "tou\\ch mark",
    "tou\\\nch mark",
    "touch \\\n mark",
    "$'touch' mark",
    "$'\\x74ouch' mark",
    "$'\\164ouch' mark",
    "/usr/bin/touch mark",
    "/usr/../bin/touch mark",
    "'/bin/touch' mark",
    "A=1 touch mark",
    "A=$(id) B+='x y' touch mark",
    ">out touch mark",
    "2>/dev/null touch mark",
    "<in touch mark >out",
    "<<<x touch mark",
    "cd . && touch mark",
    "cd . || touch mark",
    "true; touch mark",
    "true\ntouch mark",
    "true\n\n  touch mark\n",
    "true & touch mark",
    "touch mark &",
    "echo x | touch mark",
    "echo x |& touch mark",
    "true &>x touch mark",
    "! touch mark",
    "(touch mark)",
    "( (touch mark) )",
    "((touch mark))",
    "{ touch mark; }",
    "{ true; touch mark; } >out",
    "if true; then touch mark; fi",
    "if touch mark; then :; fi",
    "if false; then :; elif true; then :; else touch mark; fi",
    "while touch mark; do break; done",
    "until false; do touch mark; break; done",
    "for i in 1; do touch mark; done",
    "for i in 1\ndo\ntouch mark\ndone",
    "case x in x) touch mark;; esac",
    "case x in (y) :;; (*) touch mark; esac",
    "case x in\n y|x)\n touch mark\nesac",
    "f() { touch mark; }; f",
    "function f { touch mark; }; f",
    "f() (touch mark); f",
    "f() if true; then touch mark; fi; f",
    "echo $(touch mark)",
    "echo \"$(touch mark)\"",
    "echo \"a `touch mark`\"",
    "echo `touch mark`",
    "echo `echo \\`touch mark\\``",
    "x=$(touch mark)",
    "x=\"${y:-$(touch mark)}\"",
    "echo ${x:-`touch mark`}",
    "echo $((1 + $(touch mark; echo 1)))",
    "echo $( (touch mark) )",
    "echo $((touch mark); true)",
    "echo $(case x in x) touch mark;; esac)",
    "a=(1 $(touch mark))",
    "cat <(touch mark)",
    "echo x > >(touch mark)",
    "cat < $(touch mark)",
    "for i in $(touch mark); do :; done",
    "case $(touch mark) in *) ;; esac",
    "cat <<E\n$(touch mark)\nE",
    "cat <<-E\n\t`touch mark`\n\tE",
    "cat <<E\nx\nE\ntouch mark",
    "cat <<'E' && touch mark\nx\nE",
    "cat <<'$(x)'\nx\n$(x)\ntouch mark",
    "sh <<E\ntouch mark\nE",
    "sh <<'E'\ntrue; touch mark\nE",
    "bash -s <<E\ntouch mark\nE",
    "bash <<< 'touch mark'",
    "exec 3<<E; sh < /dev/fd/3\ntouch mark\nE",
    "echo 'touch mark' | sh",
    "echo touch mark | bash -",
    "printf 'touch mark\\n' | sh",
    "cat <<E | sh\ntouch mark\nE",
    "echo # '\ntouch mark # '",
    "echo \\'; touch mark; echo \\'",
    "echo \"\\\"\"; touch mark; echo \"\\\"\"",
    "sh -c 'touch mark'",
    "sh -c \"touch mark\"",
    "sh -c 'true; touch mark' x y",
    "sh -ec -- 'touch mark'",
    "/bin/bash -lc 'touch mark'",
    "bash --norc -o errexit -c 'touch mark'",
    "sh -c \"sh -c 'touch mark'\"",
    "eval touch mark",
    "eval 'touch mark'",
    "eval \"eval 'touch mark'\"",
    "ev''al 'touch' 'mark'",
    "exec touch mark",
    "exec -a x touch mark",
    "exec >out; touch mark",
    "command touch mark",
    "command -p -- touch mark",
    "builtin eval 'touch mark'",
    "time touch mark",
    "time -p touch mark",
    "time { touch mark; }",
    "coproc touch mark",
    "coproc x { touch mark; }",
    "trap 'touch mark' EXIT",
    "env touch mark",
    "env -i A=1 touch mark",
    "env -u HOME -C . -- touch mark",
    "env -S 'touch mark'",
    "env -iS'touch mark'",
    "nohup touch mark",
    "timeout 5 touch mark",
    "timeout -k 1 -s KILL 5 touch mark",
    "timeout --kill-after 1 --signal=KILL 5s touch mark",
    "nice touch mark",
    "nice -n 5 touch mark",
    "nice -5 touch mark",
    "ionice -c 3 touch mark",
    "setsid -w touch mark",
    "stdbuf -o L touch mark",
    "sudo touch mark",
    "sudo -n -u me A=1 touch mark",
    "sudo -u me -- sh -c 'touch mark'",
    "su -c 'touch mark'",
    "su root -c 'touch mark'",
    "flock /tmp/x touch mark",
    "flock /tmp/x -c 'touch mark'",
    "script -qc 'touch mark' /dev/null",
    "watch -n 1 touch mark",
    "busybox touch mark",
    "busybox sh -c 'touch mark'",
    "strace -f touch mark",
    "strace --unknown x touch mark",
    "echo mark | xargs touch",
    "echo mark | xargs -n 1 touch",
    "echo mark | xargs -I{} touch {}",
    "echo mark | xargs sh -c 'touch mark'",
    "xargs -a list touch",
    "echo touch | xargs -I{} {} mark",
    "echo a b touch mark | xargs -n2 env A=1",
    "echo 'touch mark' | xargs -d '\\n' sh -c",
    "printf 'a\ntouch mark\n' | xargs --delimiter='\\n' -n1 -I{} sh -c {}",
    "echo 'touch mark' | xargs --null --max-args=1 bash -c",
    "{ touch mark; } &>out",
    "ls | xargs -0 -P 4 touch",
    "find . -maxdepth 0 -exec touch mark \\;",
    "find . -exec touch {} +",
    "find . -exec true ';' -execdir touch mark ';'",
    "find . -exec sh -c 'touch mark' \\;",
    "find . -exec env -u + touch mark \\;",
    "find . -exec echo {} + -exec touch mark {} +",
    "strace --unknown x -f --other y touch mark",
    "npx -c 'cd . && touch mark'",
    "npx -p x --call='true; touch mark'",
    "npm exec --call 'cd . && touch mark'",
    "npm exec -- touch mark",
    "rustup run stable touch mark",
    "ssh-agent touch mark",
    "ls | entr -r touch mark",
    "hyperfine -w 1 'sleep 1' 'true; touch mark'",
    "git submodule foreach --recursive 'true; touch mark'",
    "git rebase -i -x 'touch mark' HEAD~2",
    "git -C x rebase HEAD~2 --exec 'true && touch mark'",
    "git bisect run touch mark",
    "nohup nice -n 1 env A=1 timeout 5 sudo bash -lc 'exec touch mark'",
    "cd x; if a; then (b | { c && echo \"$(d `touch mark`)\"; }); fi",
];

/// Lines that may run `touch mark`, which only a shell can tell.
const ASKED: &[&str] = &[
    "$X mark",
    "t=touch; $t mark",
    "\"$t\" mark",
    "${t}ch mark",
    "tou$x mark",
    "touch$IFS'mark'",
    "$(echo touch) mark",
    "`echo touch` mark",
    "/bin/tou?h mark",
    "/bin/[t]ouch mark",
    "{touch,mark}",
    "$t$u",
    "set -- touch mark; \"$@\"",
    "f() { \"$@\"; }; f touch mark",
    "f() { $1 mark; }; f touch",
    "for t in touch; do $t mark; done",
    "read x <<E\ntouch mark\nE\n$x",
    "while read l; do $l; done <<< 'touch mark'",
    "env $x mark",
    "env A=$x",
    "timeout $x mark",
    "sudo $x",
    "sh -c \"$X\"",
    "sh -c \"$(cat x)\"",
    "sh -c '\"$@\"' x touch mark",
    "sh -c 'exec \"$0\" \"$@\"' touch mark",
    "eval \"$X\"",
    "eval $(base64 -d <<< dG91Y2ggbWFyaw==)",
    "base64 -d x | sh",
    "curl x | sudo bash",
    "printf '\\164ouch mark' | sh",
    "(echo touch mark) | sh",
    "{ sh; } <<E\ntouch mark\nE",
    "sh <(echo touch mark)",
    "sh < <(echo touch mark)",
    "echo \"$x\" | sh /dev/./stdin",
    "echo \"$x\" | sh //dev/fd/0",
    "echo \"$x\" | bash /proc/self/../self/fd/0",
    "printf 'a\\0b' | xargs -0 sh -c",
    "echo touch,mark | xargs -d, env",
    ". /dev/stdin <<< \"$x\"",
    "ls | xargs -I{} {} mark",
    "ls | xargs -I{} sh -c '{}'",
    "ls | xargs env",
    "find . -exec {} \\;",
    "find . -exec ./{} \\;",
    "ls | xargs -I{} ./{}",
    "parallel ::: \"$x\"",
    "alias t=touch\nt mark",
    "alias t='touch mark'\nt",
    "hash -p /bin/touch t; t mark",
    "x='touch mark'; echo ${x@P}",
    "${ touch mark; }",
    "echo $[1 # ]; touch mark",
    "zsh -c '=touch mark'",
    "zsh -c '{touch mark}'",
    "fish -c 'begin; true; end'",
    "\"$(printf /bin/to)uch\" mark",
    "\"${x:-/bin/to}uch\" mark",
    "A[0 + 1]=x touch mark",
    "x='a[$(touch mark)]'; echo $((x))",
    "echo -e touch mark | sh",
    "echo() { command echo touch mark; }; echo ls | sh",
    "find . $(echo -exec touch mark) \\;",
    "bash --rcfile <(echo touch mark) -i",
    "echo 'unfinished",
];

/// Lines that run nothing of the kind.
const HARMLESS: &[&str] = &[
    "cd . && echo touchy > other",
    "echo touch mark",
    "echo 'touch mark'",
    "echo \"a; touch mark\"",
    "echo a\\; touch mark",
    "echo '$(touch mark)'",
    "echo '`touch mark`' \\$\\(touch mark\\)",
    "printf '%s\\n' 'touch mark' > other",
    "# touch mark",
    "ls # ; touch mark",
    "ls #\\\n# touch mark",
    "grep -r 'touch *' src",
    "grep touch mark | wc -l",
    "rg \"touch mark\" . || true",
    "git commit -m 'touch mark; then push'",
    "git log --grep='touch mark' | head -3",
    "cat <<'E' > notes\ntouch mark\n$(touch mark)\nE",
    "cat <<E > notes\ntouch mark\n\\$(touch mark) \"\nE\nls",
    "cat <<-E\n\ttouch mark\n\tE",
    "cat <<A <<B\ntouch mark\nA\ntouch mark\nB",
    "cat <<< 'touch mark'",
    "echo 'touch mark' | cat",
    "echo ls | sh",
    "sh <<E\nls\nE",
    "sh -c 'ls; echo touch mark'",
    "bash -lc 'cargo test'",
    "sh script.sh touch mark",
    "sh < script.sh",
    "sh < /dev/null; sh ./dev/x.sh; sh ../proc/x.sh",
    ". ./env.sh && make",
    "source venv/bin/activate && python -m pytest -k 'touch mark'",
    "command -v touch mark",
    "which touch && type touch",
    "touchy mark",
    "./touch.sh mark",
    "mytouch mark; touch-all mark",
    "rm touch mark",
    "A='touch mark' ls",
    "export A='touch mark' B=\"$HOME/x\"",
    "x='touch mark'; echo \"$x\"",
    "a=(touch mark); echo ${a[0]}",
    "for i in touch mark; do echo $i; done",
    "case touch in touch) ls;; mark) id;; esac",
    "while read -r line; do echo \"$line\"; done < list",
    "echo $((1 + 2)) $(( (3) * x )) && ls",
    "echo ${x:-touch mark} ${#x} ${x%.*} \"${x/a/b}\"",
    "find . -name 'touch mark' -exec ls {} \\;",
    "find . -name '*.rs' | xargs wc -l",
    "ls | xargs -I{} echo {} touch mark",
    "echo touch mark | xargs -n1 echo",
    "printf 'touch mark' | xargs -0 ls",
    "find . -name '+' -exec ls {} + -o -name touch",
    "npx tsc --noEmit -c 'touch mark'",
    "git submodule foreach 'git status'; git log --grep x -x",
    "ls -x touch mark; git submodule status touch",
    "env A=1 FOO='touch mark' cargo test",
    "timeout 5 cargo test -- touch mark",
    "nice -n 5 make -j 4 2>&1 | tee log",
    "sudo -u me ls touch mark",
    "[ -f mark ] && echo yes",
    "[[ -f mark ]] && echo yes",
    "test -n \"$x\" || exit 1",
    "if [ -z \"$x\" ]; then echo 'touch mark'; fi",
    "cargo test &> log",
    "cargo test > log 2>&1 &",
    "ls {a,b}/*.rs ~/x 'touch mark'",
    "f() { ls; }; f touch mark",
    "(cd x && make) && { ls; id; } >> log",
    "time cargo build",
    "trap 'rm -f x' EXIT; ls",
    "sed -i 's/touch mark/x/' f; awk '{ print $1 }' f",
    "python3 -c 'print(\"touch mark\")'",
    "echo \"it's\"; echo 'say \"touch mark\"'",
    "exit 0",
    "sh --version; bash --help",
];

const RULE: &str = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"touch *\" }]\ngate = \"deny\"";

fn line(rule: &str, line: &str) -> Gate {
    on_args(rule, "shell", &json!({ "command": line }))
}

fn argv(rule: &str, words: &[&str]) -> Gate {
    on_args(rule, "shell", &json!({ "argv": words }))
}

#[test]
fn no_shape_of_a_line_hides_a_command() {
    assert!(DENIED.len() >= 80);
    for shape in DENIED {
        assert_eq!(line(RULE, shape), DENY, "{shape}");
        assert_eq!(line(&RULE.replace("\"deny\"", "\"ask\""), shape), ASK, "{shape}");
        // Also as a program with its words.
        assert_eq!(argv(RULE, &["sh", "-c", shape]), DENY, "{shape}");
        assert_eq!(argv(RULE, &["env", "A=1", "bash", "-lc", shape]), DENY, "{shape}");
    }
}

#[test]
fn a_line_asks_where_only_a_shell_can_tell_what_it_runs() {
    for shape in ASKED {
        assert_eq!(line(RULE, shape), ASK, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), ASK, "{shape}");
        // Where no rule is about commands, it is nobody's question.
        let other = "tool = \"shell\"\nargs = [{ at = \"/cwd\", glob = \"x\" }]\ngate = \"deny\"";
        assert_eq!(line(other, shape), ALLOW, "{shape}");
        let other = RULE.replace("tool = \"shell\"", "tool = \"other\"");
        assert_eq!(line(&other, shape), ALLOW, "{shape}");
    }
    let many = vec!["ls"; 65].join(";");
    assert_eq!(line(RULE, &many), ASK);
    assert_eq!(line(RULE, &many[3..]), ALLOW, "64 commands are read");
    assert_eq!(line(RULE, &format!("touch mark;{many}")), DENY);
    assert_eq!(line(RULE, &format!("{many};touch mark")), DENY);
}

#[test]
fn harmless_lines_run() {
    assert!(HARMLESS.len() >= 40);
    for shape in HARMLESS {
        assert_eq!(line(RULE, shape), ALLOW, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), ALLOW, "{shape}");
    }
    for words in [
        &["echo", "touch mark"][..],
        &["echo", ";", "touch", "mark"],
        &["grep", "$(touch mark)", "x"],
        &["git", "commit", "-m", "touch mark"],
        &["$X", "touch"],
    ] {
        assert_eq!(argv(RULE, words), ALLOW, "{words:?}");
    }
}

#[test]
fn a_program_with_its_words_hides_no_command() {
    for words in [
        &["touch", "mark"][..],
        &["/bin/touch", "mark"],
        &["env", "touch", "mark"],
        &["sh", "-c", "touch mark"],
        &["timeout", "5", "env", "-i", "sh", "-c", "true; touch mark"],
        &["xargs", "touch"],
        &["find", ".", "-exec", "touch", "mark", ";"],
        &["busybox", "touch", "mark"],
        &["env", "-S", "touch mark"],
    ] {
        assert_eq!(argv(RULE, words), DENY, "{words:?}");
        let rule = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"touch\" }]\ngate = \"deny\"";
        assert_eq!(argv(rule, words), DENY, "{words:?}");
    }
    let rule = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"touch\" }]\ngate = \"deny\"";
    for shape in DENIED {
        assert_eq!(line(rule, shape), DENY, "{shape}");
    }
    for shape in HARMLESS {
        assert_eq!(line(rule, shape), ALLOW, "{shape}");
    }
    assert_eq!(line(rule, "$X mark"), ASK);
}

#[test]
fn a_rule_is_held_against_every_form() {
    let deny =
        |test: &str| format!("tool = \"shell\"\nargs = [{{ at = \"/command\", {test} }}]\ngate = \"deny\"");
    for (test, shape) in [
        ("is = \"git push\"", "cd x && env A=1 '/usr/bin/git'   push >out"),
        ("is = \"A=1 git push\"", "true; A=1   git 'push'"),
        ("glob = \"git commit -m 'a b'\"", "true; git  commit -m \"a b\""),
        ("glob = 'git commit -m \"a b\"'", "true;  git commit   -m \"a b\""),
        ("glob = \"git commit -m a b\"", "true; git commit -m 'a b'"),
        (
            "glob = \"echo * > /etc/*\"",
            "true; env echo  x >/etc/passwd | wc",
        ),
        ("glob = \"/usr/bin/git *\"", "env  /usr/bin/git push"),
        ("regex = '^rm\\s+-rf'", "ls; sudo rm  -rf x"),
        ("glob = \"*a && b*\"", "x; a && b"),
        ("glob = \"sh -c *\"", "true; sh -c 'ls'"),
        ("glob = \"env *\"", "true; env ls"),
        ("glob = \"cd *\"", "cd x; ls"),
        ("glob = \"A=*\"", "ls; A=1"),
    ] {
        assert_eq!(line(&deny(test), shape), DENY, "{test} on {shape}");
        assert_eq!(line(&deny(test), "ls -la"), ALLOW, "{test}");
    }
}

#[test]
fn conditions_of_a_rule_hold_for_the_same_command() {
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git *\" }, \
                { at = \"/command\", regex = \"--force\" }]\ngate = \"deny\"";
    assert_eq!(line(rule, "ls; git push --force"), DENY);
    assert_eq!(line(rule, "git push\nls"), ALLOW);
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git push*\" }, \
                { at = \"/command\", regex = \".*--dry-run\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(rule, "git push --dry-run"), ALLOW);
    assert_eq!(line(rule, "env git push --dry-run"), ALLOW);
    assert_eq!(line(rule, "git push; echo --dry-run"), DENY);
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"rm *\" }, { at = \"/cwd\", under = \"x\" }]\n\
                gate = \"deny\"";
    let at = |cwd: &str| on_args(rule, "shell", &json!({"command": "ls; rm y", "cwd": cwd}));
    assert_eq!((at("x"), at("z")), (DENY, ALLOW));
}

#[test]
fn a_negated_rule_is_about_each_command() {
    let only =
        "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\", not = true }]\ngate = \"deny\"";
    for shape in [
        "cargo test",
        "  cargo   test",
        "cd x && cargo test",
        "true; cargo test; :",
        "A=1\ncargo test",
        "A=1 cargo test 2>&1 >log",
        "cargo build && cargo test || cargo clean",
        "(cd x; cargo test)",
        "if cargo test; then cargo run; fi",
        "env A=1 timeout 5 cargo test",
        "sh -c 'cd x; cargo test'",
        "bash -lc 'cargo build && cargo test'",
        "find . -name Cargo.toml -execdir cargo test \\;",
        "cd $(cargo root)",
    ] {
        assert_eq!(line(only, shape), ALLOW, "{shape}");
    }
    for shape in [
        "rm x",
        "cargo test; rm x",
        "cargo test && rm x",
        "cargo test | tee x",
        "cargo test $(rm x)",
        "cargo test \"`rm x`\"",
        "cd $(rm x)",
        "A=$(rm x)",
        "cargo test\nrm x",
        "(cargo test; rm x)",
        "sh -c 'cargo test; rm x'",
        "bash -lc 'rm x'",
        "env rm x",
        "sudo -u cargo rm x",
        "find . -execdir cargo test \\; -exec rm x \\;",
        ": > file",
        "> file",
        "$X",
        "[ -f x ]",
    ] {
        assert_ne!(line(only, shape), ALLOW, "{shape}");
    }
    assert_eq!(argv(only, &["cargo", "test"]), ALLOW);
    assert_eq!(argv(only, &["env", "A=1", "cargo", "test"]), ALLOW);
    assert_eq!(argv(only, &["env", "rm", "x"]), DENY);
    assert_eq!(argv(only, &["sh", "-c", "cargo test; rm x"]), DENY);
    // A wrapper with its command may be what is excepted.
    let sudo = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"sudo cargo *\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(sudo, "sudo cargo test"), ALLOW);
    assert_eq!(line(sudo, "sudo rm x"), DENY);
    // Who spells the line out means all of it.
    let exact =
        "tool = \"shell\"\nargs = [{ at = \"/command\", is = \"a | b\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(exact, "a | b"), ALLOW);
    assert_eq!(line(exact, "a | c"), DENY);
    let words =
        "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"cargo\", not = true }]\ngate = \"deny\"";
    assert_eq!(argv(words, &["cargo", "test"]), ALLOW);
    assert_eq!(argv(words, &["rm", "x"]), DENY);
    assert_eq!(line(words, "cargo test"), DENY, "it has no words");
}

#[test]
fn an_allow_rule_holds_for_a_whole_line_as_written() {
    let allow = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\" }]\ngate = \"allow\"";
    assert_eq!(line(allow, "cargo test --lib"), ALLOW);
    for shape in [
        "cd x && cargo test",
        "env cargo test",
        "  cargo test",
        "cargo test; cargo run",
        "/bin/cargo test",
    ] {
        assert_eq!(line(allow, shape), ASK, "{shape}");
    }
    let all_but =
        "tool = \"shell\"\nargs = [{ at = \"/command\", is = \"rm x\", not = true }]\ngate = \"allow\"";
    assert_eq!(line(all_but, "ls"), ALLOW);
    for shape in ["rm x", "rm  x", "ls; rm x", "sh -c 'rm x'", "$X"] {
        assert_eq!(line(all_but, shape), ASK, "{shape}");
    }
}

#[test]
fn a_line_in_doubt_asks_with_its_reason_and_outranks_an_allow_rule() {
    let text = format!("[[rule]]\n{RULE}\n[[rule]]\ntool = \"shell\"\ngate = \"allow\"");
    let policy = with(Preset::Guarded, &text, Origin::User);
    let args = json!({"command": "$X mark"});
    let subject = Subject {
        args: &args,
        ..call("shell", EffectClass::Unknown)
    };
    let verdict = policy.verdict(&subject);
    assert_eq!(verdict.gate, ASK);
    assert_eq!(
        verdict.reason,
        "a rule is about commands, and a variable, a substitution or a pattern names a program."
    );
    assert!(verdict.rule.starts_with("built in: "), "{}", verdict.rule);
    assert!(policy.verdict_of_parts(&subject, &Moment::default()).alone);
}

/// The verdict on a line, and those on its commands.
fn parts(policy: &Policy, args: &Value) -> (Gate, Vec<Gate>) {
    let subject = Subject {
        args,
        ..call("shell", EffectClass::Unknown)
    };
    let verdict = policy.verdict_of_parts(&subject, &Moment::default());
    assert_eq!(verdict.gate, gate(policy, &subject));
    (verdict.gate, verdict.parts.iter().map(|part| part.gate).collect())
}

#[test]
fn what_is_shown_as_denied_never_runs() {
    let policy = with(Preset::Auto, &format!("[[rule]]\n{RULE}"), Origin::User);
    for shape in DENIED.iter().chain(ASKED).chain(HARMLESS) {
        for args in [
            json!({ "command": shape }),
            json!({"argv": ["env", "sh", "-c", shape]}),
        ] {
            let (whole, parts) = parts(&policy, &args);
            let worst = parts.iter().max().copied().unwrap_or(ALLOW);
            assert!(worst <= whole, "{shape}: {whole:?}, {parts:?}");
        }
    }
    assert_eq!(
        parts(&policy, &json!({"command": "cd . && env touch mark | wc"})),
        (DENY, vec![ALLOW, DENY, ALLOW])
    );
}

proptest! {
    #[test]
    fn a_command_that_is_denied_alone_is_denied_in_any_line(
        parts_of_line in proptest::collection::vec(prop_oneof![
            prop::sample::select(DENIED.to_vec()),
            prop::sample::select(HARMLESS.to_vec()),
            prop::sample::select(ASKED.to_vec()),
        ], 1..5),
        not in any::<bool>(),
    ) {
        let text = parts_of_line.join("\n");
        let rule = if not { RULE.replace("\" }", "\", not = true }") } else { RULE.to_owned() };
        let policy = with(Preset::Auto, &format!("[[rule]]\n{rule}"), Origin::User);
        let (whole, parts) = parts(&policy, &json!({ "command": text }));
        let worst = parts.iter().max().copied().unwrap_or(ALLOW);
        prop_assert!(worst <= whole, "{text}: {whole:?}, {parts:?}");
        let hidden = parts_of_line.iter().any(|part| !HARMLESS.contains(part));
        prop_assert!(!hidden || not || whole != ALLOW, "{text}");
    }
}
