//! Adds the filters and the test that Jinja does not have to the templates of playbooks.
//!
//! Must not know: playbooks, requests.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State};
use regex::Regex;

/// Fuel that compiling a regular expression costs, besides one for each byte of it.
const COMPILE: u64 = 1_000;

/// Adds all of them. Names that Jinja, Django or Ansible use mean the same here.
pub fn add_to(env: &mut Environment<'static>) {
    env.add_filter("code", code);
    env.add_filter("extract", extract);
    env.add_filter("pluralize", pluralize);
    env.add_filter("regex_or_escaped", regex_or_escaped);
    env.add_filter("regex_replace", regex_replace);
    env.add_filter("tally", tally);
    env.add_filter("truncate", truncate);
    env.add_test("search", search);
}

/// The regular expressions of one rendering, each compiled once.
type Compiled = HashMap<String, Regex>;

fn regex(state: &mut State<'_, '_>, pattern: &str) -> Result<Regex, Error> {
    if let Some(known) = state.get_or_insert_extension(Compiled::new()).get(pattern) {
        return Ok(known.clone());
    }
    state.consume_fuel(COMPILE + pattern.len() as u64)?;
    let regex = Regex::new(pattern).map_err(|error| {
        let why = format!("`{pattern}` is not a regular expression: {}", last_line(&error));
        Error::new(ErrorKind::InvalidOperation, why)
    })?;
    state
        .get_or_insert_extension(Compiled::new())
        .insert(pattern.to_owned(), regex.clone());
    Ok(regex)
}

/// Returns the line of a regular expression's error that names the fault.
pub fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim().to_owned()
}

/// True if a regular expression matches somewhere in the text.
#[expect(clippy::needless_pass_by_value, reason = "the form of an argument of a test")]
fn search(state: &mut State<'_, '_>, text: Cow<'_, str>, pattern: Cow<'_, str>) -> Result<bool, Error> {
    Ok(regex(state, &pattern)?.is_match(&text))
}

/// Returns the first group (else the whole match) of the first expression that matches; undefined if none does. Of a
/// list, it returns the list of what matches.
fn extract(state: &mut State<'_, '_>, value: Value, patterns: Rest<String>) -> Result<Value, Error> {
    let patterns: Vec<Regex> = patterns
        .iter()
        .map(|pattern| regex(state, pattern))
        .collect::<Result<_, _>>()?;
    let found = |text: &str| {
        let found = patterns.iter().find_map(|pattern| pattern.captures(text))?;
        let group = found.iter().skip(1).flatten().next().or_else(|| found.get(0))?;
        Some(group.as_str().to_owned())
    };
    if value.kind() != ValueKind::Seq && value.kind() != ValueKind::Iterable {
        return Ok(found(&text_of(&value)?).map_or(Value::UNDEFINED, Value::from));
    }
    let mut items = Vec::new();
    for item in value.try_iter()? {
        items.extend(found(&text_of(&item)?));
    }
    Ok(Value::from(items))
}

/// Returns a value as text; an undefined one is an error.
fn text_of(value: &Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    Ok(value.to_string())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the form of an argument of a filter"
)]
fn regex_replace(
    state: &mut State<'_, '_>,
    text: Cow<'_, str>,
    pattern: Cow<'_, str>,
    with: Cow<'_, str>,
) -> Result<String, Error> {
    let regex = regex(state, &pattern)?;
    // The engine charges for the result only once it exists. Each group is at most as long as the text.
    let matches = regex.find_iter(&text).count();
    let groups = with.matches('$').count();
    let most = matches
        .saturating_mul(with.len())
        .saturating_add(groups.saturating_mul(text.len())) as u64;
    state.consume_fuel(most / 64)?;
    Ok(regex.replace_all(&text, &*with).into_owned())
}

/// Returns the text if it is a regular expression, otherwise the text escaped.
fn regex_or_escaped(state: &mut State<'_, '_>, text: Cow<'_, str>) -> Result<String, Error> {
    state.consume_fuel(COMPILE + text.len() as u64)?;
    Ok(match Regex::new(&text) {
        Ok(_) => text.into_owned(),
        Err(_) => regex::escape(&text),
    })
}

/// Counts equal items: pairs of an item and its number, most frequent first.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the form of an argument of a filter"
)]
fn tally(value: Value) -> Result<Value, Error> {
    let mut places: HashMap<Value, usize> = HashMap::new();
    let mut counted: Vec<(Value, usize)> = Vec::new();
    for item in value.try_iter()? {
        if let Some((_, count)) = places.get(&item).and_then(|&at| counted.get_mut(at)) {
            *count += 1;
        } else {
            places.insert(item.clone(), counted.len());
            counted.push((item, 1));
        }
    }
    counted.sort_by_key(|(_, count)| Reverse(*count));
    let pair = |(item, count): (Value, usize)| Value::from(vec![item, Value::from(count)]);
    Ok(counted.into_iter().map(pair).collect())
}

/// Returns the ending for a number, or for a list of this length.
fn pluralize(value: Value, singular: Option<String>, plural: Option<String>) -> Result<String, Error> {
    let count = match value.len() {
        Some(length) if value.kind() != ValueKind::String => length as i64,
        _ => i64::try_from(value)?,
    };
    Ok(if count == 1 {
        singular.unwrap_or_default()
    } else {
        plural.unwrap_or_else(|| "s".to_owned())
    })
}

/// Shortens a text at the end of a word.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the form of an argument of a filter"
)]
fn truncate(text: Cow<'_, str>, length: Option<usize>, options: Kwargs) -> Result<String, Error> {
    let length = match length {
        Some(length) => length,
        None => options.get::<Option<usize>>("length")?.unwrap_or(255),
    };
    let whole_words = !options.get::<Option<bool>>("killwords")?.unwrap_or(false);
    let end = options
        .get::<Option<String>>("end")?
        .unwrap_or_else(|| "...".to_owned());
    let leeway = options.get::<Option<usize>>("leeway")?.unwrap_or(5);
    options.assert_all_used()?;
    if text.chars().count() <= length.saturating_add(leeway) {
        return Ok(text.into_owned());
    }
    let most = length.saturating_sub(end.chars().count());
    let short: String = text.chars().take(most).collect();
    let short = match short.rsplit_once(' ') {
        Some((words, _)) if whole_words => words,
        _ => &short,
    };
    Ok(format!("{short}{end}"))
}

/// Puts a text in backquotes, as many as necessary.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the form of an argument of a filter"
)]
fn code(text: Cow<'_, str>) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}
