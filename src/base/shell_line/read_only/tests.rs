//! Lines that only read, and their neighbours that may do more.
//!
//! Must not know: rules.

use super::git_table::{self, GIT_COMMITS, GIT_DIFF};
use super::table::{self, Operands, Row};
use super::{IDLE, ReadOnlyCommand, read_only};
use crate::shell_line::Reading;

fn read(line: &str) -> Option<Vec<ReadOnlyCommand>> {
    read_only(&Reading::of_line(line))
}

fn places(line: &str) -> Vec<String> {
    let commands = read(line).unwrap_or_else(|| panic!("{line}"));
    let places = commands.iter().flat_map(|one| &one.places);
    places.map(|place| place.path.clone()).collect()
}

/// A command of a row with these options.
fn with(row: &Row, name: &str, options: &str) -> String {
    let name = name.replace('/', " ");
    let operands = match row.operands {
        Operands::None => "",
        Operands::Format => " +%F",
        Operands::Text | Operands::Places | Operands::Place | Operands::Tree => " a",
        Operands::TextThenPlaces | Operands::TextThenTree => " a b",
    };
    let reads = if IDLE.contains(&name.as_str()) { "ls; " } else { "" };
    format!("{reads}{name} {options}{operands}")
}

#[test]
fn each_option_of_each_row_reads_and_no_other_one_does() {
    let mut tried = 0;
    for row in table::ROWS.iter().chain(git_table::ROWS) {
        assert!(!row.source.is_empty(), "{}", row.programs);
        for name in row.programs.split(' ').filter(|name| !["echo"].contains(name)) {
            for flag in row.flags.chars() {
                let flag = if flag == '#' { '7' } else { flag };
                assert!(
                    read(&with(row, name, &format!("-{flag}"))).is_some(),
                    "{name} -{flag}"
                );
            }
            for flag in row.valued.chars() {
                assert!(
                    read(&with(row, name, &format!("-{flag} 1"))).is_some(),
                    "{name} -{flag}"
                );
                assert!(
                    read(&with(row, name, &format!("-{flag}1"))).is_some(),
                    "{name} -{flag}1"
                );
            }
            let long = row
                .long
                .replace("@diff", GIT_DIFF)
                .replace("@commits", GIT_COMMITS);
            for option in long.split_whitespace() {
                let value = if option.ends_with('=') { "1" } else { "" };
                assert!(
                    read(&with(row, name, &format!("--{option}{value}"))).is_some(),
                    "{name} --{option}"
                );
            }
            for other in ('a'..='z').chain('A'..='Z') {
                if !row.flags.contains(other) && !row.valued.contains(other) {
                    tried += 1;
                    assert_eq!(
                        read(&with(row, name, &format!("-{other}"))),
                        None,
                        "{name} -{other}"
                    );
                }
            }
            assert_eq!(read(&with(row, name, "--output=x")), None, "{name}");
            assert_eq!(read(&with(row, name, "--unknown")), None, "{name}");
        }
    }
    assert!(tried > 1_500, "{tried}");
}

/// Lines of agents that only read.
const READS: &[&str] = &[
    "ls -la && git log | head",
    "ls",
    "pwd && ls -la",
    "cat src/main.rs",
    "cat src/main.rs | head -50",
    "cat a b 2>/dev/null | wc -l",
    "head -n 20 a; tail -n +5 b",
    "sed -n '1,200p' src/lib.rs",
    "sed -n '/fn main/,/^}/p' src/main.rs",
    "nl -ba src/lib.rs | sed -n '10,20p'",
    "rg -n \"fn main\" src",
    "rg --files | head -100",
    "rg -n 'a|b' -g '*.rs'",
    "grep -rn 'TODO' src --include='*.rs'",
    "grep -rn \"def \" --include=*.py . | head -20",
    "grep -rn TODO --include=*.{py,js} --exclude=test_?.py src",
    "rg --glob=*.rs TODO src",
    "grep -c x a || true",
    "find . -name '*.rs' -type f | head -20",
    "find src tests -maxdepth 2 -not -path '*/target/*'",
    "find . \\( -name a -o -name b \\) -print",
    "git status --short",
    "git status -uno && git diff --stat",
    "git --no-pager log --oneline -10",
    "git log -n 5 --format='%h %s'",
    "git diff HEAD~1 -- src/a.rs",
    "git show HEAD:src/a.rs | head -20",
    "git branch --show-current",
    "git branch --list",
    "git ls-files | wc -l",
    "git blame -L 1,20 src/a.rs",
    "git grep -n main",
    "git rev-parse --show-toplevel",
    "cd src && ls",
    "cd src; cat lib.rs",
    "echo hi; ls",
    "echo --- && ls",
    "wc -l src/*.rs",
    "ls src/*.rs | sort | uniq -c | sort -rn",
    "jq '.scripts' package.json",
    "jq -r .name package.json",
    "diff -u a b",
    "stat a && file b",
    "which cargo",
    "du -sh src | sort -h",
    "tree -L 2",
    "cat < /dev/null",
    "ls >/dev/null 2>&1",
    "/bin/ls -l",
    "/usr/bin/git status",
    "bash -lc 'ls -la'",
    "cat a &> /dev/null",
    "(cd src && ls)",
    "if true; then cat a; fi",
    "tr -d x | cut -d, -f1",
    "date -u +%F",
    "cat -- -n",
    "printf '%s\\n' a && cat a",
];

