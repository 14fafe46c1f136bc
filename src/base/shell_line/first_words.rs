//! Finds how many of its first words tell what a command runs, for a rule about commands that begin alike.
//!
//! Must not know: rules, who chooses the words.
//!
//! Two words for most programs (`pytest -q`). A program that runs what its arguments name needs all words up to that name
//! (`python3 -m unittest`, `npm run build`, `uv run pytest -q`). Where an option before the name is not known, or holds
//! code, no number of words is enough.

mod table;

use table::{ROWS, Row};

use super::command::Command;
use super::reading::Reading;
use super::word::is_name;

/// Options that take code in most programs: a rule never ends in one.
const CODE: [&str; 6] = ["-c", "-e", "-E", "--eval", "--exec", "--command"];
/// Words of a command that are looked at.
pub const MOST_WORDS: usize = 16;

/// Returns the smallest number of first words that tell what a command with these words runs; none if no number does.
pub fn fewest_words(words: &[String]) -> Option<usize> {
    let words = words.get(..words.len().min(MOST_WORDS))?;
    let reading = Reading::of_words(words);
    let (outer, parts) = reading.commands.split_first()?;
    if reading.uncertainty.is_some() || outer.sets.iter().any(|word| !word.text.is_empty()) {
        return None;
    }
    let named = if parts.is_empty() {
        of_program(words)?
    } else {
        // A wrapper: its words, and enough of what it runs. Every reading of its options counts.
        let of_part = |part: &Command| {
            let is_inside = part.is_started() && !part.is_beside();
            let inner: Vec<String> = part.words.iter().map(|word| word.text.clone()).collect();
            let before = words.len().checked_sub(inner.len())?;
            let is_its = is_inside && words.get(before..) == Some(inner.as_slice());
            Some(before + of_program(&inner).filter(|_| is_its)?)
        };
        let all: Option<Vec<usize>> = parts.iter().map(of_part).collect();
        all?.into_iter().max()?
    };
    let mut fewest = named.max(2);
    while fewest > 0
        && words
            .get(fewest - 1)
            .is_some_and(|last| CODE.contains(&last.as_str()))
    {
        fewest += 1;
    }
    (fewest <= words.len()).then_some(fewest)
}

/// Returns true if these first words tell what a command runs. A rule that allows never ends in an option that takes code.
pub fn tell_what_runs(words: &[String]) -> bool {
    let ends_in_code = words.last().is_some_and(|last| CODE.contains(&last.as_str()));
    !ends_in_code && words.len() <= MOST_WORDS && fewest_words(words).is_some()
}

