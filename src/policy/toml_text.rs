//! Writes values as TOML in one line.
//!
//! Must not know: rules.

use serde_json::Value;

/// A text as a string of TOML. The escapes of JSON are those of TOML, but for one character.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A value in one line; none for what TOML does not have: `null`, and whole numbers beyond 64 bits.
pub(super) fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) if number.is_f64() || number.is_i64() => {
            let text = number.to_string();
            let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            if is_whole && number.is_f64() {
                format!("{text}.0")
            } else {
                text
            }
        }
        Value::Null | Value::Number(_) => return None,
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) => {
            let members: Option<Vec<String>> = members
                .iter()
                .map(|(name, value)| Some(format!("{} = {}", quoted(name), inline(value)?)))
                .collect();
            format!("{{ {} }}", members?.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same_value() {
        let value = json!({
            "command": "a 'b' \"c\" \\ \n\t\u{7f}\u{1b}\u{202e}é 日本",
            "n": -3, "f": 0.5, "e": 1e30, "l": [1, [true, "x"], {"a b": {}}], "": "", "o": {},
        });
        let text = format!("it = {}", inline(&value).unwrap());
        assert!(!text.contains('\n'), "{text}");
        let read: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&read["it"]).unwrap(), value);
    }

    #[test]
    fn what_toml_does_not_have_is_not_written() {
        for value in [
            json!(null),
            json!([1, null]),
            json!({"a": {"b": null}}),
            json!(u64::MAX),
        ] {
            assert_eq!(inline(&value), None, "{value}");
        }
    }
}
