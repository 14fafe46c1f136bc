//! Changes single values of the JSON text of an event; every other byte stays.
//!
//! Must not know: formats, calls.

use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::json::{Element, quoted, with_elements, with_member, without_member};

/// The arguments as an object, for formats that carry one.
pub(super) fn object(args: &str) -> &str {
    if Object::read(args).is_some() { args } else { "{}" }
}

/// An object with another value of a member. It has no other value of it.
pub(super) fn set(raw: &str, key: &str, value: &str) -> String {
    let count = |raw: &str| {
        Object::read(raw).map_or(0, |object| {
            object.entries().filter(|(name, _)| *name == key).count()
        })
    };
    let mut raw = raw.to_owned();
    for _ in 1..count(&raw) {
        raw = without_member(&raw, key);
    }
    with_member(&raw, key, value)
}

/// An object without a member, however often it has it.
pub(super) fn without(raw: &str, key: &str) -> String {
    let mut raw = raw.to_owned();
    while Object::read(&raw).is_some_and(|object| object.entries().any(|(name, _)| name == key)) {
        raw = without_member(&raw, key);
    }
    raw
}

/// An object in which a member was changed, if it has it.
pub(super) fn in_member(raw: &str, key: &str, change: impl FnOnce(&str) -> String) -> String {
    match frame::member(raw, key) {
        Some(value) => set(raw, key, &change(value)),
        None => raw.to_owned(),
    }
}

/// A list in which every element was changed. `None` takes one out.
pub(super) fn each(list: &str, mut change: impl FnMut(&str) -> Option<String>) -> String {
    let elements = frame::array(list).into_iter().enumerate();
    let elements: Vec<Element> = elements
        .filter_map(|(at, old)| {
            let new = change(old)?;
            Some(if new == old {
                Element::Old(at)
            } else {
                Element::Changed(at, new)
            })
        })
        .collect();
    with_elements(list, &elements)
}

/// The string under a key; empty if there is none.
pub(super) fn text(raw: &str, key: &str) -> String {
    let value = frame::member(raw, key).and_then(frame::string);
    value.map(String::from).unwrap_or_default()
}

/// A function with another name and other arguments, in the form that it has them.
pub(super) fn function(raw: &str, tool: &str, args: &str) -> String {
    let is_object = frame::member(raw, "arguments").is_some_and(|args| args.starts_with('{'));
    let args = if is_object {
        object(args).to_owned()
    } else {
        quoted(args)
    };
    set(&set(raw, "name", &quoted(tool)), "arguments", &args)
}
