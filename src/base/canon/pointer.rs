//! Changes JSON values by JSON pointer.
//!
//! Must not know: what the values are for.

use serde_json::Value;

/// Maximum length in bytes of a pointer that is reported, and of one that is repaired.
pub const LONGEST: usize = 4 * 1024;

/// Escapes a name for use in a pointer.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Shortens a pointer for a message.
pub fn shortened(mut path: String) -> String {
    if path.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| path.is_char_boundary(*end));
        path.truncate(end.unwrap_or_default());
        path.push('…');
    }
    path
}

/// Returns the pointer to the container of a value; the pointer itself at the top.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns the name of a value in its container; empty at the top.
pub fn last(path: &str) -> String {
    path.rsplit_once('/')
        .map_or("", |(_, name)| name)
        .replace("~1", "/")
        .replace("~0", "~")
}

/// Sets a value; returns `None` if its container does not exist.
pub fn set(of: &mut Value, path: &str, value: Value) -> Option<()> {
    if path.is_empty() {
        *of = value;
        return Some(());
    }
    if !path.starts_with('/') {
        return None;
    }
    match of.pointer_mut(parent(path))? {
        Value::Object(map) => {
            map.insert(last(path), value);
        }
        Value::Array(items) => *items.get_mut(last(path).parse::<usize>().ok()?)? = value,
        _ => return None,
    }
    Some(())
}

/// Removes a member of an object; returns `None` if it does not exist.
pub fn take(of: &mut Value, path: &str) -> Option<()> {
    // Keep the order of the remaining members.
    of.pointer_mut(parent(path))?
        .as_object_mut()?
        .shift_remove(&last(path))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_put_and_taken_where_their_place_is() {
        let mut args = json!({"a": {"x/y": [1, 2]}, "b": 1});
        assert_eq!(set(&mut args, "/a/x~1y/1", json!("two")), Some(()));
        assert_eq!(set(&mut args, "/a/new~0", json!(null)), Some(()));
        assert_eq!(take(&mut args, "/b"), Some(()));
        assert_eq!(args, json!({"a": {"x/y": [1, "two"], "new~": null}}));
        for path in ["/a/x~1y/2", "/a/x~1y/z", "/nothing/here", "/a/new~0/deep", "a"] {
            assert_eq!(set(&mut args, path, json!(0)), None, "{path}");
        }
        for path in ["/b", "/a/x~1y/0", ""] {
            assert_eq!(take(&mut args, path), None, "{path}");
        }
        assert_eq!(args, json!({"a": {"x/y": [1, "two"], "new~": null}}));
        assert_eq!(set(&mut args, "", json!(7)), Some(()));
        assert_eq!(
            (args, parent("/a/b"), last("/a/x~1y").as_str()),
            (json!(7), "/a", "x/y")
        );
    }
}
