//! Reads `[sandbox]`: how the commands of a run are confined.
//!
//! Must not know: how a kernel confines, which paths are hidden by default.
//!
//! A workspace can raise the level, require all guarantees and hide more, trusted or not. Nothing else of it counts.

use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::checks;
use super::env::Env;
use super::error::{Error, shown};
use super::flags::Flags;
use super::hosts::{self, Hosts};
use super::layers::{Files, environment, flag, given, ignored, last};
use super::settings::{Setting, Why};
use overrule_base::document::{self, Document, Field, whole};
use overrule_base::text::visible;
use overrule_domain::sandbox::Level;
use overrule_policy::Notice;

/// The level without a setting.
pub const DEFAULT_LEVEL: Level = Level::Workspace;
/// The table.
pub(super) const TABLE: &str = "sandbox";
/// Its keys that no workspace sets, trusted or not, because each gives a command more.
pub(super) const WIDENING: [&str; 4] = ["network", "show", "unix_sockets", "write"];
/// Number of the highest level.
const HIGHEST: u64 = 2;

/// How the commands of a run are confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSettings {
    /// The level.
    pub level: Setting<Level>,
    /// True if no child starts without all guarantees of its level.
    pub required: Setting<bool>,
    /// Further directories that a command may write. They are absolute.
    pub write: Setting<Vec<PathBuf>>,
    /// Further paths that a command cannot read, by file, the workspace's last. They count before `show`.
    pub hide: Vec<Setting<Vec<PathBuf>>>,
    /// Paths that are hidden by default and may be read. They are absolute.
    pub show: Setting<Vec<PathBuf>>,
    /// Hosts that a command may reach, in lower case: `host`, `host:port`, `*.host`, an address, or `all`.
    pub network: Setting<Vec<String>>,
    /// True if a command may use Unix sockets.
    pub unix_sockets: Setting<bool>,
}

impl SandboxSettings {
    /// Returns the paths that are hidden in addition to the built-in ones.
    pub fn hidden(&self) -> impl Iterator<Item = &Path> {
        let all = self.hide.iter().flat_map(|setting| &setting.value);
        all.map(PathBuf::as_path)
    }

    /// Explains each setting with its value and origin.
    pub(super) fn why(&self) -> Vec<Why> {
        let list = |key: &'static str, setting: &Setting<Vec<PathBuf>>| {
            Why::of_list(
                key,
                setting.value.iter().map(|path| shown(path)),
                [&setting.origin],
            )
        };
        let hosts = self.network.value.iter().map(|host| visible(host));
        let hiding = self.hide.iter().map(|one| &one.origin);
        vec![
            Why::of("sandbox.level", &self.level, |level| level.number().to_string()),
            Why::of("sandbox.required", &self.required, bool::to_string),
            list("sandbox.write", &self.write),
            Why::of_list("sandbox.hide", self.hidden().map(shown), hiding),
            list("sandbox.show", &self.show),
            Why::of_list("sandbox.network", hosts, [&self.network.origin]),
            Why::of("sandbox.unix_sockets", &self.unix_sockets, bool::to_string),
        ]
    }
}

/// `[sandbox]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxTable {
    #[serde(deserialize_with = "level")]
    level: Field<Level>,
    required: Field<bool>,
    write: Paths,
    hide: Paths,
    show: Paths,
    network: Hosts,
    unix_sockets: Field<bool>,
}

/// The contents of `[sandbox]` in a file, with its paths resolved.
#[derive(Debug, Clone, Default)]
pub struct RawSandbox {
    level: Field<Level>,
    required: Field<bool>,
    write: Field<Vec<PathBuf>>,
    hide: Field<Vec<PathBuf>>,
    show: Field<Vec<PathBuf>>,
    network: Field<Vec<String>>,
    unix_sockets: Field<bool>,
}

/// A list of paths as written.
pub(super) type Paths = Field<Vec<Spanned<String>>>;

