//! Changes JSON values by JSON pointer. Must not know: what the values are for.

use serde_json::Value;

/// A name as a part of a pointer.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The pointer to what holds a value; itself at the top.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The name of a value in what holds it; empty at the top.
pub fn last(path: &str) -> String {
    path.rsplit_once('/')
        .map_or("", |(_, name)| name)
        .replace("~1", "/")
        .replace("~0", "~")
}

/// Puts a value; none where what should hold it does not exist.
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

/// Takes a member of an object away; none where it is not there.
pub fn take(of: &mut Value, path: &str) -> Option<()> {
    // The order of what stays is kept.
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
