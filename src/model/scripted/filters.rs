//! Filters of templates: transformations of a text or a list.
//!
//! Must not know: playbooks, requests.
//!
//! They cannot fail. Names and arguments were checked when the playbook was read.

use std::collections::HashMap;

use regex::Regex;

use super::template::{Arg, Filter};
use super::value::Value;

/// Applies a filter. `other` looks up a source that is named as an argument.
pub fn apply(
    filter: &Filter,
    value: Option<Value>,
    other: &dyn Fn(&[String]) -> Option<Value>,
) -> Option<Value> {
    let args = Args(&filter.args);
    if filter.name == "default" {
        return value
            .filter(|value| !value.is_empty())
            .or_else(|| Some(Value::Text(args.text(0).to_owned())));
    }
    if filter.name == "plus" {
        let mut items = value.map(Value::into_items).unwrap_or_default();
        items.extend(
            args.source(0)
                .and_then(other)
                .map(Value::into_items)
                .unwrap_or_default(),
        );
        return Some(Value::List(items));
    }
    let value = value?;
    Some(match filter.name.as_str() {
        "lines" => Value::List(value.into_items()),
        "count" => Value::Text(value.into_items().len().to_string()),
        "plural" => Value::Text(plural(value, args.text(0), args.text(1))),
        "more_than" => {
            let items = value.into_items();
            let more = items.len().saturating_sub(args.number(0, 0));
            Value::Text(if more > 0 { more.to_string() } else { String::new() })
        }
        "first" => return first(value, args.count(0)),
        "last" => {
            let mut items = value.into_items();
            let skip = items.len().saturating_sub(args.number(0, 1));
            Value::List(items.split_off(skip))
        }
        "skip" => Value::List(value.into_items().into_iter().skip(args.number(0, 0)).collect()),
        "grep" => keep(value, |item| {
            args.regex(0).is_some_and(|regex| regex.is_match(item))
        }),
        "reject" => keep(value, |item| {
            !args.regex(0).is_some_and(|regex| regex.is_match(item))
        }),
        "extract" => extract(value, args.regex(0)?),
        "match" => return matched(value, &args),
        "replace" => value.map(|text| match args.regex(0) {
            Some(regex) => regex.replace_all(text, args.text(1)).into_owned(),
            None => text.to_owned(),
        }),
        "sort" => {
            let mut items = value.into_items();
            items.sort();
            Value::List(items)
        }
        "unique" => Value::List(
            tally(value.into_items())
                .into_iter()
                .map(|(item, _)| item)
                .collect(),
        ),
        "tally" => frequencies(value, args.opt_text(0)),
        "join" => Value::Text(value.into_items().join(args.text(0))),
        "prefix" => value.map(|text| format!("{}{text}", args.text(0))),
        "suffix" => value.map(|text| format!("{text}{}", args.text(0))),
        "cap" => value.map(|text| cap(text, args.number(0, 80))),
        "code" => value.map(code),
        "trim" => value.map(|text| text.trim().to_owned()),
        "lower" => value.map(str::to_lowercase),
        "regex" => value.map(|text| match Regex::new(text) {
            Ok(_) => text.to_owned(),
            Err(_) => regex::escape(text),
        }),
        _ => value,
    })
}

struct Args<'a>(&'a [Arg]);

impl Args<'_> {
    fn text(&self, at: usize) -> &str {
        self.opt_text(at).unwrap_or_default()
    }

    fn opt_text(&self, at: usize) -> Option<&str> {
        match self.0.get(at) {
            Some(Arg::Text(text, _)) => Some(text),
            _ => None,
        }
    }

    fn regex(&self, at: usize) -> Option<&Regex> {
        match self.0.get(at) {
            Some(Arg::Text(_, regex)) => regex.as_ref(),
            _ => None,
        }
    }

    fn count(&self, at: usize) -> Option<usize> {
        match self.0.get(at) {
            Some(Arg::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn number(&self, at: usize, default: usize) -> usize {
        self.count(at).unwrap_or(default)
    }

    fn source(&self, at: usize) -> Option<&[String]> {
        match self.0.get(at) {
            Some(Arg::Source(path)) => Some(path),
            _ => None,
        }
    }
}

/// Returns the first item as text or, given a number, the first items as a list.
fn first(value: Value, count: Option<usize>) -> Option<Value> {
    let mut items = value.into_items();
    match count {
        None => items.into_iter().next().map(Value::Text),
        Some(count) => {
            items.truncate(count);
            Some(Value::List(items))
        }
    }
}

fn keep(value: Value, requested: impl Fn(&str) -> bool) -> Value {
    let mut items = value.into_items();
    items.retain(|item| requested(item));
    Value::List(items)
}

/// Returns the first group, or else the whole match, of the first match in each item.
fn extract(value: Value, regex: &Regex) -> Value {
    let items = value.into_items();
    Value::List(items.iter().filter_map(|item| captured(regex, item)).collect())
}

/// Returns the first group of the first expression that matches, item by item.
fn matched(value: Value, args: &Args<'_>) -> Option<Value> {
    let items = match value {
        Value::Text(text) => vec![text],
        Value::List(items) => items,
    };
    let expressions = || (0..args.0.len()).filter_map(|at| args.regex(at));
    items
        .iter()
        .find_map(|item| expressions().find_map(|regex| captured(regex, item)))
        .map(Value::Text)
}

fn captured(regex: &Regex, text: &str) -> Option<String> {
    let found = regex.captures(text)?;
    let group = found.iter().skip(1).flatten().next();
    let part = group.or_else(|| found.get(0))?;
    Some(part.as_str().to_owned())
}

/// Counts equal items, in the order of their first appearance.
fn tally(items: Vec<String>) -> Vec<(String, usize)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for item in items {
        if let Some((_, count)) = places.get(&item).and_then(|&at| counted.get_mut(at)) {
            *count += 1;
        } else {
            places.insert(item.clone(), counted.len());
            counted.push((item, 1));
        }
    }
    counted
}

/// Sorts items by frequency, highest first; `{item}` and `{count}` in the format stand for both.
fn frequencies(value: Value, format: Option<&str>) -> Value {
    let mut counted = tally(value.into_items());
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let show = |(item, count): (String, usize)| match format {
        Some(format) => format
            .replace("{count}", &count.to_string())
            .replace("{item}", &item),
        None => item,
    };
    Value::List(counted.into_iter().map(show).collect())
}

fn plural(value: Value, one: &str, many: &str) -> String {
    let count = match &value {
        Value::Text(text) => text.trim().parse::<usize>().ok(),
        Value::List(_) => None,
    };
    let count = count.unwrap_or_else(|| value.into_items().len());
    match count {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

fn cap(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Puts a text in backquotes, as many as necessary.
fn code(text: &str) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}
