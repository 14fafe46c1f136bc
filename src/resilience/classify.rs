//! Classifies an error whose kind follows only from its text.
//!
//! Must not know: tools.
//!
//! The operator's corrections come first. Then better evidence wins: what the tool declares, an
//! HTTP status, a system error number, a JSON-RPC code. Text is examined only without any of these.
//! It matches between word boundaries, and numbers only after `HTTP` or `status`. The operator's
//! patterns come before the built-in ones.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::correction::{self, Correction};
use super::policy::Bad;
use overrule_base::text::visible_head;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};

/// Evidence of a failure that an MCP server reports in a result.
pub const REPORTED: &str = "isError of the server's result";
/// How the evidence of a command begins that ended with a code other than its success codes.
pub const EXITED: &str = "exit code ";
/// What precedes the name of an argument in the evidence of a failure whose words are about it.
pub const ABOUT: &str = "about the argument `";

/// Returns the argument that the words of a failure are about, if its evidence names one.
pub fn argument(error: &ToolError) -> Option<&str> {
    let (_, rest) = error.evidence.split_once(ABOUT)?;
    rest.split('`').next()
}

/// Returns true if a tool ran, ended and refused the call in its own words, so that only these say why.
fn is_refusal(error: &ToolError) -> bool {
    match error.class {
        ErrorClass::Unknown => error.evidence.starts_with(REPORTED) || json_rpc(error).is_some(),
        ErrorClass::Business => error.evidence.starts_with(EXITED),
        _ => false,
    }
}

/// Maximum number of characters of a match that the evidence shows.
const SHOWN: usize = 200;
/// Maximum size of a compiled pattern in bytes.
const LARGEST: usize = 256 * 1024;
/// Maximum number of an operator's patterns.
const MOST: usize = 64;

/// The operator's patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The patterns; the first match wins.
    pub patterns: Vec<Pattern>,
    /// Corrections of classes, which precede all other evidence; the last match wins.
    pub corrections: Vec<Correction>,
}

/// Words that identify a class of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// A regular expression, matched between word boundaries and regardless of case.
    pub matches: String,
    /// The class.
    pub class: ErrorClass,
    /// The tool whose errors it applies to; `None` for all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl Pattern {
    fn compile(&self) -> Result<Regex, String> {
        compile(&self.matches)
    }
}

impl Settings {
    /// Refuses patterns that do not compile.
    pub fn check(&self) -> Result<(), Bad> {
        correction::check(&self.corrections)?;
        Bad::unless(
            "errors.patterns",
            self.patterns.len() <= MOST,
            "at most 64 patterns can be set",
        )?;
        for (at, pattern) in self.patterns.iter().enumerate() {
            let key = format!("errors.patterns[{}]", at + 1);
            Bad::unless(
                &key,
                !pattern.matches.is_empty(),
                "an empty pattern matches everything",
            )?;
            if let Err(why) = pattern.compile() {
                return Err(Bad { key, why });
            }
        }
        Ok(())
    }
}

/// Compiles a pattern that is matched between word boundaries and regardless of case.
pub(super) fn compile(text: &str) -> Result<Regex, String> {
    // Half boundaries prevent a match inside a word, but let a pattern begin or end with a symbol.
    RegexBuilder::new(&format!(r"\b{{start-half}}(?:{text})\b{{end-half}}"))
        .case_insensitive(true)
        .size_limit(LARGEST)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
            error => error
                .to_string()
                .lines()
                .last()
                .unwrap_or("it is no regular expression")
                .to_owned(),
        })
}

const BAD_REQUEST: &str = "bad request";
const NOT_FOUND: &str = "no such file or directory|not found|does not exist|ENOENT";

