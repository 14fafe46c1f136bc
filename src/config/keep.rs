//! Adds to the user's settings files: corrections of error classes, rules, a preset, prices.
//!
//! Must not know: who corrects, what a correction does.
//!
//! The existing text stays byte for byte. The file is written only if the result can be read whole.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overrule_policy::Origin;
use overrule_resilience::correction::Correction;

use super::env::Env;
use super::error::{Error, shown};
use super::files;
use super::flags::Flags;
use super::load::{own_workspace_file, user_file};
use super::written;

mod file;
mod price;
mod rule;

pub use price::{ModelPrice, price};
pub use rule::{Kept, Scope, rule};

/// The key of the corrections in `[resilience]`.
pub const CORRECTIONS: &str = "errors.corrections";

/// The file that corrections are written to; `None` without a home directory.
pub fn place(env: &Env, flags: &Flags) -> Option<PathBuf> {
    flags.config.clone().or_else(|| user_file(env))
}

/// The user's settings file, which must be known.
fn known_place(env: &Env, flags: &Flags) -> Result<PathBuf, Error> {
    place(env, flags).ok_or_else(|| {
        let advice = "set HOME, or name a file with --config";
        Error::given("settings", "there is no home directory to keep them in", advice)
    })
}

/// Adds a correction, durably. Returns the file, or why nothing was changed.
pub fn correction(env: &Env, flags: &Flags, correction: &Correction) -> Result<PathBuf, Error> {
    let path = known_place(env, flags)?;
    let before = files::read(&path)?.map(|text| text.text);
    let text = with(before.as_deref().unwrap_or_default(), correction);
    readable(&path, (before.as_deref(), &text), correction, env.home.as_deref())?;
    put(&path, before.as_deref(), &text)?;
    Ok(path)
}

/// Replaces the text of a settings file that was read.
fn put(path: &Path, before: Option<&str>, text: &str) -> Result<(), Error> {
    let fail = |error: &io::Error| {
        let advice = "nothing was changed; check the path and its permissions";
        Error::read(path, format!("it cannot be written ({error})"), advice)
    };
    // A link stays a link: its target is replaced.
    let aim = if before.is_some() {
        fs::canonicalize(path).map_err(|error| fail(&error))?
    } else {
        path.to_path_buf()
    };
    file::write(&aim, before, text).map_err(|error| fail(&error))
}

/// Returns an error if the file cannot be read with the correction, or its other settings would change.
fn readable(
    path: &Path,
    (before, after): (Option<&str>, &str),
    correction: &Correction,
    home: Option<&Path>,
) -> Result<(), Error> {
    let read = |text: &str| written::read(path, text, Origin::User, home);
    let old = read(before.unwrap_or_default())?;
    let is_list = |key: &str| key == CORRECTIONS;
    let by_hand = |why: String| {
        let advice = "nothing was changed; add the correction to it by hand (docs/resilience.md)";
        Error::read(
            path,
            format!("a correction cannot be added to it ({why})"),
            advice,
        )
    };
    let new = read(after).map_err(|error| by_hand(error.to_string()))?;
    let count = |of: &written::RawSettings| {
        let list = of.compiled.resilience.iter().find(|(key, _)| is_list(key));
        list.and_then(|(_, at)| at.value.as_array().cloned())
            .unwrap_or_default()
    };
    let (mut expected, found) = (count(&old), count(&new));
    expected.extend(serde_json::to_value(correction));
    if expected == found {
        Ok(())
    } else {
        Err(by_hand("it would be read differently".to_owned()))
    }
}

/// Returns the text of the file with the correction appended.
fn with(before: &str, correction: &Correction) -> String {
    let mut text = appended(Some(before), "[[resilience.errors.corrections]]\n");
    for (key, value) in [
        ("tool", &*correction.tool),
        ("matches", &correction.matches),
        ("error", correction.error.label()),
        ("session", &correction.session),
        ("call", &correction.call),
        ("text", &correction.text),
        ("date", &correction.date),
        ("by", &correction.by),
    ] {
        let _ = writeln!(text, "{key} = {}", quoted(value));
    }
    text
}

