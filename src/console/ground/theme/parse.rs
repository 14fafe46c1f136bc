//! Reads a theme file strictly; every error names file, line and key.
//!
//! Must not know: what a theme is used for.

use std::collections::BTreeMap;

use ratatui::style::Modifier;
use serde::Deserialize;
use toml::Spanned;

use super::colour::{BASIC, Paint, contrast};
use super::{Entry, Error, Role, Theme};
use overrule_base::document::{self, Document, Field};

/// Roles of decisions and warnings, which must be readable.
const WEIGHTY: [Role; 19] = [
    Role::Text,
    Role::JsonKey,
    Role::JsonString,
    Role::JsonNumber,
    Role::JsonLiteral,
    Role::JsonPunct,
    Role::Reference,
    Role::DiffAdd,
    Role::DiffRemove,
    Role::Decision,
    Role::DecisionKey,
    Role::Escaped,
    Role::Awaiting,
    Role::Unknown,
    Role::Failed,
    Role::Danger,
    Role::Denied,
    Role::Warning,
    Role::Error,
];
/// Roles that a file may leave out, each with the role that it then looks like.
const OPTIONAL: [(Role, Role); 2] = [(Role::Danger, Role::Error), (Role::Denied, Role::Danger)];
/// Minimum contrast of readable text by the web guidelines (level AA).
pub(crate) const LEGIBLE: f64 = 4.5;

/// Advice for required keys.
const MISSING: [(&str, &str); 5] = [
    ("name", WHOLE),
    ("palette", WHOLE),
    ("roles", WHOLE),
    ("rgb", "write it as \"#rrggbb\""),
    ("basic", "name one of the sixteen colours of a terminal"),
];
const WHOLE: &str = "a theme needs `name`, `[palette]` and `[roles]`";

/// A theme file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeTable {
    name: String,
    #[serde(default)]
    background: Background,
    palette: BTreeMap<Spanned<String>, Colour>,
    roles: Spanned<BTreeMap<Role, Spanned<Look>>>,
}

/// The background of the screen.
#[derive(Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Background {
    /// That of `text`.
    #[default]
    Text,
    /// The terminal's own, if the theme is readable on it.
    Terminal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Colour {
    rgb: Rgb,
    basic: Basic,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Rgb([u8; 3]);

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Basic(u8);

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Look {
    fg: Field<String>,
    bg: Field<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
    strike: bool,
}

impl TryFrom<String> for Rgb {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let rgb = hex(&text).map(Self);
        rgb.ok_or_else(|| format!("`{text}` is no colour: write it as \"#rrggbb\""))
    }
}

impl TryFrom<String> for Basic {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let basic = BASIC.iter().position(|name| *name == text);
        basic
            .map(|at| Self(at as u8))
            .ok_or_else(|| format!("`{text}` is none of the sixteen: {}", BASIC.join(", ")))
    }
}

pub(crate) fn theme(text: &str, file: &str) -> Result<Theme, Error> {
    let document = Document::parse(file, text)?;
    let ThemeTable {
        name,
        background,
        palette,
        roles,
    } = document.read(&MISSING)?;
    if let Some((own, _)) = palette.get_key_value("default") {
        return Err(document
            .error(own.span(), "is the terminal's own colour already")
            .into());
    }
    let look = |role: &Role| match written(roles.get_ref(), *role) {
        Some(look) => entry(look.get_ref(), &palette, &document),
        None => Err(document::Error {
            key: format!("roles.{}", role.key()),
            ..document.error(
                roles.span(),
                "is missing; every role must be there, `{}` for nothing special",
            )
        }),
    };
    let looks: Vec<Entry> = Role::ALL.iter().map(look).collect::<Result<_, _>>()?;
    legible(&document, roles.get_ref(), &looks)?;
    Ok(Theme {
        name,
        looks,
        has_terminal_background: background == Background::Terminal,
        light: None,
    })
}

/// The look of a role as written, or that of the role whose look it takes.
fn written(roles: &BTreeMap<Role, Spanned<Look>>, role: Role) -> Option<&Spanned<Look>> {
    let like = OPTIONAL.iter().find(|(one, _)| *one == role);
    roles
        .get(&role)
        .or_else(|| like.and_then(|(_, like)| written(roles, *like)))
}

/// Refuses a theme in which decision texts or warnings are not readable on their background. The
/// terminal's own colours are unknown and not checked.
fn legible(
    document: &Document<'_>,
    roles: &BTreeMap<Role, Spanned<Look>>,
    looks: &[Entry],
) -> Result<(), document::Error> {
    let of = |role: Role| looks.get(role as usize).copied().unwrap_or_default();
    let text = of(Role::Text);
    for role in WEIGHTY {
        let entry = of(role);
        let (Some(fg), Some(bg)) = (entry.fg.or(text.fg), entry.bg.or(text.bg)) else {
            continue;
        };
        let ratio = contrast(fg.rgb, bg.rgb);
        if ratio < LEGIBLE {
            let message = format!(
                "its contrast with its background is {ratio:.1} to 1, but this role needs at least {LEGIBLE}: choose \
                 colours that are further apart"
            );
            let span = written(roles, role).map_or(0..0, Spanned::span);
            return Err(document.error(span, &message));
        }
    }
    Ok(())
}

fn hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue])
}

fn entry(
    look: &Look,
    palette: &BTreeMap<Spanned<String>, Colour>,
    document: &Document<'_>,
) -> Result<Entry, document::Error> {
    let paint = |name: &Field<String>| {
        let Some(name) = name.as_ref().filter(|name| name.get_ref() != "default") else {
            return Ok(None);
        };
        let Some(Colour { rgb, basic }) = palette.get(name.get_ref().as_str()) else {
            let name_text = name.get_ref();
            let what = format!("`{name_text}` is not in [palette]; use a name from there, or `default`");
            return Err(document.error(name.span(), &what));
        };
        Ok(Some(Paint {
            rgb: rgb.0,
            basic: basic.0,
        }))
    };
    let mut modifiers = Modifier::empty();
    modifiers.set(Modifier::BOLD, look.bold);
    modifiers.set(Modifier::DIM, look.dim);
    modifiers.set(Modifier::ITALIC, look.italic);
    modifiers.set(Modifier::UNDERLINED, look.underline);
    modifiers.set(Modifier::REVERSED, look.reverse);
    modifiers.set(Modifier::CROSSED_OUT, look.strike);
    Ok(Entry {
        fg: paint(&look.fg)?,
        bg: paint(&look.bg)?,
        modifiers,
    })
}
