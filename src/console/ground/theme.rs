//! Themes: what each role looks like, on terminals of many, few and no colours.
//!
//! Must not know: what is drawn, the environment (what the terminal can do is passed in).
//!
//! The only place that makes colours; everything else names a [`Role`]. A state never has only a
//! colour: its symbol shows it too, and without colours every theme looks like `mono`.

pub(crate) mod colour;
pub(crate) mod output;
pub(crate) mod parse;
#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};

use ratatui::style::{Modifier, Style};
use serde::Deserialize;

pub use colour::contrast;
use colour::{Paint, TerminalColour};

use overrule_base::document;
use overrule_regular_file as regular_file;

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $key:literal,)*) => {
        /// A kind of content on the screen, which has its own style.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        pub enum Role {
            $($(#[$doc])* #[serde(rename = $key)] $name,)*
        }

        impl Role {
            /// Every role.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its key in a theme file.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }
        }
    };
}

roles! {
    /// Ordinary text. Its background is the background of the screen.
    Text = "text",
    /// Text that matters less.
    Dim = "dim",
    /// Text that stands out.
    Accent = "accent",
    /// Headings.
    Title = "title",
    /// The line at the top.
    Header = "header",
    /// The line at the bottom.
    Status = "status",
    /// Frames.
    Border = "border",
    /// The frame of the pane that has the focus.
    Focus = "focus",
    /// Keys that can be pressed.
    Key = "key",
    /// The selected row.
    Selection = "selection",
    /// Nodes that the selected one depends on.
    Ancestor = "ancestor",
    /// Nodes that depend on the selected one.
    Descendant = "descendant",
    /// A search match.
    Match = "match",
    /// A recent change.
    Changed = "changed",
    /// Lines of the graph.
    Line = "line",
    /// Text of a folded row.
    Fold = "fold",
    /// A call that is not checked or not decided yet.
    Pending = "pending",
    /// A call that needs the operator.
    Awaiting = "awaiting",
    /// A running call.
    Running = "running",
    /// A success.
    Ok = "ok",
    /// A failed call.
    Failed = "failed",
    /// A mark of danger.
    Danger = "danger",
    /// A rejected or denied call.
    Denied = "denied",
    /// Text that the operator wrote.
    Edited = "edited",
    /// Stale content, which may be outdated.
    Stale = "stale",
    /// A superseded node.
    Superseded = "superseded",
    /// A call that waits for another one.
    Blocked = "blocked",
    /// An unknown outcome.
    Unknown = "unknown",
    /// Something that needs attention.
    Warning = "warning",
    /// Something that went wrong.
    Error = "error",
    /// The frame of a decision. Reserved: nothing else looks like it.
    Decision = "decision",
    /// The keys of a decision. Reserved like the frame.
    DecisionKey = "decision_key",
    /// A character that was made visible because it is not what it seems.
    Escaped = "escaped",
    /// The mark in front of text from the model.
    ModelText = "model_says",
    /// Text from the operator.
    Operator = "operator",
    /// An added line.
    DiffAdd = "diff_add",
    /// A removed line.
    DiffRemove = "diff_remove",
    /// A key of a JSON object.
    JsonKey = "json_key",
    /// A JSON string.
    JsonString = "json_string",
    /// A JSON number.
    JsonNumber = "json_number",
    /// `true`, `false`, `null`.
    JsonLiteral = "json_literal",
    /// Brackets, commas, colons.
    JsonPunct = "json_punct",
    /// A reference to another call's result.
    Reference = "reference",
}

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Colours {
    /// None, or the operator disabled colours.
    None,
    /// The sixteen of the terminal's own palette.
    #[default]
    Basic,
    /// 256.
    Indexed,
    /// All.
    True,
}

impl Colours {
    /// The colours that the environment reports: `NO_COLOR` (set and not empty), `COLORTERM` and
    /// `TERM`.
    pub fn detect(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        if no_color.is_some_and(|value| !value.is_empty()) {
            return Self::None;
        }
        let term = term.unwrap_or("");
        if matches!(colorterm, Some("truecolor" | "24bit")) || term.ends_with("-direct") {
            return Self::True;
        }
        match term {
            "" | "dumb" | "unknown" | "vt52" | "vt100" | "vt102" | "vt220" => Self::None,
            _ if term.ends_with("-mono") || term.ends_with("-m") => Self::None,
            _ if term.contains("256color") || term.contains("kitty") || term.contains("alacritty") => {
                Self::Indexed
            }
            _ => Self::Basic,
        }
    }
}

/// An error in a theme.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An unknown name that is no path either.
    #[error(
        "cannot find theme `{name}`: use {known}, or the path of a theme file (with a `/` or ending in `.toml`)"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in ones.
        known: String,
    },
    /// The file cannot be read.
    #[error("failed to read theme {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file has invalid content.
    #[error("theme {0}")]
    Bad(#[from] document::Error),
}

/// Names and texts of the files of `themes/`.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/themes.rs"));

/// Maximum number of files that are listed from a directory.
const MOST_FILES: usize = 100;

/// Minimum contrast of lines by the web guidelines (level AA).
const VISIBLE: f64 = 3.0;

/// Maximum size of a theme file, in bytes.
const MAX_FILE: u64 = 256 * 1024;

/// The looks of all roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    /// In the order of [`Role::ALL`].
    looks: Vec<Entry>,
    /// True where the screen has the terminal's own background, if the theme is readable on it.
    has_terminal_background: bool,
    /// The theme for a light terminal, of a theme for both.
    light: Option<Box<Self>>,
}

/// What a terminal shows: the number of its colours, and its background if the terminal names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// The number of colours.
    pub colours: Colours,
    /// Red, green and blue of the background.
    pub background: Option<[u8; 3]>,
}