/// A text with more text below it.
fn appended(before: Option<&str>, more: &str) -> String {
    let mut text = before.unwrap_or_default().to_owned();
    if !text.is_empty() {
        let end = if text.ends_with('\n') { "\n" } else { "\n\n" };
        text.push_str(end);
    }
    text + more
}

/// Formats a text as a basic TOML string; escapes control and invisible characters.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || !is_plain(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// True for a character that is shown as itself.
fn is_plain(c: char) -> bool {
    let mut bytes = [0; 4];
    let alone = c.encode_utf8(&mut bytes);
    c == ' ' || overrule_base::text::visible(alone) == *alone
}

/// The path of the file, safe to show.
pub fn shown_place(env: &Env, flags: &Flags) -> Option<String> {
    place(env, flags).map(|path| shown(&path))
}

/// The path of the user's own rules for a workspace, safe to show.
pub fn shown_workspace_place(env: &Env, workspace: &Path) -> Option<String> {
    own_workspace_file(env, workspace).map(|path| shown(&path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use overrule_resilience::correction::Verdict;

    fn rule() -> Correction {
        Correction {
            tool: "deploy".into(),
            matches: r#"a "b" \d+"#.into(),
            error: Verdict::Permanent,
            session: "s".into(),
            call: "c5".into(),
            text: "a \u{1b}[31m\u{202e} \"b\" \\ 7\nzoë".into(),
            date: "2026-11-26".into(),
            by: "ann".into(),
        }
    }

    fn flags(path: &Path) -> Flags {
        Flags {
            config: Some(path.to_owned()),
            ..Flags::default()
        }
    }

    fn corrections(path: &Path) -> Vec<Correction> {
        let text = fs::read_to_string(path).unwrap();
        let read = written::read(path, &text, Origin::User, None).unwrap();
        let list = read
            .compiled
            .resilience
            .into_iter()
            .find(|(key, _)| key == CORRECTIONS);
        serde_json::from_value(list.unwrap().1.value).unwrap()
    }

    #[test]
    fn stored_rules_are_read_back_with_any_content() {
        let dir = tempfile::tempdir().unwrap();
        // Neither the file nor its directory exists yet.
        let path = dir.path().join("new/config.toml");
        correction(&Env::default(), &flags(&path), &rule()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        correction(&Env::default(), &flags(&path), &rule()).unwrap();
        assert_eq!(corrections(&path), [rule(), rule()]);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("text = \"a \\U0000001B[31m"), "{text}");
        assert!(text.contains("zoë"), "{text}");
        // Appended to any content, with its permissions; a file need not end with a line end.
        for before in [
            "",
            "# only words",
            "[resilience.errors]\npatterns = []\n[limits]\nturns = 3",
        ] {
            let path = dir.path().join("old.toml");
            fs::write(&path, before).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            correction(&Env::default(), &flags(&path), &rule()).unwrap();
            assert_eq!(corrections(&path), [rule()]);
            assert!(fs::read_to_string(&path).unwrap().starts_with(before));
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 2, "no draft is left");
    }

    #[test]
    fn where_it_cannot_be_written_nothing_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, "# mine\n").unwrap();
        let draft = dir
            .path()
            .join(format!(".config.toml.{}.part", std::process::id()));
        fs::create_dir(&draft).unwrap();
        let refused = correction(&Env::default(), &flags(&path), &rule())
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("config.toml") && refused.contains("nothing was changed"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
        // Also if another program writes the file meanwhile.
        fs::remove_dir(&draft).unwrap();
        let refused = file::write(&path, Some("# other\n"), "# new\n").unwrap_err();
        assert!(refused.to_string().contains("another program"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
        assert!(!draft.exists(), "no draft is left");
    }
}
