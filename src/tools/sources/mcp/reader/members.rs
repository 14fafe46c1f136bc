//! Repairs single members of objects: null is absent, an empty list is an empty object where one is due.
//!
//! Must not know: which message an object belongs to.

use overrule_base::canon::Tree;

use super::repairs::Repairs;

/// Takes a member; null is absent.
pub(super) fn take(object: &mut Tree, name: &str) -> Option<Tree> {
    object.remove(name).filter(|value| !value.is_null())
}

/// Takes a member that has another name in other protocols. `what` is the object, for people.
pub(super) fn take_renamed(
    object: &mut Tree,
    name: &str,
    others: &[&str],
    (what, repairs): (&str, &mut Repairs),
) -> Option<Tree> {
    if let Some(value) = take(object, name) {
        return Some(value);
    }
    others.iter().find_map(|other| {
        let value = take(object, other)?;
        repairs.read(format!("{what}: `{other}` read as `{name}`"));
        Some(value)
    })
}

/// Takes a member that is a text. Another value is left out.
pub(super) fn take_text(object: &mut Tree, name: &str, what: &str, repairs: &mut Repairs) -> Option<Tree> {
    let value = take(object, name)?;
    if matches!(value, Tree::Text(_)) {
        return Some(value);
    }
    left_out(&value, name, what, repairs);
    None
}

/// Takes a member that is an object. An empty list is an empty one; another value is left out.
pub(super) fn take_object(object: &mut Tree, name: &str, what: &str, repairs: &mut Repairs) -> Option<Tree> {
    let value = take(object, name)?;
    match as_object(value, what, name, repairs) {
        Ok(object) => Some(object),
        Err(value) => {
            left_out(&value, name, what, repairs);
            None
        }
    }
}

/// Returns an object; an empty list is an empty one. Returns other values as they are.
pub(super) fn as_object(value: Tree, what: &str, name: &str, repairs: &mut Repairs) -> Result<Tree, Tree> {
    match value {
        Tree::Object(_) => Ok(value),
        Tree::List(items) if items.is_empty() => {
            repairs.read(format!(
                "{what}: `{name}` is an empty list: read as an empty object"
            ));
            Ok(Tree::Object(Vec::new()))
        }
        other => Err(other),
    }
}

/// Takes a whole number that is not below 0. Another value is left out.
pub(super) fn take_count(object: &mut Tree, name: &str, what: &str, repairs: &mut Repairs) -> Option<Tree> {
    let value = take(object, name)?;
    if let Some(number) = whole(&value).filter(|number| *number >= 0) {
        return Some(Tree::Number(number.to_string()));
    }
    left_out(&value, name, what, repairs);
    None
}

/// Names a member that is left out.
pub(super) fn left_out(value: &Tree, name: &str, what: &str, repairs: &mut Repairs) {
    repairs.left(format!("{what}: left out `{name}`, which is {}", value.kind()));
}

/// Returns a whole number, also one that is written `3.0` or as a text.
pub(super) fn whole(value: &Tree) -> Option<i64> {
    let (Tree::Number(text) | Tree::Text(text)) = value else {
        return None;
    };
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (number, fraction) = text.split_once('.')?;
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
    is_whole.then(|| number.parse().ok()).flatten()
}

/// Replaces numbers that no value can hold by null. Lists and objects keep their places.
pub(super) fn bound_numbers(tree: &mut Tree, repairs: &mut Repairs) {
    match tree {
        Tree::Number(number) if serde_json::from_str::<serde_json::Number>(number).is_err() => {
            repairs.left("a number out of range: read as null");
            *tree = Tree::Null;
        }
        Tree::List(items) => items.iter_mut().for_each(|item| bound_numbers(item, repairs)),
        Tree::Object(members) => {
            for (_, value) in members {
                bound_numbers(value, repairs);
            }
        }
        _ => {}
    }
}
