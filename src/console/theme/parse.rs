//! Reads a theme file strictly; every error names file, line and key.
//!
//! Must not know: what a theme is used for.

use std::collections::HashMap;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::colour::{BASIC, Paint, contrast};
use super::{Entry, Error, Role, Theme};

const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
];

/// Roles of decisions and warnings, which must be readable.
const WEIGHTY: [Role; 17] = [
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
    Role::Warning,
    Role::Error,
];
/// Minimum contrast of readable text by the web guidelines (level AA).
pub(super) const LEGIBLE: f64 = 4.5;

type Table<'t> = DeTable<'t>;
type Value<'t> = Spanned<DeValue<'t>>;
type Palette = HashMap<String, Option<Paint>>;

/// Source of an error.
struct Place<'t> {
    text: &'t str,
    file: &'t str,
}

impl Place<'_> {
    fn bad(&self, at: usize, key: impl Into<String>, message: impl Into<String>) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        Error::Bad {
            file: crate::text::visible(self.file),
            line: 1 + before.matches('\n').count(),
            column: 1 + before.rsplit('\n').next().unwrap_or("").chars().count(),
            key: key.into(),
            message: message.into(),
        }
    }
}

pub(super) fn theme(text: &str, file: &str) -> Result<Theme, Error> {
    let place = Place { text, file };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        place.bad(at, "", format!("this is no TOML: {}", error.message()))
    })?;
    let top = table.get_ref();
    only(&place, top, "", &["name", "palette", "roles"])?;
    let name = need(&place, top, 0, "name")?;
    let name = name
        .get_ref()
        .as_str()
        .ok_or_else(|| place.bad(name.span().start, "name", "must be a string"))?
        .to_owned();
    let palette = palette(&place, need(&place, top, 0, "palette")?)?;
    let roles = need(&place, top, 0, "roles")?;
    let looks = looks(&place, roles, &palette)?;
    legible(&place, roles, &looks)?;
    Ok(Theme { name, looks })
}

/// Refuses a theme in which decision texts or warnings are not readable on their background. The
/// terminal's own colours are unknown and not checked.
fn legible(place: &Place<'_>, roles: &Value<'_>, looks: &[Entry]) -> Result<(), Error> {
    let of = |role: Role| looks.get(role as usize).copied().unwrap_or_default();
    let text = of(Role::Text);
    for role in WEIGHTY {
        let entry = of(role);
        let (Some(fg), Some(bg)) = (entry.fg.or(text.fg), entry.bg.or(text.bg)) else {
            continue;
        };
        let ratio = contrast(fg.rgb, bg.rgb);
        if ratio < LEGIBLE {
            let table = as_table(place, roles, "roles")?;
            let at = table.get(role.key()).map_or(0, |value| value.span().start);
            let message = format!(
                "its contrast with its background is {ratio:.1} to 1, but this role needs at least {LEGIBLE}: choose \
                 colours that are further apart"
            );
            return Err(place.bad(at, format!("roles.{}", role.key()), message));
        }
    }
    Ok(())
}

fn need<'t, 'v>(
    place: &Place<'_>,
    table: &'v Table<'t>,
    at: usize,
    key: &str,
) -> Result<&'v Value<'t>, Error> {
    table.get(key).ok_or_else(|| {
        place.bad(
            at,
            key,
            "is missing; a theme needs `name`, `[palette]` and `[roles]`",
        )
    })
}

fn only(place: &Place<'_>, table: &Table<'_>, prefix: &str, known: &[&str]) -> Result<(), Error> {
    for key in table.keys() {
        if !known.contains(&key.get_ref().as_ref()) {
            return Err(place.bad(
                key.span().start,
                format!("{prefix}{}", key.get_ref()),
                format!("is not known here; known: {}", known.join(", ")),
            ));
        }
    }
    Ok(())
}

fn as_table<'t, 'v>(place: &Place<'_>, value: &'v Value<'t>, key: &str) -> Result<&'v Table<'t>, Error> {
    value.get_ref().as_table().ok_or_else(|| {
        place.bad(
            value.span().start,
            key,
            format!("must be a table, not {}", value.get_ref().type_str()),
        )
    })
}

