//! What a call of the shell has a shell read: its line, or the lines that a shell named in it is given
//! (`sh -c LINE`), or that are read anew (`eval LINE`, `env -S LINE`), which are lines like any other.
//!
//! It is found by words, and where more than one reading is possible by all of them. Must not know: rules.

use serde_json::Value;

use super::{MOST, Segment, hides, is_plain, segments, spelled};
use crate::shell_words::{By, KEYWORDS, SHELLS, quote, read_again, words};

/// Words behind the name of a shell among which its line is looked for.
const NEAR: usize = 64;
/// Lines in lines that are followed.
const DEEP: u8 = 8;

/// Words of shells that run the command behind them.
const PASS_ON: [&str; 6] = ["builtin", "command", "function", "nocorrect", "noglob", "repeat"];

/// What a call hands over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handed {
    /// All of it as lines: the line itself, or a program and its words, once quoted as a shell would need it, once
    /// as they are.
    pub outer: Vec<String>,
    /// The lines that a shell named in it is given, and those that are read anew.
    pub inner: Vec<String>,
    /// Its commands, in order.
    pub commands: Vec<Command>,
    /// True where not all of it was followed.
    pub cut: bool,
    /// True where a shell reads `outer`, and not only what is in it.
    line: bool,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The sign before it (`&&`, `|`, `;`, `(`; `-c` and `-S` for one of a line in a command), empty for the first.
    pub after: &'static str,
    /// Its words as they stand there.
    pub text: String,
    /// The program that it names; none where that cannot be told.
    pub program: Option<String>,
    /// True where a shell finds more in it than the words that are seen.
    pub more: bool,
}

/// What these arguments hand over.
pub fn handed(args: &Value) -> Handed {
    let mut found = Handed::default();
    if let Some(line) = args.get("command").and_then(Value::as_str) {
        found.line = true;
        found.outer.push(line.to_owned());
        found.take_line(line, "", 0);
    }
    let words = args.get("argv").and_then(Value::as_array);
    let words: Option<Vec<String>> = words.and_then(|words| {
        let texts = words.iter().map(|word| word.as_str().map(str::to_owned));
        texts.collect()
    });
    if let Some(words) = words {
        let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
        let quoted = quoted.join(" ");
        let bare = words.join(" ");
        found.take_words(
            &words,
            Command {
                after: "",
                text: quoted.clone(),
                program: words.first().filter(|word| spelled(word)).cloned(),
                more: false,
            },
            0,
        );
        if bare != quoted {
            found.outer.push(bare);
        }
        found.outer.push(quoted);
    }
    found
}

impl Handed {
    /// True where every line that a shell reads is one plain command.
    pub fn is_plain(&self) -> bool {
        !self.cut && self.read().all(is_plain)
    }

    /// True where what runs does not stand in it.
    pub fn hides(&self) -> bool {
        let any = self.read().next().is_some();
        self.cut
            || (any && self.commands.iter().any(|one| one.program.is_none()))
            || self.read().any(|line| hides(line, &[]))
    }

    fn read(&self) -> impl Iterator<Item = &str> {
        let outer = self.outer.iter().filter(|_| self.line);
        outer.chain(&self.inner).map(String::as_str)
    }

    fn take_line(&mut self, line: &str, after: &'static str, deep: u8) {
        for (at, segment) in segments(line).into_iter().enumerate() {
            let Segment {
                bytes, program, more, ..
            } = segment;
            let text = line.get(bytes).unwrap_or_default();
            let command = Command {
                after: if at == 0 { after } else { segment.after },
                text: text.to_owned(),
                program,
                more,
            };
            self.take_words(&words(text), command, deep);
        }
    }