/// Lines that may do more, or for which that is not known.
const MORE: &[&str] = &[
    "",
    "rm a",
    "ls; rm a",
    "ls && touch a",
    "ls > a",
    "ls >> a",
    "cat < a",
    "cat <<E\na\nE",
    "cat <<< a",
    "ls 2> a",
    "ls &> a",
    "ls > /dev/sda",
    "ls > $X",
    "cat $X",
    "cat \"$X\"",
    "echo $HOME",
    "echo $(rm a)",
    "cat $(ls)",
    "$X a",
    "cat ~/a",
    "cat ~",
    "A=1 ls",
    "LD_PRELOAD=x ls",
    "export PATH=x; ls",
    "alias ls=rm; ls",
    "ls() { rm a; }; ls",
    "env ls",
    "time ls",
    "timeout 5 ls",
    "sudo ls",
    "command ls",
    "./ls",
    "bin/ls",
    "/tmp/ls",
    "cat *",
    "ls [a-z]*",
    "cat src/*/a",
    "cat {a,-o}",
    "cat src/{a,b}",
    "grep x --incl*=a .",
    "grep x --*=a .",
    "grep x --include=*(e:'touch b':) .",
    "grep x --include=!(a) .",
    "grep x --file=* a",
    "rg --pre=* x a",
    "sort --output=* a",
    "find . -delete",
    "find . -name x -exec cat {} +",
    "find . -execdir ls {} \\;",
    "find . -ok ls {} \\;",
    "find . -fprint a",
    "find . -fprintf a %p",
    "find . -fls a",
    "find -L . -name a",
    "find . -follow",
    "find . -name *",
    "find . -files0-from a",
    "find . -newer a",
    "sed -i 's/a/b/' a",
    "sed -ni p a",
    "sed 's/a/b/w c' a",
    "sed 's/a/b/e' a",
    "sed -n '1e ls' a",
    "sed 'w b' a",
    "sed 'r b' a",
    "sed -n '1,2p;w b' a",
    "sed -f a b",
    "sed --in-place s/a/b/ a",
    "sed '1i\\x' a",
    "sed 's/[/]/w b/p' a",
    "sed",
    "awk '{print}' a",
    "sort -o a b",
    "sort --output=a b",
    "sort --compress-program=x a",
    "sort -T /tmp a",
    "sort --files0-from=a",
    "uniq a b",
    "xxd a b",
    "xxd -r a",
    "tree -o a",
    "tree -l",
    "ls -L a",
    "grep -R a .",
    "grep -f a b",
    "rg --pre x a",
    "rg -L a",
    "rg -z a",
    "rg -f a",
    "tail -f a",
    "tail --follow a",
    "wc --files0-from=a",
    "diff --from-file=a b",
    "file -C",
    "file -m a b",
    "jq -f a b",
    "jq --slurpfile x y .",
    "jq -n env",
    "jq -n '$ENV.HOME'",
    "jq 'import \"a\" as a; .' b",
    "date -s x",
    "date 010101",
    "date -r a",
    "printf -v a b",
    "which -x a",
    "git",
    "git push",
    "git commit -m a",
    "git -c core.pager=x log",
    "git -C a status",
    "git --git-dir=a log",
    "git --exec-path=a log",
    "git log --output=a",
    "git log -p --ext-diff",
    "git log --textconv -p",
    "git log --show-signature",
    "git log --format=%G?",
    "git show --pretty='%GS'",
    "git diff --no-index a b",
    "git diff -O a",
    "git grep -O a",
    "git grep --no-index a",
    "git grep -f a",
    "git branch a",
    "git branch -d a",
    "git branch -D a",
    "git branch --format='%(signature)'",
    "git tag a",
    "git tag -d a",
    "git tag -v a",
    "git remote add a b",
    "git remote show origin",
    "git remote update",
    "git reflog expire --all",
    "git stash",
    "git stash list",
    "git config -l",
    "git cat-file --textconv a",
    "git cat-file --filters a",
    "git rev-parse --parseopt",
    "git checkout a",
    "git worktree list",
    "git fetch",
    "cd",
    "cd -",
    "cd a b",
    "cd src*",
    "pushd a",
    "less a",
    "xargs cat",
    "ls | xargs rm",
    "ls | sh",
    "ls | tee a",
    "python3 a.py",
    "npm test",
    "test -f a",
    "[ -f a ]",
    "[[ -f a ]]",
    "for f in a b; do cat $f; done",
    "cat <(ls)",
    "eval ls",
    "source a",
    ". a",
    "exec ls",
    "dd if=a",
    "curl h",
    "echo 'a",
    "ls \\\n > a",
    "sh -c 'rm a'",
    "sh a",
    "bash -ic ls",
    "zsh -c 'ls' > a",
    "A=1 bash -c ls",
];