/// The number of words up to the one that names what the program runs; none if that is not known.
fn of_program(words: &[String]) -> Option<usize> {
    let (program, rest) = words.split_first()?;
    if is_assignment(program) {
        return None;
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut rows = ROWS.iter().filter(|row| row.is_of(name) || row.is_of(program));
    let Some(row) = rows.next() else {
        return Some(1);
    };
    let mut at = 0;
    let mut needed = 1;
    while let Some(word) = rest.get(at) {
        at += 1;
        match row.reads(word) {
            Reads::Name if lists(row.then, word) => needed += 1,
            Reads::Name => {}
            Reads::Flag => continue,
            Reads::Value => {
                at += 1;
                continue;
            }
            Reads::Named { is_next } => return Some(1 + at + usize::from(is_next)),
            Reads::Code => return None,
        }
        needed -= 1;
        if needed == 0 {
            return Some(1 + at);
        }
    }
    None
}

/// What a word is to a program.
enum Reads {
    /// It names what runs, or a subcommand.
    Name,
    /// An option without a value, or with one in the same word.
    Flag,
    /// An option; the next word is its value.
    Value,
    /// An option whose value names what runs.
    Named { is_next: bool },
    /// An option with code, or one that is not known.
    Code,
}

impl Row {
    fn is_of(&self, name: &str) -> bool {
        self.programs.split(' ').any(|one| match one.strip_suffix('*') {
            Some(stem) => name
                .strip_prefix(stem)
                .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')),
            None => one == name,
        })
    }

    fn reads(&self, word: &str) -> Reads {
        if word.starts_with('+') {
            return if lists(self.flags, "+") {
                Reads::Flag
            } else {
                Reads::Name
            };
        }
        let Some(option) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            return Reads::Name;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (name, value) = match option.split_once('=') {
            Some((name, _)) => (name, true),
            None => (option, false),
        };
        if lists(self.code, name) {
            return Reads::Code;
        }
        if lists(self.names, name) {
            return Reads::Named { is_next: !value };
        }
        if lists(self.flags, name) {
            return Reads::Flag;
        }
        if lists(self.values, name) {
            return if value { Reads::Flag } else { Reads::Value };
        }
        // `-munittest`, `-j4`: the value of a short option in the same word.
        let first = option.chars().next().map(String::from).unwrap_or_default();
        let is_short = !word.starts_with("--");
        if is_short && lists(self.names, &first) {
            return Reads::Named { is_next: false };
        }
        if is_short && lists(self.values, &first) {
            return Reads::Flag;
        }
        Reads::Code
    }
}

/// True for a word of a list with blanks between the words.
fn lists(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|one| one == word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

impl Command {
    /// True if it is written with these first words: no assignment, no wrapper and no path before them, and nothing in
    /// them that a shell expands.
    pub fn begins_with(&self, words: &[String]) -> bool {
        let begins = self.words.len() >= words.len();
        let is_same =
            |(mine, wanted): (&super::Word, &String)| mine.text == *wanted && mine.is_sure() && !mine.home;
        !words.is_empty()
            && begins
            && self.sets.is_empty()
            && self.listed
            && !self.is_started()
            && self.words.iter().zip(words).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fewest(line: &str) -> Option<usize> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        fewest_words(&words)
    }

    #[test]
    fn two_words_tell_what_most_programs_do() {
        for line in ["pytest -q tests", "ls -la", "tsc --noEmit -p .", "gofmt -l ."] {
            assert_eq!(fewest(line), Some(2), "{line}");
        }
        for line in ["pytest", "make", ""] {
            assert_eq!(fewest(line), None, "{line}: one word is a whole program");
        }
    }

    #[test]
    fn a_program_that_runs_what_its_arguments_name_needs_that_name() {
        for (line, words) in [
            ("python3 -m unittest discover", 3),
            ("python3 -munittest discover", 2),
            ("python3.12 -u -W error -m pytest -q", 6),
            ("python3 manage.py test", 2),
            ("node --test tests/a.js", 3),
            ("npm test", 2),
            ("npm run build", 3),
            ("npm --silent run lint", 4),
            ("pnpm --filter web run test", 5),
            ("yarn workspace web test", 3),
            ("make -j4 test", 3),
            ("make -C sub test", 4),
            ("cargo test --workspace", 2),
            ("cargo +nightly test", 3),
            ("cargo xtask ci", 3),
            ("go test ./...", 2),
            ("go run ./cmd/tool serve", 3),
            ("git commit -m x", 2),
            ("git -C sub commit", 4),
            ("git stash pop", 3),
            ("git --no-pager log", 3),
            ("docker compose up -d", 3),
            ("kubectl get pods", 3),
            ("bash script.sh", 2),
            ("./gradlew test", 2),
        ] {
            assert_eq!(fewest(line), Some(words), "{line}");
        }
    }

    #[test]
    fn a_wrapper_needs_what_it_runs() {
        for (line, words) in [
            ("uv run pytest -q", 3),
            ("uv run python -m pytest", 5),
            ("poetry run mypy src", 3),
            ("bundle exec rspec spec", 3),
            ("timeout 60 cargo test", 4),
            ("timeout 60 make test", 4),
        ] {
            assert_eq!(fewest(line), Some(words), "{line}");
        }
        assert_eq!(fewest("timeout 60 make"), None);
        assert_eq!(fewest("uv run python -c x"), None);
    }

    #[test]
    fn code_and_unknown_options_leave_no_rule() {
        for line in [
            "python3 -c print(1)",
            "python3 --unknown x.py",
            "python3",
            "node -e 1",
            "node -r ./x.js tests.js",
            "node --import=./x.js tests.js",
            "ruby -e 1",
            "perl -ne 1 file",
            "php -r 1",
            "bash -c ls",
            "npm run",
            "npx -c ls",
            "make --eval=x test",
            "cargo --config x test",
            "git -c alias.x=!ls x",
            "docker run --privileged alpine",
            "FOO=1 make test",
            "env FOO=1 python3 -c 1",
        ] {
            assert_eq!(fewest(line), None, "{line}");
        }
        assert_eq!(
            fewest("psql -c SELECT"),
            Some(3),
            "never at the option that takes code"
        );
        assert_eq!(fewest("psql -c"), None);
        let tell = |line: &str| tell_what_runs(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(tell("psql -d x") && !tell("psql -d x -c") && !tell("psql"));
    }

    #[test]
    fn every_row_has_a_source_and_no_option_twice() {
        for row in ROWS {
            assert!(!row.source.is_empty() && !row.programs.is_empty(), "{row:?}");
            for name in row.code.split(' ').filter(|one| !one.is_empty()) {
                for other in [row.flags, row.values, row.names] {
                    assert!(!lists(other, name), "{}: {name}", row.programs);
                }
            }
        }
    }

    #[test]
    fn a_command_begins_with_words_as_written() {
        let words: Vec<String> = ["python3", "-m", "unittest"].map(str::to_owned).to_vec();
        let begins = |line: &str| {
            let reading = Reading::of_line(line);
            reading.commands.iter().any(|one| one.begins_with(&words))
        };
        for line in [
            "python3 -m unittest",
            "python3  -m 'unittest' -v",
            "python3 -m unittest $X",
        ] {
            assert!(begins(line), "{line}");
        }
        for line in [
            "A=1 python3 -m unittest",
            "env python3 -m unittest",
            "sudo python3 -m unittest",
            "/tmp/python3 -m unittest",
            "./python3 -m unittest",
            "python3 -m $X",
            "python3 -m unittes?",
            "python3 -m",
            "python3 -m unittesting",
            "echo python3 -m unittest",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
