//! Fills `${VAR}` and `${VAR:-default}` in a text from the environment.
//!
//! Must not know: files, what the text is for.

use super::env::Env;

/// Fills the variables of a text. The error says which one is missing or what is wrong.
pub fn expand(text: &str, env: &Env) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        filled.push_str(before);
        let inner = after.strip_prefix("${").unwrap_or(after);
        let Some(end) = inner.find('}') else {
            return Err("a `${` without a `}`".to_owned());
        };
        let (name, after) = inner.split_at(end);
        rest = after.strip_prefix('}').unwrap_or(after);
        let (name, default) = match name.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (name, None),
        };
        match (env.variable(name).filter(|value| !value.is_empty()), default) {
            (Some(value), _) => filled.push_str(&value),
            (None, Some(default)) => filled.push_str(default),
            (None, None) => {
                return Err(format!(
                    "the variable `{name}` is not set; set it, or write ${{{name}:-default}}"
                ));
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Variables;

    #[test]
    fn variables_are_filled_and_missing_ones_are_named() {
        let env = Env {
            all: Variables(vec![("A".into(), "1".into()), ("EMPTY".into(), "".into())]),
            ..Env::default()
        };
        for (text, filled) in [
            ("plain $A {A}", "plain $A {A}"),
            ("x${A}y${A}", "x1y1"),
            ("${B:-b}${EMPTY:-e}", "be"),
            ("${B:-}", ""),
        ] {
            assert_eq!(expand(text, &env).unwrap(), filled, "{text}");
        }
        assert!(expand("${B}", &env).unwrap_err().contains("`B` is not set"));
        assert!(expand("${A", &env).unwrap_err().contains("without"));
    }
}
