//! Reads a line of failure settings and changes them.
//!
//! Must not know: the settings, how a value is read.

use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use overrule_domain::command::{Command, ResilienceCommand};

/// Splits settings at blanks outside of lists, tables and quotation marks.
fn settings(text: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    let (mut depth, mut quote, mut last) = (0_u32, None, ' ');
    for (at, c) in text.char_indices() {
        let is_escaped = quote == Some('"') && last == '\\';
        let opens = quote.is_none() && (depth > 0 || last == '=');
        match c {
            _ if quote == Some(c) && !is_escaped => quote = None,
            _ if quote.is_some() => {}
            '\'' | '"' if opens => quote = Some(c),
            '[' | '{' if opens => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() && depth == 0 => {
                found.extend(text.get(begin..at));
                begin = at;
            }
            _ => {}
        }
        last = c;
    }
    found.extend(text.get(begin..));
    found.retain_mut(|one| {
        *one = one.trim();
        !one.is_empty()
    });
    found
}

/// Changes failure settings: `KEY=VALUE`, any number of them.
pub(crate) fn configure(model: &mut Model, text: &str, out: &mut Vec<Out>) -> Result<(), String> {
    for setting in settings(text) {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            format!(
                "`{}` is not a setting: type KEY=VALUE",
                overrule_base::text::visible(setting)
            )
        })?;
        let (key, value) = (key.into(), value.into());
        let command = ResilienceCommand::Configure { key, value };
        send(model, Command::Resilience(command), None, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::settings;

    #[test]
    fn a_line_is_split_outside_of_lists_tables_and_quotes() {
        for (line, expected) in [
            (
                "retry.retries=2  breaker.open=1m ",
                &["retry.retries=2", "breaker.open=1m"][..],
            ),
            (
                "loops.muted=['visits', 'exhausted'] a=1",
                &["loops.muted=['visits', 'exhausted']", "a=1"],
            ),
            (
                "a={ b = [\"x y\", ']'] } c=d",
                &["a={ b = [\"x y\", ']'] }", "c=d"],
            ),
            (
                "a='one two' b=\"3 \\\" 4\" c=5",
                &["a='one two'", "b=\"3 \\\" 4\"", "c=5"],
            ),
            ("a=it's b=2", &["a=it's", "b=2"]),
            ("a=['open b=2", &["a=['open b=2"]),
            ("  ", &[]),
            ("a b", &["a", "b"]),
        ] {
            assert_eq!(settings(line), expected, "{line}");
        }
    }
}