    /// A command of these words, and the lines in it. One that is nothing but a shell with its line is told as that.
    fn take_words(&mut self, words: &[String], command: Command, deep: u8) {
        let mut lines: Vec<Line> = Vec::new();
        for (at, _) in words.iter().enumerate().filter(|(_, word)| is_shell(word)) {
            if self.is_full(lines.len(), deep) {
                break;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            match script(rest) {
                Script::Line(place) => lines.extend(rest.get(place).map(|line| Line {
                    sign: "-c",
                    text: line.clone(),
                    whole: at + place + 2 == words.len() && words.first().is_some_and(|word| is_shell(word)),
                })),
                Script::None => {}
                Script::Far => self.cut = true,
            }
        }
        let (again, far) = read_again(words);
        self.cut |= far;
        for one in again {
            if one.by == By::Eval && !may_eval(words, one.at, command.program.as_deref()) {
                continue;
            }
            if self.is_full(lines.len(), deep) {
                break;
            }
            lines.push(Line {
                sign: if one.by == By::Env { "-S" } else { "-c" },
                text: one.line,
                whole: one.by == By::Eval && one.at == 0,
            });
        }
        let all = matches!(lines.as_slice(), [line] if line.whole);
        let outer = command.after;
        if !all {
            self.push(command);
        }
        for line in lines {
            self.inner.push(line.text.clone());
            self.take_line(&line.text, if all { outer } else { line.sign }, deep + 1);
        }
    }

    /// True where no further line is followed, which is noted.
    fn is_full(&mut self, found: usize, deep: u8) -> bool {
        let full = self.inner.len() + found >= MOST || deep >= DEEP;
        self.cut |= full;
        full
    }

    fn push(&mut self, command: Command) {
        if self.commands.len() < MOST {
            self.commands.push(command);
        } else {
            self.cut = true;
        }
    }
}

/// A line in a command.
struct Line {
    sign: &'static str,
    text: String,
    /// True where the command is nothing but what reads it.
    whole: bool,
}

/// True where the word there may be the `eval` of a shell: it is what the command runs, or it stands behind words that
/// leave that open.
fn may_eval(words: &[String], at: usize, program: Option<&str>) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    at == 0
        || before.is_some_and(|word| KEYWORDS.contains(&word.as_str()))
        || program.is_none_or(|name| name == "eval" || name.starts_with('-') || PASS_ON.contains(&name))
}

/// Where the line of a shell stands among the words behind its name.
enum Script {
    Line(usize),
    None,
    /// Not among those that are looked at.
    Far,
}

fn script(words: &[String]) -> Script {
    let (mut at, mut line) = (0, false);
    while let Some(word) = words.get(at).filter(|_| at < NEAR) {
        at += 1;
        if word == "-" || word == "--" {
            return if line { Script::Line(at) } else { Script::None };
        }
        match word.strip_prefix(['-', '+']) {
            Some("-rcfile" | "-init-file") => at += 1,
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                line |= letters.contains('c');
                // Each of these takes a word of its own.
                at += letters.matches(['o', 'O']).count();
            }
            None if line => return Script::Line(at - 1),
            None => return Script::None,
        }
    }
    if at < NEAR { Script::None } else { Script::Far }
}

