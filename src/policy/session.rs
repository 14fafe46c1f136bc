//! Reads rules that an operator writes during a session, and limits what they may allow.
//!
//! Must not know: who writes it, how it is shown.
//!
//! A session rule may ask about and deny anything. What it may allow is narrow: exactly one call,
//! or calls of the built-in file tools whose arguments tell everything that they do.

use std::path::Path;

use serde_json::Value;

use overrule_base::known_tool::{self, Kind};
use overrule_base::text::visible;
use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::event::run::ToolCard;
use overrule_domain::rule::RuleSpec;
use overrule_domain::sandbox::Profile;

use super::commands::Case;
use super::danger::Danger;
use super::matcher::{Matcher, Pattern, Subject, Test};
use super::parse;
use super::place::{LineFacts, Places};
use super::read_only::ReadOnlyCall;
use super::rule::{Origin, Rule};
use super::shell::ShellCall;

/// Built-in tools whose arguments show everything that they do.
const VOUCHED: [&str; 5] = ["read_file", "list_dir", "search", "write_file", "edit_file"];
/// The built-in tool that runs a line in a shell.
const SHELL: &str = "shell";
/// Tags of calls that are never allowed without a decision on each of them.
const ALONE: [&str; 4] = ["external", "irreversible", "uninspectable", "asks_operator"];
/// Tags of calls that no rule about the first words of a command allows.
const ALWAYS_ASK: [&str; 3] = ["irreversible", "uninspectable", "asks_operator"];
/// Why there is no "always" for a call outside of the sandbox.
pub const LEAVES: &str = "it asks to leave the sandbox: there is no \"always\" for it";
/// Why there is no "always" if the files that run are unknown.
pub const UNTOLD: &str =
    "it runs an unknown file, or more files than are examined: there is no \"always\" for it";
/// Characters of a key that are shown.
const KEY: usize = 12;

/// Converts a session rule to a rule of the policy, or returns its fault.
pub fn rule(no: u32, written: &RuleSpec) -> Result<Rule, String> {
    match written {
        RuleSpec::Text { text } => Ok(Rule {
            no: Some(no),
            ..read(text)?
        }),
        RuleSpec::Exact {
            call,
            rev,
            tool,
            key,
            bytes,
        } => {
            let pattern = Pattern::new(&globset::escape(tool)).map_err(|error| error.to_string())?;
            let short: String = key.chars().take(KEY).collect();
            Ok(Rule {
                origin: Origin::Session,
                place: None,
                text: format!(
                    "always exactly the {bytes} bytes of {call} {rev} for {} ({})",
                    visible(tool),
                    visible(&short)
                ),
                no: Some(no),
                exact: Some(key.clone()),
                matcher: Matcher {
                    tools: vec![pattern],
                    ..Matcher::default()
                },
                gate: Gate::Allow,
                reason: None,
                deadline: None,
                uses: None,
                expires: None,
            })
        }
    }
}

/// Parses a rule as it is typed: the keys of a `[[rule]]`, on separate lines or separated by commas.
pub fn read(text: &str) -> Result<Rule, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(text)
        .trim();
    let lines = inner.contains('\n');
    let document = if lines {
        format!("[[rule]]\n{inner}\n")
    } else {
        format!("rule = [{{ {inner} }}]\n")
    };
    let written = parse::file("rule", &document, Origin::Session).map_err(|error| {
        let place = if lines {
            format!("line {}: ", error.place.line.saturating_sub(1).max(1))
        } else {
            String::new()
        };
        let key = if error.key.is_empty() {
            String::new()
        } else {
            format!("`{}`: ", visible(error.key.trim_start_matches("rule[0].")))
        };
        format!("{place}{key}{}", error.what)
    })?;
    let alone = written.preset.is_none() && written.deadline.is_none();
    match <[Rule; 1]>::try_from(written.rules) {
        Ok([rule]) if alone => Ok(Rule { place: None, ..rule }),
        _ => {
            Err("write one rule and nothing else, such as tool = \"read_file\", gate = \"allow\"".to_owned())
        }
    }
}