/// Reads the number of a level.
pub(super) fn level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Level>, D::Error> {
    let Some(number) = whole::<0, HIGHEST, u8, _>(deserializer)? else {
        return Ok(None);
    };
    let level = Level::try_from(*number.get_ref()).map_err(D::Error::custom)?;
    Ok(Some(Spanned::new(number.span(), level)))
}

/// Resolves the paths of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathBase<'a> {
    /// The file.
    pub file: &'a Path,
    /// The home directory.
    pub home: Option<&'a Path>,
    /// True if a relative path begins at the directory of the file; false if it is refused.
    pub takes_relative: bool,
}

impl PathBase<'_> {
    /// Resolves a list: `~/` is the home directory.
    pub(super) fn resolve(
        &self,
        list: Paths,
        document: &Document<'_>,
    ) -> Result<Field<Vec<PathBuf>>, document::Error> {
        let Some(list) = list else { return Ok(None) };
        let span = list.span();
        let resolved = list.into_inner().into_iter().map(|at| {
            self.one(at.get_ref()).map_err(|why| {
                let advice = "write an absolute path, or one below \"~/\"";
                document.error(at.span(), &format!("`{}` {why}; {advice}", at.get_ref()))
            })
        });
        let paths: Vec<PathBuf> = resolved.collect::<Result<_, _>>()?;
        Ok(Some(Spanned::new(span, paths)))
    }

    fn one(&self, text: &str) -> Result<PathBuf, &'static str> {
        checks::name(text)?;
        let is_relative = !text.starts_with(['/', '~']);
        if is_relative && !self.takes_relative {
            return Err("is relative");
        }
        checks::path(text, self.file, self.home)
    }
}

/// Resolves the paths of `[sandbox]`.
pub(super) fn compiled(
    table: SandboxTable,
    base: PathBase<'_>,
    document: &Document<'_>,
) -> Result<RawSandbox, document::Error> {
    Ok(RawSandbox {
        level: table.level,
        required: table.required,
        write: base.resolve(table.write, document)?,
        hide: base.resolve(table.hide, document)?,
        show: base.resolve(table.show, document)?,
        network: hosts::read(table.network, document)?,
        unix_sockets: table.unix_sockets,
    })
}

/// Resolves the settings. What a workspace would loosen is left out, with a notice.
pub(super) fn weigh(
    (env, flags): (&Env, &Flags),
    files: &Files,
    (mine, mut theirs): (RawSandbox, RawSandbox),
    notices: &mut Vec<Notice>,
) -> Result<SandboxSettings, Error> {
    let mut drop = |key: &str, at: usize| notices.push(ignored(key, &files.workspace.place(at)));
    let least = mine.level.as_ref().map_or(DEFAULT_LEVEL, |at| *at.get_ref());
    if let Some(at) = theirs.level.take_if(|at| *at.get_ref() < least) {
        drop("sandbox.level", at.span().start);
    }
    let is_required = mine.required.as_ref().is_some_and(|at| *at.get_ref());
    if let Some(at) = theirs.required.take_if(|at| is_required && !*at.get_ref()) {
        drop("sandbox.required", at.span().start);
    }
    let variable = given(
        "OVERRULE_SANDBOX",
        env.sandbox.as_ref(),
        |text| {
            let number = text.parse::<u8>().ok().filter(|_| text.len() == 1);
            number
                .and_then(|number| Level::try_from(number).ok())
                .ok_or("is no level")
        },
        "write 0, 1 or 2",
    )?;
    let hide = [files.user(mine.hide), files.workspace(theirs.hide)];
    Ok(SandboxSettings {
        level: last(
            DEFAULT_LEVEL,
            [
                files.user(mine.level),
                files.workspace(theirs.level),
                environment("OVERRULE_SANDBOX", variable),
                flag("--sandbox", flags.sandbox),
            ],
        ),
        required: files.last(false, mine.required, theirs.required),
        write: last(Vec::new(), [files.user(mine.write)]),
        hide: hide.into_iter().flatten().collect(),
        show: last(Vec::new(), [files.user(mine.show)]),
        network: last(Vec::new(), [files.user(mine.network)]),
        unix_sockets: last(false, [files.user(mine.unix_sockets)]),
    })
}
