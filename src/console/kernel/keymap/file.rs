//! Parses the operator's key file: keys that replace the default keys of commands.
//!
//! ```toml
//! approve = "ctrl-y"
//! next-pending = ["t", "space"]
//! emergency-stop = []          # no key: only by its name
//! ```
//! Must not know: which commands there are, what a key is called, where the file is.

use overrule_base::document::{At, Document, Error, Pairs, Text, Texts};

/// The keys of one command, with their places in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The command's name.
    pub name: At<String>,
    /// Its keys.
    pub keys: Vec<At<String>>,
}

/// Parses the text of a key file; errors name `file`.
pub fn parse(file: &str, text: &str) -> Result<Vec<Change>, Error> {
    let document = Document::parse(file, text)?;
    let written: Pairs<Texts> = document.read(&[])?;
    let at = |text: Text| document.source().at(text);
    let changes = written.0.into_iter().map(|(name, keys)| Change {
        name: at(name),
        keys: keys.0.into_iter().map(at).collect(),
    });
    Ok(changes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_a_key_or_several_or_none() {
        let text = "# mine\napprove = \"ctrl-y\"\nquit = [\"q\", \"f10\"]\nzoom = []\n";
        let found = parse("keys.toml", text).unwrap();
        let words: Vec<(String, Vec<String>)> = found
            .iter()
            .map(|change| {
                let keys = change
                    .keys
                    .iter()
                    .map(|key| format!("{} {}", key.place, key.value));
                (
                    format!("{} {}", change.name.place, change.name.value),
                    keys.collect(),
                )
            })
            .collect();
        assert_eq!(
            words,
            [
                (
                    "keys.toml:2:1 approve".into(),
                    vec!["keys.toml:2:11 ctrl-y".into()]
                ),
                (
                    "keys.toml:3:1 quit".into(),
                    vec!["keys.toml:3:9 q".into(), "keys.toml:3:14 f10".into()]
                ),
                ("keys.toml:4:1 zoom".into(), Vec::new()),
            ]
        );
    }

    #[test]
    fn what_is_no_key_file_is_refused_with_its_place() {
        let complaint = |text: &str| parse("keys.toml", text).unwrap_err().to_string();
        let text = complaint("approve = 3");
        assert!(text.starts_with("keys.toml:1:11: `approve`: "), "{text}");
        let text = complaint("a = \"b\"\nquit = [\"q\", true]");
        assert!(text.starts_with("keys.toml:2:14: `quit`: "), "{text}");
        let text = complaint("approve = \n");
        assert!(
            text.starts_with("keys.toml:1:") && text.contains("not valid TOML"),
            "{text}"
        );
    }
}