/// Checks whether a rule is admissible with these tools, or returns what it must not allow.
pub fn check_admissible<'t>(
    rule: &Rule,
    cards: impl IntoIterator<Item = &'t ToolCard>,
) -> Result<(), String> {
    if rule.gate != Gate::Allow || rule.exact.is_some() {
        return Ok(());
    }
    let matcher = &rule.matcher;
    if matcher.outside {
        return Err(
            "no rule of the session lets calls leave the sandbox; approve such calls one by one".to_owned(),
        );
    }
    if !matcher.servers.is_empty() {
        return Err(
            "no rule of the session allows tools of a server; approve such calls one by one".to_owned(),
        );
    }
    if matcher
        .args
        .iter()
        .any(|predicate| matches!(predicate.test, Test::Glob(_) | Test::Regex { .. }))
    {
        return Err(
            "a pattern covers more than it seems: compare arguments with is, under, min or max".to_owned(),
        );
    }
    let mut any = false;
    for card in cards {
        if !matcher.reaches(card) {
            continue;
        }
        let tool = visible(&card.name);
        if matcher.is_about_first_words() {
            // The condition holds for shells alone.
            if !known_tool::is_shell(&card.name) || card.server().is_some() {
                continue;
            }
            any = true;
            let is_own = &*card.name == SHELL || card.is_of_agent();
            if is_own && !card.tags.iter().any(|tag| ALWAYS_ASK.contains(&tag.as_str())) {
                continue;
            }
            return Err(format!(
                "it would allow `{tool}`, which is no shell of this program or of the agent"
            ));
        }
        any = true;
        if !is_vouched(card) || card.tags.iter().any(|tag| ALONE.contains(&tag.as_str())) {
            return Err(format!(
                "it would allow `{tool}`, whose arguments do not show all that it does: name other tools; for `{tool}` \
                 there is \"always exactly this\""
            ));
        }
        if card.effects().any(|effect| effect > EffectClass::Read)
            && matcher.args.iter().all(|predicate| predicate.not)
        {
            return Err(format!(
                "it would allow every call of `{tool}`, which changes files: narrow it, such as \
                 args = [{{ at = \"/path\", under = \"docs\" }}]"
            ));
        }
    }
    if any {
        Ok(())
    } else {
        Err("it matches no tool of this run".to_owned())
    }
}

/// True for a tool of files whose arguments show everything that it does.
pub(super) fn is_vouched(card: &ToolCard) -> bool {
    let is_file_tool = || {
        matches!(
            known_tool::kind(&card.name),
            Some(Kind::Read | Kind::Write | Kind::Edit)
        )
    };
    if card.is_of_agent() {
        return is_file_tool();
    }
    card.origin.is_none() && VOUCHED.contains(&&*card.name)
}

/// Checks whether exactly this call may always run. A shell line has to be one plain command.
pub fn may_always(tool: &str, args: &Value) -> Result<(), String> {
    if !known_tool::is_shell(tool) {
        return Ok(());
    }
    let call = ShellCall::new(tool, args);
    if !call.is_plain() || call.hides() {
        return Err(
            "this line is more than one plain command (or may be): there is no \"always\" for it".to_owned(),
        );
    }
    Ok(())
}