/// The built-in patterns, the most specific first. Those that are not certain give way to a complaint about an argument.
static BUILT_IN: LazyLock<Vec<(ErrorClass, Regex, bool)>> = LazyLock::new(|| {
    let status = r"(?:HTTP(?:/[0-9.]+)?|status)(?: code)?[ :=]{1,3}";
    [
        (ErrorClass::Transient, format!("{status}(?:408|425|429|500|502|503|504)")),
        (ErrorClass::Param, format!("{status}(?:400|422)")),
        (ErrorClass::Internal, format!("{status}(?:405|406)")),
        (ErrorClass::Auth, format!("{status}(?:401|403|407)")),
        (ErrorClass::NotFound, format!("{status}(?:404|410)")),
        (ErrorClass::Conflict, format!("{status}409")),
        (ErrorClass::Auth, "EACCES|EPERM|unauthorized|forbidden|permission denied|access denied|invalid (?:credentials|api key)|authentication failed".into()),
        (ErrorClass::Transient, "timed out|time-?out exceeded|(?:gateway|request|connection|read|operation) time-?out|internal server error|connection (?:refused|reset|timed out)|network (?:error|is unreachable)|(?:service|temporarily) unavailable|too many requests|rate limit(?:ed| exceeded)?|temporary failure in name resolution|bad gateway|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET".into()),
        (ErrorClass::Internal, "(?:configuration|config) error|invalid configuration".into()),
        (ErrorClass::Param, BAD_REQUEST.into()),
        (ErrorClass::NotFound, NOT_FOUND.into()),
    ]
    .into_iter()
    .filter_map(|(class, text)| {
        // `class not found in [economy, first]` is a complaint about an argument.
        let is_certain = text != BAD_REQUEST && text != NOT_FOUND;
        Some((class, compile(&text).ok()?, is_certain))
    })
    .collect()
});

/// Finds a JSON-RPC code in the evidence or the words of an error.
static JSON_RPC: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:JSON-RPC|MCP error)(?: error)?(?: code)?[ :=]{1,2}(-\d{1,6})\b").ok());

/// Returns the class of a JSON-RPC code. An internal error of the server and a server's own codes
/// do not show whose fault it is.
pub const fn of_json_rpc(code: i64) -> ErrorClass {
    match code {
        // Parse error, invalid request, method not found.
        -32_700 | -32_600 | -32_601 => ErrorClass::Structural,
        -32_602 => ErrorClass::Param,
        _ => ErrorClass::Unknown,
    }
}

/// Returns the JSON-RPC code that an error names, looking at its evidence first.
fn json_rpc(error: &ToolError) -> Option<i64> {
    let pattern = JSON_RPC.as_ref()?;
    let found = |text: &str| pattern.captures(text)?.get(1)?.as_str().parse().ok();
    found(&error.evidence).or_else(|| found(&error.text()))
}

/// Classifies failures; its patterns are compiled once per run.
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    own: Vec<Own>,
    /// Corrections with their patterns, the newest first.
    corrections: Vec<(Correction, Regex)>,
}

/// One of the operator's patterns.
#[derive(Debug, Clone)]
struct Own {
    tool: Option<String>,
    class: ErrorClass,
    pattern: Regex,
}

impl Classifier {
    /// Compiles the operator's patterns. Those that do not compile were refused before and are skipped here.
    pub fn new(settings: &Settings) -> Self {
        let own = settings.patterns.iter().filter_map(|one| {
            Some(Own {
                tool: one.tool.clone(),
                class: one.class,
                pattern: one.compile().ok()?,
            })
        });
        let corrections = settings.corrections.iter().rev();
        Self {
            own: own.collect(),
            corrections: corrections
                .filter_map(|one| Some((one.clone(), one.compiled().ok()?)))
                .collect(),
        }
    }

    /// Sets the operator's class, if a correction is about this failure.
    fn correct(&self, tool: &str, error: &mut ToolError) -> bool {
        let mut own = self
            .corrections
            .iter()
            .filter(|(one, _)| one.tool == tool)
            .peekable();
        if error.class == ErrorClass::Cancelled || own.peek().is_none() {
            return false;
        }
        let words = error.text();
        let found = own.find_map(|(one, pattern)| Some((one, pattern.find(&words)?)));
        let Some((one, found)) = found else {
            return false;
        };
        let output = one.error.label();
        error.evidence = format!(
            "your correction ({output}): `{}`; {}",
            visible_head(found.as_str(), SHOWN),
            error.evidence
        );
        error.class = one.error.class(error.class);
        true
    }

    /// Sets the class and the evidence of a failure that the operator corrected, or whose kind
    /// follows only from its text. `at_fault` returns the argument that a text complains about.
    pub fn refine(&self, tool: &str, outcome: &mut Outcome, at_fault: impl FnOnce(&str) -> Option<String>) {
        let Outcome::Err(error) = outcome else { return };
        if self.correct(tool, error) {
            return;
        }
        let is_refusal = is_refusal(error);
        let is_certain = error.class == ErrorClass::Unknown && self.by_words(tool, error);
        if is_refusal
            && !is_certain
            && let Some(name) = at_fault(&error.text())
        {
            if argument(error).is_none() {
                error.evidence = format!("{}, {ABOUT}{name}`", error.evidence);
            }
            error.class = ErrorClass::Param;
        }
    }