fn palette(place: &Place<'_>, value: &Value<'_>) -> Result<Palette, Error> {
    let mut palette = Palette::from([("default".to_owned(), None)]);
    for (name, value) in as_table(place, value, "palette")? {
        let key = format!("palette.{}", name.get_ref());
        if name.get_ref() == "default" {
            return Err(place.bad(name.span().start, key, "is the terminal's own colour already"));
        }
        let table = as_table(place, value, &key)?;
        only(place, table, &format!("{key}."), &["rgb", "basic"])?;
        let part = |part: &str, hint: &str| {
            let key = format!("{key}.{part}");
            let value = table
                .get(part)
                .ok_or_else(|| place.bad(value.span().start, &key, format!("is missing: {hint}")))?;
            let at = value.span().start;
            let text = value.get_ref().as_str().map(str::to_owned);
            text.map(|text| (at, key.clone(), text))
                .ok_or_else(|| place.bad(at, key, format!("must be a string: {hint}")))
        };
        let (at, rgb_key, text) = part("rgb", "write it as \"#rrggbb\"")?;
        let rgb = hex(&text).ok_or_else(|| {
            place.bad(
                at,
                rgb_key,
                format!("`{}` is no colour: write it as \"#rrggbb\"", short(&text)),
            )
        })?;
        let (at, basic_key, text) = part("basic", "one of the sixteen colours of a terminal")?;
        let basic = BASIC.iter().position(|name| *name == text).ok_or_else(|| {
            place.bad(
                at,
                basic_key,
                format!("`{}` is none of the sixteen: {}", short(&text), BASIC.join(", ")),
            )
        })?;
        let paint = Paint {
            rgb,
            basic: basic as u8,
        };
        palette.insert(name.get_ref().to_string(), Some(paint));
    }
    Ok(palette)
}

fn short(text: &str) -> String {
    // The file may hold anything, and the error goes to a terminal.
    text.chars().take(40).flat_map(char::escape_debug).collect()
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

fn looks(place: &Place<'_>, roles: &Value<'_>, palette: &Palette) -> Result<Vec<Entry>, Error> {
    let table = as_table(place, roles, "roles")?;
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.key()).collect();
    only(place, table, "roles.", &known)?;
    Role::ALL
        .iter()
        .map(|role| {
            let key = format!("roles.{}", role.key());
            let value = table.get(role.key()).ok_or_else(|| {
                place.bad(
                    roles.span().start,
                    &key,
                    "is missing; every role must be there, `{}` for nothing special",
                )
            })?;
            look(place, value, &key, palette)
        })
        .collect()
}

fn look(place: &Place<'_>, value: &Value<'_>, key: &str, palette: &Palette) -> Result<Entry, Error> {
    let table = as_table(place, value, key)?;
    let mut known = vec!["fg", "bg"];
    known.extend(MODIFIERS.iter().map(|(name, _)| *name));
    only(place, table, &format!("{key}."), &known)?;
    let paint = |part: &str| -> Result<Option<Paint>, Error> {
        let Some(value) = table.get(part) else {
            return Ok(None);
        };
        let name = value.get_ref().as_str();
        name.and_then(|name| palette.get(name)).copied().ok_or_else(|| {
            let message = format!(
                "{} is not in [palette]; use a name from there, or `default`",
                name.map_or_else(|| "this".to_owned(), |name| format!("`{}`", short(name)))
            );
            place.bad(value.span().start, format!("{key}.{part}"), message)
        })
    };
    let mut entry = Entry {
        fg: paint("fg")?,
        bg: paint("bg")?,
        modifiers: Modifier::empty(),
    };
    for (name, modifier) in MODIFIERS {
        if let Some(value) = table.get(name) {
            let on = value.get_ref().as_bool().ok_or_else(|| {
                place.bad(
                    value.span().start,
                    format!("{key}.{name}"),
                    "must be true or false",
                )
            })?;
            entry.modifiers.set(modifier, on);
        }
    }
    Ok(entry)
}