/// Returns true if a rule matches a call of a tool, by its text: no link is followed. The key of a rule about exactly one
/// call is not compared. `profile` is that of the run.
pub fn is_about(
    rule: &Rule,
    (card, profile): (&ToolCard, &Profile),
    args: &Value,
    workspace: Option<&Path>,
    danger: &Danger,
) -> bool {
    let text = args.to_string();
    let reads = |call: &ReadOnlyCall| call.is_inside(workspace);
    let line = LineFacts {
        danger,
        reads: &reads,
    };
    let subject = Subject {
        tool: &card.name,
        effect: card.effect_of(&text),
        tags: &card.tags,
        args,
        server: card.server(),
        is_of_agent: card.is_of_agent(),
        sandbox: profile.placement(card.confined, &text),
    };
    let places = Places {
        workspace,
        links: None,
        line: Some(line),
        files: None,
    };
    rule.matcher.matches(&Case::new(subject), rule.gate, places)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use overrule_domain::id::{NodeId, NodeKind, Rev};

    fn cards() -> Vec<ToolCard> {
        vec![
            ToolCard::bare("read_file", EffectClass::Read, &[]),
            ToolCard::bare("write_file", EffectClass::Write, &[]),
            ToolCard::bare("shell", EffectClass::Unknown, &["external"]),
            ToolCard::bare("book_flight", EffectClass::Write, &[]),
        ]
    }

    fn check(text: &str) -> Result<(), String> {
        check_admissible(&read(text)?, &cards())
    }

    #[test]
    fn a_rule_is_read_from_one_line_or_several() {
        let one = read(r#"tool = "read_file", gate = "allow""#).unwrap();
        let braced = read(r#" { tool = "read_file", gate = "allow" } "#).unwrap();
        let lines = read("tool = \"read_file\"\ngate = \"allow\"").unwrap();
        assert_eq!(one.text, r#"{ tool = "read_file", gate = "allow" }"#);
        assert_eq!((&braced.text, &lines.text), (&one.text, &one.text));
        assert_eq!(one.cite(), r#"session: { tool = "read_file", gate = "allow" }"#);
    }

    #[test]
    fn a_syntax_error_is_reported_with_its_line() {
        let error = read("tool = \"read_file\"\ngate = \"alow\"").unwrap_err();
        assert!(
            error.starts_with("line 2:") && error.contains("use allow, ask or deny"),
            "{error}"
        );
        for text in [
            "",
            "tool = \"x\"",
            "tool = \"x\", gate = \"allow\" }], preset = \"auto\", rule = [{ tool = \"y\", gate = \"allow\"",
            "tool = \"x\"\ngate = \"allow\"\n[[rule]]\ntool = \"y\"\ngate = \"allow\"",
            "tool = \"x\"\ngate = \"allow\"\n[other]",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_file_tools_can_be_allowed_by_a_session_rule() {
        check(r#"tool = "read_file", gate = "allow""#).unwrap();
        check(r#"tool = "read_file", args = [{ at = "/path", under = "src" }], gate = "allow""#).unwrap();
        check(r#"tool = "write_file", args = [{ at = "/path", under = "docs" }], gate = "allow""#).unwrap();
        for (text, why) in [
            (r#"tool = "*", gate = "allow""#, "`write_file`"),
            (r#"tool = "shell", gate = "allow""#, "always exactly this"),
            (
                r#"tool = "shell", args = [{ at = "/command", is = "ls" }], gate = "allow""#,
                "`shell`",
            ),
            (
                r#"tool = "book_flight", args = [{ at = "/to", is = "Rome" }], gate = "allow""#,
                "`book_flight`",
            ),
            (r#"effect = "write", gate = "allow""#, "`write_file`"),
            (r#"tool = "write_file", gate = "allow""#, "narrow it"),
            (
                r#"tool = "write_file", args = [{ at = "/path", under = "x", not = true }], gate = "allow""#,
                "narrow it",
            ),
            (
                r#"tool = "write_file", args = [{ at = "/path", glob = "*" }], gate = "allow""#,
                "a pattern",
            ),
            (
                r#"tool = "write_file", args = [{ at = "/path", regex = ".*" }], gate = "allow""#,
                "a pattern",
            ),
            (r#"server = "*", gate = "allow""#, "server"),
            (r#"tool = "nothing", gate = "allow""#, "no tool of this run"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_rule_that_tightens_may_be_about_anything() {
        for text in [
            r#"tool = "*", gate = "deny""#,
            r#"tool = "shell", args = [{ at = "/command", glob = "*rm*" }], gate = "ask""#,
        ] {
            check(text).unwrap();
        }
    }

    #[test]
    fn a_line_of_several_commands_has_no_always() {
        may_always("shell", &json!({"command": "cargo test"})).unwrap();
        may_always("other", &json!({"command": "a; b"})).unwrap();
        for line in ["a; b", "a && b", "echo $(x)", "a > b", "a\nb", "FOO=1 a `b`"] {
            assert!(may_always("shell", &json!({"command": line})).is_err(), "{line}");
            for shell in [&["sh", "-c"][..], &["env", "A=1", "bash", "-lc"]] {
                let argv: Vec<&str> = shell.iter().copied().chain([line]).collect();
                assert!(may_always("shell", &json!({ "argv": argv })).is_err(), "{argv:?}");
            }
            may_always("shell", &json!({"argv": ["grep", line]})).unwrap();
        }
        may_always("shell", &json!({"argv": ["sh", "-c", "cargo test"]})).unwrap();
    }

    #[test]
    fn exactly_this_names_the_call_and_the_key() {
        let written = RuleSpec::Exact {
            call: NodeId::new(NodeKind::Call, 5),
            rev: Rev(2),
            tool: "sh*ll".into(),
            key: "0123456789abcdef".into(),
            bytes: 17,
        };
        let rule = rule(3, &written).unwrap();
        assert_eq!(
            rule.cite(),
            "session rule 3: always exactly the 17 bytes of c5 r2 for sh*ll (0123456789ab)"
        );
        assert!(
            rule.matcher
                .reaches(&ToolCard::bare("sh*ll", EffectClass::Write, &[]))
        );
        assert!(
            !rule
                .matcher
                .reaches(&ToolCard::bare("shell", EffectClass::Write, &[])),
            "a name is no pattern"
        );
        check_admissible(&rule, &cards()).unwrap();
    }
}