    /// Sets the class that follows from the words of a failure. Returns true if it is certain, whatever else they say.
    fn by_words(&self, tool: &str, error: &mut ToolError) -> bool {
        let code = json_rpc(error);
        if let Some(code) = code {
            let named = format!("JSON-RPC {code}");
            if !error.evidence.contains(&named) {
                error.evidence = format!("{named}; {}", error.evidence);
            }
            error.class = of_json_rpc(code);
            if error.class != ErrorClass::Unknown {
                return true;
            }
        }
        let words = error.text();
        let own = self
            .own
            .iter()
            .filter(|one| one.tool.as_deref().is_none_or(|name| name == tool))
            .map(|one| (one.class, &one.pattern, "pattern of the settings", true));
        // If the code has no meaning, the text has none either, unless the operator corrected it.
        let built_in = BUILT_IN
            .iter()
            .filter(|_| code.is_none())
            .map(|(class, pattern, is_certain)| (*class, pattern, "words", *is_certain));
        for (class, pattern, by, is_certain) in own.chain(built_in) {
            if let Some(found) = pattern.find(&words) {
                error.evidence = format!("{by}: `{}`; {}", found.as_str(), error.evidence);
                error.class = class;
                return is_certain;
            }
        }
        if code.is_none() && argument(error).is_some() {
            error.class = ErrorClass::Param;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(message: &str) -> ErrorClass {
        class_with(&Settings::default(), message).0
    }

    fn class_with(settings: &Settings, message: &str) -> (ErrorClass, String) {
        let mut outcome = Outcome::err(ToolError {
            class: ErrorClass::Unknown,
            message: message.into(),
            evidence: "nothing".into(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        });
        Classifier::new(settings).refine("tool", &mut outcome, |_| None);
        match outcome {
            Outcome::Err(error) => (error.class, error.evidence),
            _ => unreachable!("an error stays one"),
        }
    }

    #[test]
    fn every_built_in_pattern_compiles() {
        assert_eq!(BUILT_IN.len(), 11);
        assert!(JSON_RPC.is_some());
    }

    #[test]
    fn a_pattern_may_begin_and_end_with_a_sign() {
        let own = |matches: &str| Settings {
            patterns: vec![Pattern {
                matches: matches.into(),
                class: ErrorClass::Conflict,
                tool: None,
            }],
            ..Settings::default()
        };
        for (pattern, words) in [
            (r"\[E42\]", "error: [E42] the table is in use"),
            (r"#\d+ is merged", "#12 is merged"),
            (r"lock|locked", "locked by ada"),
        ] {
            assert_eq!(
                class_with(&own(pattern), words).0,
                ErrorClass::Conflict,
                "{words}"
            );
        }
        assert_eq!(
            class_with(&own("lock"), "the clock is late").0,
            ErrorClass::Unknown
        );
    }

    #[test]
    fn numbers_inside_other_words_are_not_status_codes() {
        for words in [
            "read 1500 bytes",
            "the port 5003 is taken",
            "record 40412",
            "field timeout must be an integer",
            "error 503",
            "timeouts are not supported",
        ] {
            assert_eq!(class(words), ErrorClass::Unknown, "{words}");
        }
    }

    #[test]
    fn known_phrases_are_classified_with_their_evidence() {
        for (words, expected) in [
            ("the server said HTTP 503", ErrorClass::Transient),
            ("status code: 429", ErrorClass::Transient),
            ("HTTP/1.1 404 Not Found", ErrorClass::NotFound),
            ("status=401", ErrorClass::Auth),
            ("HTTP 422 in field timeout", ErrorClass::Param),
            ("Connection refused (os error 111)", ErrorClass::Transient),
            (
                "Permission denied while the connection timed out",
                ErrorClass::Auth,
            ),
            ("No such file or directory", ErrorClass::NotFound),
            ("connect ETIMEDOUT 10.0.0.1:443", ErrorClass::Transient),
            ("connect ECONNREFUSED 127.0.0.1:5432", ErrorClass::Transient),
            ("read ECONNRESET", ErrorClass::Transient),
            ("getaddrinfo EAI_AGAIN example.org", ErrorClass::Transient),
            ("HTTP 408 after 30 s", ErrorClass::Transient),
            ("EACCES: permission denied, open 'a'", ErrorClass::Auth),
            ("EPERM: operation not permitted, unlink 'a'", ErrorClass::Auth),
            // The code wins, whatever other numbers and words accompany it.
            ("HTTP 401 at port 5003", ErrorClass::Auth),
            ("status 400: field timeout must be an integer", ErrorClass::Param),
            ("HTTP 404: record 50312", ErrorClass::NotFound),
            ("504 Gateway Timeout", ErrorClass::Transient),
            ("500 Internal Server Error", ErrorClass::Transient),
            ("502 Bad Gateway", ErrorClass::Transient),
            ("Network error: no route", ErrorClass::Transient),
            ("status 405", ErrorClass::Internal),
            ("HTTP 406", ErrorClass::Internal),
            ("Configuration error in line 3", ErrorClass::Internal),
            ("400 Bad Request", ErrorClass::Param),
            ("invalid credentials", ErrorClass::Auth),
            ("403 Forbidden", ErrorClass::Auth),
        ] {
            assert_eq!(class(words), expected, "{words}");
        }
        let (_, evidence) = class_with(&Settings::default(), "Too Many Requests!");
        assert_eq!(evidence, "words: `Too Many Requests`; nothing");
    }

    #[test]
    fn what_the_operator_wrote_goes_first_and_for_its_tool_only() {
        let own = |tool: Option<&str>| Settings {
            patterns: vec![Pattern {
                matches: "lock(ed)? by \\w+".into(),
                class: ErrorClass::Transient,
                tool: tool.map(str::to_owned),
            }],
            ..Settings::default()
        };
        let words = "not found: locked by zoë";
        let (found, evidence) = class_with(&own(None), words);
        assert_eq!(found, ErrorClass::Transient);
        assert!(
            evidence.starts_with("pattern of the settings: `locked by zoë`"),
            "{evidence}"
        );
        assert_eq!(class_with(&own(Some("tool")), words).0, ErrorClass::Transient);
        assert_eq!(class_with(&own(Some("other")), words).0, ErrorClass::NotFound);
    }

    #[test]
    fn a_pattern_that_is_none_is_refused() {
        for bad in ["(", "", "a{99999}{99999}"] {
            let settings = Settings {
                patterns: vec![Pattern {
                    matches: bad.into(),
                    class: ErrorClass::Auth,
                    tool: None,
                }],
                ..Settings::default()
            };
            assert!(settings.check().is_err(), "{bad}");
        }
    }

    #[test]
    fn json_rpc_codes_take_precedence_over_text_and_are_recorded_as_evidence() {
        for (code, expected) in [
            (-32700, ErrorClass::Structural),
            (-32600, ErrorClass::Structural),
            (-32601, ErrorClass::Structural),
            (-32602, ErrorClass::Param),
            (-32603, ErrorClass::Unknown),
            (-32000, ErrorClass::Unknown),
        ] {
            // The text alone would give a different class.
            for words in [
                format!("MCP error {code}: connection refused"),
                format!("JSON-RPC error {code}: connection refused"),
                format!("JSON-RPC {code}, HTTP 503"),
            ] {
                let (found, evidence) = class_with(&Settings::default(), &words);
                assert_eq!(found, expected, "{words}");
                assert_eq!(evidence, format!("JSON-RPC {code}; nothing"), "{words}");
            }
        }
        // Other numbers are not codes, and the operator's patterns apply if the code means nothing.
        assert_eq!(class("moved by -32602 points"), ErrorClass::Unknown);
        let own = Settings {
            patterns: vec![Pattern {
                matches: "pool is empty".into(),
                class: ErrorClass::Transient,
                tool: None,
            }],
            ..Settings::default()
        };
        let (found, evidence) = class_with(&own, "MCP error -32603: pool is empty");
        assert_eq!(found, ErrorClass::Transient);
        assert_eq!(
            evidence,
            "pattern of the settings: `pool is empty`; JSON-RPC -32603; nothing"
        );
    }

    #[test]
    fn better_evidence_wins() {
        let mut outcome = Outcome::err(ToolError {
            class: ErrorClass::Business,
            message: "HTTP 503".into(),
            evidence: "declared by the tool".into(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        });
        let before = outcome.clone();
        Classifier::default().refine("tool", &mut outcome, |_| None);
        assert_eq!(outcome, before);
    }
}