fn is_shell(word: &str) -> bool {
    SHELLS.contains(&word.rsplit('/').next().unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(args: &Value) -> Vec<(&'static str, String)> {
        let commands = handed(args).commands.into_iter();
        commands.map(|one| (one.after, one.text)).collect()
    }

    fn said(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        list.iter()
            .map(|(after, text)| (*after, (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_program_and_its_words_are_one_line_with_quotation_marks() {
        let found = handed(&json!({"argv": ["git", "commit", "-m", "it's; a b", ""]}));
        assert_eq!(
            found.outer,
            ["git commit -m it's; a b ", "git commit -m 'it'\\''s; a b' ''"]
        );
        assert_eq!(found.inner, [""; 0]);
        assert!(found.is_plain() && !found.hides(), "no shell reads it");
        assert_eq!(handed(&json!({"argv": ["git", "push"]})).outer, ["git push"]);
        for odd in [
            json!({}),
            json!({"argv": []}),
            json!({"argv": ["a", 1]}),
            json!({"command": 1}),
        ] {
            let found = handed(&odd);
            assert!(found.inner.is_empty() && found.commands.len() < 2, "{odd}");
        }
    }

    #[test]
    fn the_line_of_a_shell_is_told_as_the_line_that_it_is() {
        let two = said(&[("", "a"), (";", "curl x"), ("|", "sh")]);
        for words in [
            &["sh", "-c"][..],
            &["/bin/bash", "-lc"],
            &["dash", "-e", "-c"],
            &["bash", "-ec", "--"],
            &["zsh", "-o", "pipefail", "-c"],
            &["bash", "-co", "pipefail"],
            &["bash", "--rcfile", "x", "--login", "-c"],
            &["ash", "-c", "-x"],
        ] {
            let mut words = words.to_vec();
            words.push("a; curl x|sh");
            let args = json!({ "argv": words });
            assert_eq!(texts(&args), two, "{words:?}");
            assert!(!handed(&args).is_plain(), "{words:?}");
        }
        assert_eq!(texts(&json!({"command": "sh -c 'a; curl x|sh'"})), two);
        assert_eq!(
            texts(&json!({"command": "s\\h -\"c\" \"sh -c 'a; curl x|sh'\""})),
            two
        );
    }

    #[test]
    fn what_stands_around_the_line_is_told_too() {
        assert_eq!(
            texts(&json!({"argv": ["env", "A=x y", "sh", "-c", "a; b"]})),
            said(&[("", "env 'A=x y' sh -c 'a; b'"), ("-c", "a"), (";", "b")])
        );
        assert_eq!(
            texts(&json!({"command": "cd x && A=1 timeout 5 sh -c 'a; b'; c"})),
            said(&[
                ("", "cd x"),
                ("&&", "A=1 timeout 5 sh -c 'a; b'"),
                ("-c", "a"),
                (";", "b"),
                (";", "c")
            ])
        );
        assert_eq!(
            texts(&json!({"argv": ["sh", "-c", "a \"$1\"", "x", "y"]})),
            said(&[("", "sh -c 'a \"$1\"' x y"), ("-c", "a \"$1\"")])
        );
        for none in [
            json!({"argv": ["sh", "x.sh", "-c", "a; b"]}),
            json!({"argv": ["sh", "-s", "-", "a; b"]}),
            json!({"argv": ["rg", "a; b"]}),
            json!({"argv": ["sh", "-c"]}),
        ] {
            assert_eq!(handed(&none).inner, [""; 0], "{none}");
        }
    }

    #[test]
    fn what_is_read_anew_is_told_as_the_line_that_it_is() {
        let two = said(&[("", "a"), (";", "curl x"), ("|", "sh")]);
        for line in [
            "eval 'a; curl x|sh'",
            "e''val -- \"a; curl x\"'|sh'",
            "\\eval a\\; curl 'x|sh'",
        ] {
            let words: Vec<String> = texts(&json!({ "command": line }))
                .into_iter()
                .map(|one| one.1)
                .collect();
            assert_eq!(words.len(), 3, "{line}: {words:?}");
            assert!(!handed(&json!({ "command": line })).is_plain(), "{line}");
        }
        assert_eq!(texts(&json!({"command": "eval 'a; curl x|sh'"})), two);
        assert_eq!(
            texts(&json!({"command": ">o command eval 'a; b'; env -S 'rm -rf x' y"})),
            said(&[
                ("", ">o command eval 'a; b'"),
                ("-c", "a"),
                (";", "b"),
                (";", "env -S 'rm -rf x' y"),
                ("-S", "rm -rf x y")
            ])
        );
        assert_eq!(
            texts(&json!({"argv": ["env", "-iS", "-S 'sh -c \"a; b\"'"]}))
                .last()
                .unwrap(),
            &(";", "b".to_owned())
        );
        for hidden in [
            json!({"command": "eval \"$X\""}),
            json!({"command": "eval 'a \"$X\"'"}),
            json!({"argv": ["env", "-S", "rm\\_-rf ${HOME}"]}),
            json!({"command": "eval *.sh"}),
        ] {
            assert!(handed(&hidden).hides(), "{hidden}");
        }
        // A word that is only called so.
        for plain in [
            "rg eval src",
            "cargo test eval -- x",
            "sort -S 50M x",
            "env A=1 make -S x",
        ] {
            let found = handed(&json!({ "command": plain }));
            assert_eq!((found.commands.len(), found.inner.len()), (1, 0), "{plain}");
        }
        let deep = format!("{}a; b", "eval ".repeat(20));
        assert!(handed(&json!({ "command": deep })).cut);
    }

    #[test]
    fn only_what_a_shell_reads_can_hide_something() {
        let of = |args: Value| handed(&args);
        assert!(of(json!({"argv": ["sh", "-c", "$X a"]})).hides());
        assert!(of(json!({"argv": ["sh", "-c", "$X a"]})).commands.len() == 1);
        assert!(!of(json!({"argv": ["grep", "$(x)", "a"]})).hides());
        assert!(!of(json!({"argv": ["my prog", "a"]})).hides());
        assert!(!of(json!({"argv": ["sh", "-c", "cp a b; git add b"]})).hides());
    }

    #[test]
    fn what_is_too_much_to_follow_counts_as_hidden() {
        let many: Vec<&str> = ["sh", "-c", "a"].into_iter().cycle().take(3 * 500_000).collect();
        let found = handed(&json!({ "argv": many }));
        assert!(found.cut && found.hides() && !found.is_plain());
        assert!(found.inner.len() <= MOST && found.commands.len() <= MOST);
        let mut far = vec!["sh"; 1];
        far.extend(["-e"; NEAR + 1]);
        far.extend(["-c", "a; b"]);
        assert!(handed(&json!({ "argv": far })).cut);
        let mut line = "a; b".to_owned();
        for _ in 0..12 {
            line = format!("sh -c {}", quote(&line));
        }
        assert!(handed(&json!({ "command": line })).cut);
    }
}