#[test]
fn lines_that_only_read_are_told_from_their_neighbours() {
    for line in READS {
        assert!(read(line).is_some(), "{line}: {:?}", Reading::of_line(line));
    }
    for line in MORE {
        assert_eq!(read(line), None, "{line}");
    }
    // A line of both does more.
    for (reads, more) in READS.iter().zip(MORE.iter().skip(1).cycle()) {
        assert_eq!(read(&format!("{reads}\n{more}")), None, "{reads}, {more}");
    }
}

#[test]
fn a_line_that_reads_nothing_is_none_that_reads() {
    for line in [
        "echo hello",
        "true",
        "printf a; echo b",
        "cd src",
        "cd src && echo a",
        "sh -c 'echo a'",
    ] {
        assert_eq!(read(line), None, "{line}");
        assert!(read(&format!("{line}; ls")).is_some(), "{line}");
    }
}

#[test]
fn a_program_with_its_words_reads_as_well() {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read_only(&Reading::of_words(&words))
    };
    assert!(words(&["ls", "*"]).is_some(), "no shell expands it");
    assert!(words(&["bash", "-lc", "cat a | wc -l"]).is_some());
    assert!(words(&["git", "log", "-3"]).is_some());
    assert_eq!(words(&["bash", "-lc", "rm a"]), None);
    assert_eq!(words(&["bash", "-lc", "ls", "rm"]), None);
    assert_eq!(words(&["rm", "a"]), None);
}

#[test]
fn the_places_of_a_line_are_named() {
    for (line, expected) in [
        ("cat a b/c", &["a", "b/c"][..]),
        ("cat - /dev/null", &[]),
        ("ls", &["."]),
        ("ls -la src", &["src"]),
        ("grep x a", &["a"]),
        ("grep -e x a", &["a"]),
        ("grep x", &[]),
        ("grep -r x", &["."]),
        ("rg x", &["."]),
        ("rg x src", &["src"]),
        ("rg --files src", &["src"]),
        ("head -n 3 /etc/passwd", &["/etc/passwd"]),
        ("head -n3 ../a", &["../a"]),
        ("find", &["."]),
        ("find a b -name c", &["a", "b"]),
        ("sed -n 1p a", &["a"]),
        ("git log", &[".", "."]),
        ("git diff a", &["a", "."]),
        ("git branch", &["."]),
        ("jq . a", &["a"]),
        ("cd a && ls", &["a", "."]),
        ("diff -r a b", &["a", "b"]),
        ("wc -l src/*.rs", &["src/*.rs"]),
        ("cat -- -n", &["-n"]),
        ("cat a -n", &["a"]),
        ("sort -k 2 a", &["a"]),
        ("du -d 1", &["."]),
    ] {
        assert_eq!(places(line), expected, "{line}");
    }
    let walks = |line: &str| read(line).is_some_and(|commands| commands.iter().any(|one| one.walks));
    for line in [
        "ls -R",
        "grep -rn x a",
        "grep --recursive x",
        "rg x",
        "find a",
        "tree",
        "du",
        "git status",
        "diff -r a b",
    ] {
        assert!(walks(line), "{line}");
    }
    for line in ["ls", "cat a", "grep x a", "diff a b", "sort -r a"] {
        assert!(!walks(line), "{line}");
    }
    let pattern = read("ls src/*.rs").unwrap();
    assert!(pattern[0].places[0].is_pattern);
    assert!(read("cd a; ls").unwrap()[0].enters);
}
