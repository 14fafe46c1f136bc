//! Says whether the body of a request names tools, in any format.
//!
//! Must not know: paths, wire formats, what follows.

use super::json_facts::Facts;

/// Words of which one is in every body with a list of tools.
const WORDS: [&str; 2] = ["tool", "function"];

/// What a body names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyTools {
    /// At least one tool.
    Some,
    /// None.
    None,
    /// It may name some: it is like JSON, and cannot be read.
    Unreadable,
}

impl BodyTools {
    /// Reads a body.
    pub fn of(body: &[u8]) -> Self {
        match serde_json::from_slice::<Facts>(body) {
            Ok(facts) if facts.has_tools => Self::Some,
            Err(_) if may_name(body) => Self::Unreadable,
            Ok(_) | Err(_) => Self::None,
        }
    }
}

/// True for a body that is like JSON and has a word of a list of tools. Other texts, archives and forms are no requests.
fn may_name(body: &[u8]) -> bool {
    // Marks of an encoding, and the zeros of a wider one.
    let text = body.iter().copied();
    let text: Vec<u8> = text
        .filter(|byte| !matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff))
        .collect();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    text.trim_start().starts_with(['{', '[']) && WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_found_in_every_shape_in_use() {
        for body in [
            r#"{"tools":[{"name":"Bash"}]}"#,
            r#"{"model":"m","tools":[],"tools":[{"type":"function"}]}"#,
            r#"{"tools":[{"type":"function"}],"tools":[]}"#,
            r#"{"tools":{"functionDeclarations":[{"name":"x"}]}}"#,
            r#"{"tools":[{"functionDeclarations":[{"name":"x"}]}]}"#,
            r#"{"function_declarations":[{"name":"x"}]}"#,
            r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"x"}}]}}"#,
            r#"{"functions":[{"name":"x"}]}"#,
            r#"{"Tools":[{"name":"x"}]}"#,
            r#"{"\u0074ools":[{"name":"x"}]}"#,
            r#"{"session":{"tools":[{"name":"x"}]}}"#,
            r#"{"requests":[{"params":{"tools":[{"name":"x"}]}}]}"#,
            r#"[{"tools":[1]}]"#,
        ] {
            assert_eq!(BodyTools::of(body.as_bytes()), BodyTools::Some, "{body}");
        }
    }

    #[test]
    fn a_body_without_a_list_of_tools_names_none() {
        let text: &[&[u8]] = &[
            b"",
            b"{}",
            br#"{"tools":[]}"#,
            br#"{"tools":{},"functions":null}"#,
            br#"{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}"#,
            br#"{"messages":[{"role":"user","content":"{\"tools\":[1]}"}]}"#,
            br#"{"tool_choice":"none","n":-1.5e300,"big":123456789012345678901234567890}"#,
            b"--x\r\nContent-Disposition: form-data\r\n\r\n{\"tools\":[1]}",
            b"name=tools&x=[1]",
            b"\x1f\x8b\x08 tools",
        ];
        for body in text {
            assert_eq!(
                BodyTools::of(body),
                BodyTools::None,
                "{}",
                String::from_utf8_lossy(body)
            );
        }
    }

    #[test]
    fn what_is_like_json_and_cannot_be_read_may_name_tools() {
        let deep = format!("{}\"tools\":1{}", "{\"a\":".repeat(200), "}".repeat(200));
        let wide: Vec<u8> = r#"{"tools":[1]}"#.bytes().flat_map(|byte| [byte, 0]).collect();
        let bodies: [&[u8]; 6] = [
            b"{\"tools\":[{}",
            b"\xef\xbb\xbf{\"tools\":[{}]}",
            b"{\"tools\":[1]} {\"x\":1}",
            b"[{'functions': [1]}]",
            deep.as_bytes(),
            &wide,
        ];
        for body in bodies {
            assert_eq!(
                BodyTools::of(body),
                BodyTools::Unreadable,
                "{}",
                String::from_utf8_lossy(body)
            );
        }
        assert_eq!(BodyTools::of(b"{\"event\": nothing}"), BodyTools::None);
    }
}
