//! Adds a rule, or sets a preset, in the user's own settings: for a workspace, or for all.
//!
//! Must not know: who decides, what a rule means.

use std::path::{Path, PathBuf};

use overrule_base::text::visible;
use overrule_policy::parse::{self, RawPolicy};
use overrule_policy::{Origin, Preset};

use super::{appended, known_place};
use crate::env::Env;
use crate::error::Error;
use crate::files;
use crate::flags::Flags;
use crate::load::own_workspace_file;
use crate::written;

/// Where a rule is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'w> {
    /// In the user's own file for this workspace.
    Workspace(&'w Path),
    /// In the user's settings file.
    Always,
}

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept<'r> {
    /// A rule in the language of policies, and where it comes from.
    Rule {
        /// The rule, as it is typed in a session.
        text: &'r str,
        /// The line of a comment above it.
        note: &'r str,
    },
    /// The preset.
    Preset(Preset),
}

/// Keeps a rule or a preset, durably. Returns the file, or why nothing was changed.
pub fn rule(env: &Env, flags: &Flags, scope: Scope<'_>, kept: Kept<'_>) -> Result<PathBuf, Error> {
    let path = place(env, flags, scope)?;
    let before = files::read(&path)?.map(|text| text.text);
    let old = policy(&path, before.as_deref().unwrap_or_default(), scope, env)?;
    let by_hand = |why: String| {
        let advice = "nothing was changed; add the rule to it by hand (docs/policy.md)";
        Error::read(&path, format!("the rule cannot be added to it ({why})"), advice)
    };
    let is_own = matches!(scope, Scope::Workspace(_));
    let text = match kept {
        Kept::Rule { text, note } => {
            let header = if is_own { "[[rule]]" } else { "[[policy.rule]]" };
            let body = keys(text).map_err(by_hand)?;
            let note = visible(note);
            appended(before.as_deref(), &format!("# {note}\n{header}\n{body}"))
        }
        Kept::Preset(preset) => {
            let table = (!is_own).then_some("[policy]");
            with_preset(before.as_deref().unwrap_or_default(), table, preset)
        }
    };
    let new = policy(&path, &text, scope, env).map_err(|error| by_hand(error.to_string()))?;
    let texts = |of: &RawPolicy| of.rules.iter().map(|rule| rule.text.clone()).collect::<Vec<_>>();
    let (mut expected, found) = (texts(&old), texts(&new));
    let is_set = match kept {
        Kept::Rule { text, .. } => {
            expected.push(overrule_policy::session::read(text).map_err(by_hand)?.text);
            let preset = |of: &RawPolicy| of.preset.as_ref().map(|at| at.value);
            preset(&old) == preset(&new)
        }
        Kept::Preset(preset) => new.preset.as_ref().is_some_and(|at| at.value == preset),
    };
    if !is_set || expected.len() != found.len() {
        return Err(by_hand("it would be read differently".to_owned()));
    }
    super::put(&path, before.as_deref(), &text)?;
    Ok(path)
}

/// The file of a scope.
fn place(env: &Env, flags: &Flags, scope: Scope<'_>) -> Result<PathBuf, Error> {
    match scope {
        Scope::Always => known_place(env, flags),
        Scope::Workspace(workspace) => own_workspace_file(env, workspace).ok_or_else(|| {
            let advice = "set HOME, or choose this session";
            Error::given("settings", "there is no home directory to keep them in", advice)
        }),
    }
}

/// Reads the policy of a file of this scope.
fn policy(path: &Path, text: &str, scope: Scope<'_>, env: &Env) -> Result<RawPolicy, Error> {
    match scope {
        Scope::Workspace(_) => Ok(parse::file(&crate::error::shown(path), text, Origin::User)?),
        Scope::Always => Ok(written::read(path, text, Origin::User, env.home.as_deref())?
            .compiled
            .policy),
    }
}

/// The keys of a rule, a line each.
fn keys(text: &str) -> Result<String, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(text)
        .trim();
    if inner.contains('\n') {
        return Ok(format!("{inner}\n"));
    }
    let document = format!("rule = {{ {inner} }}\n");
    let table: toml::Table = toml::from_str(&document).map_err(|error| error.message().to_owned())?;
    let rule = table
        .get("rule")
        .and_then(toml::Value::as_table)
        .ok_or("it is no rule")?;
    let lines: Vec<String> = rule
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    Ok(lines.concat())
}