impl From<Colours> for Palette {
    fn from(colours: Colours) -> Self {
        Self {
            colours,
            background: None,
        }
    }
}

/// Style of one role in a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Entry {
    fg: Option<Paint>,
    bg: Option<Paint>,
    modifiers: Modifier,
}

impl Theme {
    /// The name of the default: `dark`, or `light` on a terminal with a light background.
    pub const AUTO: &str = "auto";

    /// Names of the built-in themes that have a file.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in theme.
    pub fn built_in(name: &str) -> Result<Self, Error> {
        let (name, text) =
            BUILT_IN
                .iter()
                .find(|(known, _)| *known == name)
                .ok_or_else(|| Error::Unknown {
                    name: name.chars().take(80).collect(),
                    known: Self::names().collect::<Vec<_>>().join(", "),
                })?;
        Self::parse(text, name)
    }

    /// Loads a theme by name, or from a file by path. A path has a `/` or ends in `.toml`. A name
    /// is a file in the operator's own theme directory, or a built-in theme.
    pub fn load(choice: &str, own: Option<&Path>) -> Result<Self, Error> {
        if choice.contains('/') || choice.to_ascii_lowercase().ends_with(".toml") {
            return Self::file(Path::new(choice));
        }
        let file = own.map(|dir| dir.join(format!("{choice}.toml")));
        match file.filter(|file| file.exists()) {
            Some(file) => Self::file(&file),
            None if choice == Self::AUTO => Ok(Self {
                name: Self::AUTO.to_owned(),
                // A faulty file of the operator is reported where its theme is chosen.
                light: Some(Box::new(
                    Self::load("light", own).or_else(|_| Self::built_in("light"))?,
                )),
                ..Self::load("dark", own)?
            }),
            None => Self::built_in(choice).map_err(|error| match error {
                Error::Unknown { name, .. } => Error::Unknown {
                    name,
                    known: Self::all(own).join(", "),
                },
                error => error,
            }),
        }
    }

    /// True for a built-in theme that no file of the operator's own theme directory replaces.
    pub fn is_built_in(name: &str, own: Option<&Path>) -> bool {
        let replaced = own.is_some_and(|dir| dir.join(format!("{name}.toml")).exists());
        !replaced && Self::names().any(|known| known == name)
    }

    fn file(path: &Path) -> Result<Self, Error> {
        let text = regular_file::read_text(path, MAX_FILE).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, &path.to_string_lossy())
    }

    /// Names of all themes: the default, the built-in ones, then those of the operator's own directory.
    pub fn all(own: Option<&Path>) -> Vec<String> {
        let built_in = std::iter::once(Self::AUTO).chain(Self::names());
        let mut names: Vec<String> = built_in.map(str::to_owned).collect();
        let entries = own.and_then(|dir| std::fs::read_dir(dir).ok());
        let mut found: Vec<String> = entries
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .filter(|name| !names.contains(name) && *name == overrule_base::text::visible(name))
            .take(MOST_FILES)
            .collect();
        found.sort();
        names.append(&mut found);
        names
    }

    /// Parses the text of a theme file; errors name `file`.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        parse::theme(text, file)
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The theme on a terminal.
    pub fn look(&self, palette: impl Into<Palette>) -> Look {
        let palette = palette.into();
        if let (Some(light), Some(background)) = (&self.light, palette.background)
            && contrast(background, [0; 3]) > contrast(background, [255; 3])
        {
            return light.look(palette);
        }
        let mono = (palette.colours == Colours::None)
            .then(|| Self::built_in("mono").ok())
            .flatten();
        let source = mono.as_ref().unwrap_or(self);
        let styles = source
            .looks
            .iter()
            .map(|entry| {
                let mut style = Style::new().add_modifier(entry.modifiers);
                style.fg = entry.fg.and_then(|paint| paint.on(palette.colours));
                style.bg = entry.bg.and_then(|paint| paint.on(palette.colours));
                style
            })
            .collect();
        let mut look = Look { styles, palette };
        if source.is_readable_on_terminal(palette)
            && let Some(text) = look.styles.get_mut(Role::Text as usize)
        {
            text.bg = None;
        }
        look
    }

    /// True if the terminal's own background can be that of the screen.
    fn is_readable_on_terminal(&self, palette: Palette) -> bool {
        // The sixteen colours look different on each terminal.
        let is_certain = matches!(palette.colours, Colours::True | Colours::Indexed);
        let (true, true, Some(background)) = (self.has_terminal_background, is_certain, palette.background)
        else {
            return false;
        };
        let text = self.looks.get(Role::Text as usize).copied().unwrap_or_default();
        Role::ALL.iter().zip(&self.looks).all(|(role, entry)| {
            let is_line = matches!(role, Role::Border | Role::Line);
            let least = if is_line { VISIBLE } else { parse::LEGIBLE };
            let is_on_it = entry.bg.is_none() || entry.bg == text.bg;
            let is_clear = |ink: Paint| {
                let drawn = TerminalColour::of(ink.rgb, palette.colours);
                drawn.is_some_and(|drawn| contrast(drawn.rgb, background) >= least)
            };
            !is_on_it || entry.fg.is_none_or(is_clear)
        })
    }
}

/// The styles of all roles on one kind of terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    styles: Vec<Style>,
    palette: Palette,
}

impl Look {
    /// The style of a role; patch it over what is there already.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The style of a role over the text and background of the screen.
    pub fn full(&self, role: Role) -> Style {
        self.style(Role::Text).patch(self.style(role))
    }

    /// The terminal that it was made for.
    pub const fn palette(&self) -> Palette {
        self.palette
    }

    /// The number of colours that it was made for.
    pub const fn colours(&self) -> Colours {
        self.palette.colours
    }
}
