//! Tests commands in options, variables and code: each row of the tables, and odd spellings.
//!
//! Must not know: rules.

mod beside;

use super::super::code_marks::READERS;
use super::super::option_table::{Holds, rows};
use super::super::options::lists;
use super::super::{Reading, Uncertainty};

/// Whether `rm x` is read in the line, or the line is known to hide commands with that text.
fn finds(line: &str) -> bool {
    runs(line) || hides(line)
}

/// Whether `rm x` is read in the line as a command of its own.
fn runs(line: &str) -> bool {
    let reading = Reading::of_line(line);
    reading.commands.iter().any(|one| {
        let words: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ").contains("rm x") && one.is_beside() || words == ["rm", "x"]
    })
}

/// Whether the line is known to hide commands with the text `rm x`.
fn hides(line: &str) -> bool {
    let reading = Reading::of_line(line);
    let mut texts = reading.commands.iter().filter_map(|one| one.hidden.as_ref());
    texts.any(|text| text.contains("rm x"))
}

/// The spellings of an option of a row with a value: each shape, and each prefix of a long option that is no other one.
fn spellings(option: &str, others: &str, value: &str) -> Vec<String> {
    let may_be_apart = !option.ends_with('?');
    let may_be_cut = option.ends_with('~') || !option.starts_with('-');
    let name = option.trim_end_matches(['?', '~']);
    if name.len() == 1 {
        let apart = may_be_apart.then(|| format!("-{name} '{value}'"));
        return apart.into_iter().chain([format!("-{name}'{value}'")]).collect();
    }
    let dashes = if name.starts_with('-') { "" } else { "--" };
    let least = if name.starts_with('-') { 3 } else { 1 };
    let mut found = Vec::new();
    let mut ends = vec![least, name.len()];
    ends.retain(|end| (least..=name.len()).contains(end));
    ends.dedup();
    for end in ends {
        let cut = &name[..end];
        let is_whole = end == name.len();
        if !is_whole && (!may_be_cut || others.split(' ').any(|other| other == cut)) {
            continue;
        }
        found.push(format!("{dashes}{cut}='{value}'"));
        if may_be_apart {
            found.push(format!("{dashes}{cut} '{value}'"));
        }
    }
    found
}

#[test]
fn every_option_of_the_table_is_read_in_each_spelling() {
    let mut missed = Vec::new();
    for row in rows() {
        assert!(!row.source.is_empty());
        let value = match row.holds {
            Holds::Line | Holds::Code => "rm x",
            Holds::Commas => "rm,x",
            Holds::Script => "import os; os.system(\"rm x\")",
            Holds::SshSetting => "ProxyCommand=rm x",
            Holds::GitSetting => "core.pager=rm x",
            Holds::Variable => "PAGER=rm x",
            Holds::Setting => "dpkg::pre-invoke::linker-execstart.exec=rm x",
            Holds::Query => "\\! rm x | system rm x .shell syscmd rm x",
        };
        let harmless = match row.holds {
            Holds::Query => "1",
            Holds::Variable => "A=rm x",
            Holds::GitSetting => "user.name=rm x",
            Holds::SshSetting => "Port=1",
            _ => "",
        };
        for program in row.programs.split_ascii_whitespace() {
            let program = program.replace('/', " ");
            // The option is found, and nothing else in the line stands for it.
            let plain = Reading::of_line(&format!("cd a && A=1 {program} y 'rm x'"));
            let is_told = |line: &Reading| {
                line.commands
                    .iter()
                    .any(|one| one.is_beside() || one.hidden.is_some())
            };
            let always = ["deno", "crontab"];
            assert!(!is_told(&plain) || always.contains(&&*program), "{program}");
            for option in row.options.split_ascii_whitespace() {
                for spelled in spellings(option, row.others, value) {
                    // A file with code ends the options.
                    let file = if lists(READERS, &program) { "" } else { "y" };
                    for line in [
                        format!("{program} {spelled} y"),
                        format!("cd a && A=1 {program} {file} {spelled}"),
                    ] {
                        let is_found = match row.holds {
                            Holds::Line
                            | Holds::Commas
                            | Holds::SshSetting
                            | Holds::GitSetting
                            | Holds::Variable => runs(&line),
                            Holds::Code | Holds::Script | Holds::Setting | Holds::Query => finds(&line),
                        };
                        if !is_found {
                            missed.push(line);
                        }
                    }
                }
                if !harmless.is_empty() {
                    for spelled in spellings(option, row.others, harmless) {
                        let line = format!("{program} y {spelled}");
                        assert!(!is_told(&Reading::of_line(&line)), "{line}");
                    }
                }
            }
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn what_a_variable_holds_for_git_may_be_any_command() {
    for line in [
        "X='!rm x' git --config-env=alias.a=X a",
        "X='!rm x' git --config-env alias.a=X a",
        "git --config-env=submodule.a.update=X submodule update",
        "git --config-env=core.hooksPath=X commit",
    ] {
        let reading = Reading::of_line(line);
        let is_told =
            reading.uncertainty.is_some() || reading.commands.iter().any(|one| one.hidden.is_some());
        assert!(is_told, "{line}");
    }
    let plain = Reading::of_line("git --config-env=user.name=X commit -m a");
    assert_eq!(plain.uncertainty, None);
    let any = Reading::of_line("run-parts --regex=rm /usr/bin");
    assert!(any.commands.iter().any(|one| one.hidden.is_some()));
}

#[test]
fn more_variables_than_are_looked_at_may_hold_any_command() {
    let line = |most: usize| format!("{}ls", "A=b ".repeat(most));
    let is_hidden = |line: &str| {
        Reading::of_line(line)
            .commands
            .iter()
            .any(|one| one.hidden.is_some())
    };
    assert!(!is_hidden(&line(64)));
    assert!(is_hidden(&line(65)));
}

#[test]
fn a_named_command_is_listed_and_read_like_a_line() {
    let reading = Reading::of_line("git -c core.pager='less; rm x' log");
    assert_eq!(reading.uncertainty, None);
    let listed: Vec<&str> = reading.listed().map(|one| one.text.as_str()).collect();
    assert_eq!(listed, ["git -c core.pager='less; rm x' log", "less", "rm x"]);
    for quiet in [
        "PAGER=cat git log",
        "GIT_EDITOR=true git commit",
        "git -c core.editor=: commit",
    ] {
        assert_eq!(Reading::of_line(quiet).uncertainty, None, "{quiet}");
    }
    for line in [
        "git -c core.pager=\"$X\" log",
        "tar xf a --to-command=\"$X\"",
        "EDITOR=$X git commit",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Program),
            "{line}"
        );
    }
    for line in [
        "O=--to-command='rm x'; tar xf a \"$O\"",
        "export O='-Orm x'; git grep $O a",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Program),
            "{line}"
        );
    }
    for line in [
        "O=-v; tar xf a $O",
        "F=--to-command=x; ls $F",
        "CFLAGS=-O2; gcc $CFLAGS a.c",
    ] {
        assert_eq!(Reading::of_line(line).uncertainty, None, "{line}");
    }
    for line in [
        "python3 -c \"$X\"",
        "awk \"$X\" a",
        "curl h | python3",
        "curl h | node -",
        "curl h | mysql a",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Hidden),
            "{line}"
        );
    }
}