/// The text with the preset at its place: at the beginning, or in a table.
fn with_preset(before: &str, table: Option<&str>, preset: Preset) -> String {
    let line = format!("preset = \"{preset}\"");
    let lines: Vec<&str> = before.lines().collect();
    let begin = match table {
        None => Some(0),
        Some(table) => lines.iter().position(|one| one.trim() == table).map(|at| at + 1),
    };
    let Some(begin) = begin else {
        let table = table.unwrap_or_default();
        return appended(Some(before), &format!("{table}\n{line}\n"));
    };
    let is_end = |one: &&str| one.trim_start().starts_with('[');
    let section = lines.get(begin..).unwrap_or_default();
    let length = section.iter().position(is_end).unwrap_or(section.len());
    let is_preset = |one: &&str| {
        let rest = one.trim_start().strip_prefix("preset");
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let known = section
        .get(..length)
        .unwrap_or_default()
        .iter()
        .position(is_preset);
    let mut all: Vec<&str> = lines;
    match known.and_then(|at| all.get_mut(begin + at)) {
        Some(slot) => *slot = &line,
        None => all.insert(begin, &line),
    }
    all.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const WORDS: &str = "tool = \"shell\", words = [\"cargo\", \"test\"], gate = \"allow\"";

    struct World {
        dir: tempfile::TempDir,
        env: Env,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("work space")).unwrap();
            let env = Env {
                config_dir: Some(dir.path().join("config")),
                home: Some(dir.path().to_owned()),
                ..Env::default()
            };
            Self { dir, env }
        }

        fn workspace(&self) -> PathBuf {
            self.dir.path().join("work space")
        }

        fn keep(&self, scope: Scope<'_>, kept: Kept<'_>) -> Result<PathBuf, String> {
            rule(&self.env, &Flags::default(), scope, kept).map_err(|error| error.to_string())
        }

        fn loaded(&self) -> Vec<String> {
            let settings =
                crate::load(&self.env, &Flags::default(), &self.workspace(), crate::Trust::No).unwrap();
            let mut all = vec![settings.policy.preset().to_string()];
            all.extend(settings.policy.rules().iter().map(overrule_policy::Rule::cite));
            all
        }
    }

    fn words() -> Kept<'static> {
        Kept::Rule {
            text: WORDS,
            note: "from c9 of session 01a2, 2026-11-29",
        }
    }

    #[test]
    fn a_rule_of_a_workspace_is_in_the_own_files_and_counts_there_alone() {
        let world = World::new();
        let workspace = world.workspace();
        let path = world.keep(Scope::Workspace(&workspace), words()).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name.starts_with("workspace-") && name.len() == "workspace-".len() + 12 + 5,
            "{name}"
        );
        assert!(path.starts_with(world.dir.path().join("config/overrule/workspaces")));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("# from c9 of session 01a2, 2026-11-29\n[[rule]]\n"),
            "{text}"
        );
        assert_eq!(
            world.workspace().read_dir().unwrap().count(),
            0,
            "nothing in the workspace"
        );
        let loaded = world.loaded();
        assert_eq!(loaded.len(), 2, "{loaded:?}");
        assert!(
            loaded[1].starts_with("user ") && loaded[1].contains(&name),
            "with its place: {loaded:?}"
        );
        let other = crate::load(&world.env, &Flags::default(), world.dir.path(), crate::Trust::No).unwrap();
        assert_eq!(other.policy.rules().len(), 0, "not elsewhere");

        world
            .keep(Scope::Workspace(&workspace), Kept::Preset(Preset::Edits))
            .unwrap();
        world
            .keep(Scope::Workspace(&workspace), Kept::Preset(Preset::Auto))
            .unwrap();
        world.keep(Scope::Workspace(&workspace), words()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("preset").count(), 1, "{text}");
        assert_eq!((world.loaded()[0].as_str(), world.loaded().len()), ("auto", 3));
    }

    #[test]
    fn a_rule_for_always_is_added_to_the_settings_and_changes_nothing_else() {
        for before in [
            None,
            Some("theme = \"light\""),
            Some(
                "theme = \"light\"\n[policy]\npreset = \"auto\" # mine\n\n[[policy.rule]]\ntool = \"x\"\ngate = \"deny\"\n\n[limits]\nturns = 3\n",
            ),
        ] {
            let world = World::new();
            let path = world.dir.path().join("config/overrule/config.toml");
            if let Some(before) = before {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, before).unwrap();
            }
            let old = world.loaded();
            assert_eq!(world.keep(Scope::Always, words()).unwrap(), path);
            let new = world.loaded();
            assert_eq!(new.len(), old.len() + 1, "{new:?}");
            assert_eq!(new[..old.len()], old[..]);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.starts_with(before.unwrap_or_default()), "{text}");
            world.keep(Scope::Always, Kept::Preset(Preset::Edits)).unwrap();
            assert_eq!(world.loaded()[0], "edits");
            assert_eq!(world.loaded().len(), new.len());
        }
    }

    #[test]
    fn a_file_that_cannot_take_it_stays_as_it_is() {
        let world = World::new();
        let path = world.dir.path().join("config/overrule/config.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        for before in [
            "policy = { preset = \"auto\" }\n",
            "policy.rule = []\n",
            "[policy]\npreset = \n",
            "theme = 7\n",
        ] {
            fs::write(&path, before).unwrap();
            for kept in [words(), Kept::Preset(Preset::Edits)] {
                let error = world.keep(Scope::Always, kept).unwrap_err();
                assert!(error.contains("config.toml"), "{error}");
                assert_eq!(fs::read_to_string(&path).unwrap(), before);
            }
        }
        fs::write(&path, "").unwrap();
        let bad = Kept::Rule {
            text: "tool = \"x\"",
            note: "",
        };
        assert!(world.keep(Scope::Always, bad).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        let nowhere = rule(&Env::default(), &Flags::default(), Scope::Always, words());
        assert!(nowhere.unwrap_err().to_string().contains("no home directory"));
    }
}
