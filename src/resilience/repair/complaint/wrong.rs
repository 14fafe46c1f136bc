//! Reads what words say is wrong with an argument.
//!
//! Must not know: which argument.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use overrule_domain::repair::{ErrorKind, Strategy};

/// What is wrong with an argument, as a text says it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::repair) enum Wrong {
    /// It is not given.
    Missing,
    /// The tool does not know it.
    Unexpected,
    /// It has another type than this of JSON Schema, if the text names one.
    Type(Option<&'static str>),
    /// It is no date or time in the required notation; true if that may be the one of ISO 8601.
    Date(bool),
    /// It is not one of the allowed values.
    Enum,
    /// It is out of bounds, with those that the text names.
    Range {
        /// The lower bound.
        least: Option<String>,
        /// The upper bound.
        most: Option<String>,
    },
    /// It is too long or too short.
    Length,
    /// It does not match a pattern, or the format of this name.
    Format(Option<String>),
    /// It is wrong, in a way that the text does not say.
    Invalid,
}

/// Words that say what is wrong, the most specific first. `""` stands for a quoted text.
const TABLE: [(&str, &str); 12] = [
    (
        "missing",
        r"received (?:undefined|null)|(?:required|missing)[ _](?:propert|argument|field|creator)|field[ _](?:is )?required|\bone of .{0,80}\b(?:is|are) required|failed on the '?required",
    ),
    (
        "unexpected",
        r"\bunexpected (?:keyword )?(?:argument|parameter|field|property|key|member|input|attribute)|\bwas unexpected|additional ?propert|\bextra[ _](?:input|field|key|argument|propert|forbidden)|\b(?:unknown|unrecogni[sz]ed|unsupported|undefined|unused)[ _](?:keyword |query |body |named )?(?:parameter|argument|field|propert|key|option|attribute|member|input|kwarg)|\bno such option|\bdoes not (?:accept|take|support|recogni[sz]e|know)\b|\bnot (?:an? )?(?:allowed|permitted|accepted|supported|known|recogni[sz]ed) (?:parameter|argument|field|property|key|attribute)|\bnot an? known\b|not marked as ignorable",
    ),
    (
        "date",
        r"iso[- ]?8601|isoformat|rfc[- ]?3339|\byyyy\b|%y\b|strptime|localdate|offsetdate|zoneddate|java\.time|time\.time|parsing time|\btime data\b|\b(?:invalid|valid|not an?|wrong|bad|malformed|unparse?able|match(?:es)?|pars(?:e|ed|ing)|expected(?: an?)?|format|must be an?|should be an?|recogni[sz]ed?|type)\b[^.;]{0,24}\b(?:date|datetime|date-time|timestamp)\b|\b(?:date|datetime|date-time|timestamp)\b[^.;]{0,32}\b(?:invalid|wrong|bad|malformed|format|pars(?:e|ed|ing)|not valid)\b|\b(?:invalid|valid|wrong) time\b|\btime (?:format|string)\b",
    ),
    (
        "enum",
        r#"\bone of\b|\bnot (?:included |found |contained )?in (?:the )?(?:list|enum|set|allowed|choices|options|\[)|\bnot included\b|\bvalid (?:choice|option|enum)|\binvalid[ _](?:choice|enum|option|variant)|\bchoose from\b|\b(?:allowed|permitted|accepted|valid|possible|supported|available)[ _](?:value|option|choice|set)s?\b|\bunknown (?:variant|enum)|\benum(?:eration)?\b|\boneof\b|literal[ _]error|\b(?:should|must|can) (?:only )?be (?:either )?""(?:$|\W+(?:or\b|""))|\bselected\b.{0,60}\bis invalid|\bunsupported value|\bnot an? (?:allowed|accepted|permitted|supported) value|\bnot a member of|\bexpected ""(?:\W+(?:or )?"")+"#,
    ),
    (
        "type",
        r"\btype[ _]?(?:mismatch|error)|\b(?:invalid|wrong|incorrect|bad)[ _](?:data )?type\b|\bnot numeric\b",
    ),
    (
        "length",
        r"\d+ characters?\b|\blength\b|\btoo (?:short|long)\b|\b(?:at least|at most|fewer|more) (?:than )?\d+ (?:items?|elements?|entries|values)|\btoo (?:many|few) (?:items|elements|entries|values)|\b(?:min|max)(?:imum)?[ _]?(?:items|length)",
    ),
    (
        "range",
        r"[<>]=? ?-?\d|[≥≤]|\bgreater than\b|\bless than\b|\bat least\b|\bat most\b|\bno (?:less|more) than\b|\bnot (?:exceed|be (?:less|more))|\bminimum\b|\bmaximum\b|\bmin\b|\bmax\b|\btoo[ _](?:small|low|big|large|high)\b|\bmust be (?:a )?(?:positive|non-?negative|negative)\b|\bbetween -?\d|\brange\b|\bexceeds\b|\bmust be (?:above|below|under|over)\b|\bgreater[ _]than[ _]equal|\bless[ _]than[ _]equal",
    ),
    ("named type", ""),
    (
        "pattern",
        r"\brequired (?:pattern|format)\b|\b(?:pattern|regex|regular expression|format)\b|\bmalformed\b|\bwell-formed\b|\balphanum|\b(?:valid|invalid|not an?|enter an?|a valid) [`']?(?:email|e-mail|uuid|guid|url|uri|ip|ipv4|ipv6|phone|host|hostname|address|code)|\bpars(?:e|ed|ing)\b|\bdoes not match\b|\bmust match\b",
    ),
    (
        "absent",
        r"\bmissing\b|\b(?:is|are|was) (?:a )?required\b|\brequired\b|\bnot (?:been )?(?:provided|supplied|given|specified|present|set)\b|\bmust (?:be (?:provided|supplied|given|specified|present|set|included|filled)|have required|not be (?:empty|null|blank|none|undefined)|include)|\b(?:can(?:'|’|no)?t|can not|may not|should not|shouldn't) be (?:empty|null|blank|none|nil|undefined|missing|omitted)|\bis mandatory\b|\bno value (?:for|given|provided)|\b(?:is|was|got|be) (?:undefined|null|none|nil|empty|blank)\b|\bnone is not an allowed|\bnot(?:null|blank|empty)\b|\bneeds? to be (?:provided|given|set)|\bplease (?:provide|supply|specify)",
    ),
    (
        "invalid",
        r"\binvalid\b|\bnot valid\b|\bnot an? valid\b|\billegal\b|\bincorrect\b|\bwrong\b|\bbad value|\bunacceptable\b|\bnot (?:allowed|accepted|supported|permitted|recogni[sz]ed)\b|\bfailed to satisfy|\bvalidation\b[^.;]{0,40}\bfailed|\bfailed on the\b",
    ),
    ("value", r"\bvalue[ _]error\b"),
];

/// Words that name the type that is wanted.
const TYPES: &str = r"\b(?:a valid|an?|type|expected(?: an?)?|of|as an?|into?|to an?|must be(?: an?)?|should be(?: an?)?|not(?: an?| valid)?|want(?:ed|s)?|invalid|as|literal for|unmarshal \w+ into .{0,80}) [`']?(?:json )?(?P<type>integers?|ints?|int\d+|[iu]\d+|uint\d*|usize|whole number|number|numeric|floats?|float\d+|f\d\d|double|decimal|bool|boolean|strings?|str|text|arrays?|lists?|sequence|objects?|dict|dictionary|map|struct)\b|\b(?P<parsed>int|float|bool|string|list|dict)[ _](?:parsing|type|from[ _]float)\b|\bnot numeric\b|\bconvert string to (?P<to>float|int)|system\.(?P<net>int32|int64|boolean|double|decimal|string)";

/// Words of a failure that is no matter of arguments.
const ELSEWHERE: &str = r"\bpermission|\bforbidden\b|\bunauthori[sz]ed|\bnot authori[sz]ed|\bcredential|\baccess denied|\bquota\b|\brate limit|\btoo many requests|\btimed? ?out\b|\btimeout\b|\balready exists\b|\bsold out\b|\bunavailable\b|\bnot available\b|\binternal (?:server )?error|\bconnection\b|\bnot found(?:$|[^ ]| (?:[^i]|i[^n]))|\bno such file|\bexpired\b|\bin use\b|\block(?:ed)?\b|\bconflict";

/// A date notation that is not the one of ISO 8601.
const OTHER_DATE: &str = r"\b(?:mm|dd|m|d)[/.-](?:mm|dd|m|d|mmm)[/.-]y{2,4}\b|%[dm][/.-]%[dmb][/.-]%y|\b(?:dd|d) (?:mmm|mmmm) y{4}|\bunix\b|\bepoch\b|\bmilliseconds\b";

struct Patterns {
    table: Vec<(&'static str, Regex)>,
    elsewhere: Option<Regex>,
    other_date: Option<Regex>,
    quoted: Option<Regex>,
    listed: Option<Regex>,
    number: Option<Regex>,
    types: Option<Regex>,
    least: Option<Regex>,
    most: Option<Regex>,
    dash: Option<Regex>,
    formats: Option<Regex>,
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).build().ok()
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    table: TABLE
        .iter()
        .filter_map(|(name, pattern)| {
            Some((
                *name,
                compiled(if *name == "named type" { TYPES } else { pattern })?,
            ))
        })
        .collect(),
    elsewhere: compiled(ELSEWHERE),
    other_date: compiled(OTHER_DATE),
    // The name of a type or a format stays: `of type 'integer'`, `format "date"`.
    quoted: compiled(
        r#"(?P<before>\b(?:an?|type|format|valid|on the) )?(?:"(?:[^"\\]|\\.)*"|“[^”]*”|‘[^’]*’|«[^»]*»|`[^`]*`|\B'(?:[^'\\]|\\.)*'\B)"#,
    ),
    listed: compiled(r"\[[^\]]*\]|\(choose from [^)]*\)"),
    number: compiled(r"-?\d+(?:\.\d+)?"),
    types: compiled(TYPES),
    least: compiled(r"\bmin(?:imum)?\b"),
    most: compiled(r"\bmax(?:imum)?\b"),
    dash: compiled(r"(\d)\s*[-–]"),
    formats: compiled(r"\b(?:e-?mail|uuid|guid|url|uri|ipv?[46]?|phone|host(?:name)?|address)\b"),
});

impl Wrong {
    /// Reads what is wrong from words about one argument, none if they do not say it.
    pub(super) fn read(words: &str) -> Option<Self> {
        let patterns = &*PATTERNS;
        let bare = masked(words);
        if is_elsewhere(&bare) {
            return None;
        }
        let other_date = patterns.other_date.as_ref();
        let is_other = || other_date.is_some_and(|pattern| pattern.is_match(words));
        let (name, _) = patterns
            .table
            .iter()
            .find(|(_, pattern)| pattern.is_match(&bare))?;
        Some(match *name {
            "missing" | "absent" => Self::Missing,
            "unexpected" => Self::Unexpected,
            "date" => Self::Date(!is_other()),
            "enum" => Self::Enum,
            "length" => Self::Length,
            "range" => bounds(&bare),
            "type" | "named type" => Self::Type(type_in(&bare)),
            "pattern" => Self::Format(named_format(words)),
            _ => Self::Invalid,
        })
    }

    /// Returns the strategies against it, in the order in which they are tried. Where the words do not say what is wrong,
    /// the schema of the argument or its name does.
    pub(in crate::repair) fn strategies(
        &self,
        name: &[String],
        place: &Value,
        value: Option<&Value>,
    ) -> Vec<Strategy> {
        use Strategy as S;
        let format = place.get("format").and_then(Value::as_str);
        let is_date = matches!(format, Some("date" | "date-time" | "time"))
            || (format.is_none() && name.iter().any(|word| word == "date"));
        let is_text = value.is_none_or(Value::is_string);
        match self {
            Self::Missing => vec![
                S::LlmInferMissingParam,
                S::NearestName,
                S::WrapperRemoval,
                S::DefaultValueAssignment,
            ],
            Self::Unexpected => vec![S::WrapperRemoval, S::NearestName],
            Self::Date(true) => vec![S::DateFormatCorrection, S::LlmBasedFormatCorrection],
            Self::Date(false) if format.is_some() => {
                vec![S::DateFormatCorrection, S::LlmBasedFormatCorrection]
            }
            Self::Date(false) => vec![S::LlmBasedFormatCorrection],
            Self::Enum => vec![S::EnumValueCorrection, S::LlmSuggestEnum],
            Self::Range { .. } if is_text => vec![S::SchemaTypeConversion, S::LlmBasedFormatCorrection],
            Self::Range { least, most } => {
                let mut all = Vec::new();
                if least.is_some() || most.is_none() {
                    all.push(S::ClampValueToMin);
                }
                if most.is_some() || least.is_none() {
                    all.push(S::ClampValueToMax);
                }
                all.push(S::LlmBasedFormatCorrection);
                all
            }
            Self::Format(_) | Self::Invalid if is_date && is_text => {
                vec![S::DateFormatCorrection, S::LlmBasedFormatCorrection]
            }
            Self::Format(_) | Self::Length => vec![S::TextCleanup, S::LlmBasedFormatCorrection],
            Self::Invalid if place.get("enum").is_some() || place.get("const").is_some() => {
                vec![S::EnumValueCorrection, S::LlmSuggestEnum]
            }
            Self::Type(_) | Self::Invalid => vec![S::SchemaTypeConversion, S::LlmBasedFormatCorrection],
        }
    }

    /// Returns the kind of error that it is.
    pub(in crate::repair) const fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing => ErrorKind::MissingRequired,
            Self::Type(_) => ErrorKind::TypeMismatch,
            Self::Range { .. } | Self::Length => ErrorKind::OutOfRange,
            Self::Date(_) | Self::Format(_) | Self::Invalid => ErrorKind::FormatError,
            Self::Unexpected | Self::Enum => ErrorKind::SchemaValidation,
        }
    }

    /// Returns what the tool demands, in few words.
    pub(in crate::repair) const fn describe(&self) -> &'static str {
        match self {
            Self::Missing => "the tool demands a parameter",
            Self::Unexpected => "the tool does not know a parameter",
            Self::Type(_) => "the tool wants another type",
            Self::Date(_) => "the tool reads dates in another format",
            Self::Enum => "the tool names the allowed values",
            Self::Range { .. } => "the tool names a bound",
            Self::Length => "the tool wants another length",
            Self::Format(_) => "the tool wants another format",
            Self::Invalid => "the tool refuses a value",
        }
    }
}

/// Returns true for the words of a failure that is no matter of arguments.
pub(super) fn is_elsewhere(words: &str) -> bool {
    let elsewhere = PATTERNS.elsewhere.as_ref();
    elsewhere.is_some_and(|pattern| pattern.is_match(words))
}

/// Replaces quoted texts and lists by marks, so that values are not read as words.
fn masked(words: &str) -> String {
    let patterns = &*PATTERNS;
    let Some(quoted) = &patterns.quoted else {
        return words.to_owned();
    };
    let without = quoted.replace_all(words, |found: &regex::Captures<'_>| {
        let whole = found.get(0).map_or("", |whole| whole.as_str());
        if found.name("before").is_some() {
            whole.to_owned()
        } else {
            "\"\"".to_owned()
        }
    });
    let without = match &patterns.listed {
        Some(listed) => listed.replace_all(&without, |found: &regex::Captures<'_>| {
            let is_choice = found.get(0).is_some_and(|whole| whole.as_str().starts_with('('));
            if is_choice { "choose from" } else { "[]" }
        }),
        None => without,
    };
    without.into_owned()
}

/// Reads the bounds that words name.
fn bounds(words: &str) -> Wrong {
    let words = words.to_lowercase();
    let numbers = |text: &str| -> Vec<String> {
        let all = PATTERNS.number.iter().flat_map(|pattern| pattern.find_iter(text));
        all.map(|found| found.as_str().to_owned()).collect()
    };
    if let Some(at) = words.find("between").or_else(|| words.find("range")) {
        // In `1..9` and `1-9` the marks are no sign.
        let rest = words.get(at..).unwrap_or_default().replace("..", " ");
        let rest = PATTERNS.dash.as_ref().map_or_else(
            || rest.clone(),
            |dash| dash.replace_all(&rest, "$1 ").into_owned(),
        );
        if let [least, most, ..] = numbers(&rest).as_slice() {
            return Wrong::Range {
                least: Some(least.clone()),
                most: Some(most.clone()),
            };
        }
    }
    let after = |marks: &[&str]| -> Option<Option<String>> {
        let (at, mark) = marks.iter().find_map(|mark| Some((words.find(mark)?, mark)))?;
        let rest = words.get(at + mark.len()..).unwrap_or_default();
        Some(numbers(rest).into_iter().next())
    };
    let mut range = (None, None);
    // An exclusive bound is one further, for whole numbers.
    let beyond = |number: Option<String>, by: i64| {
        let number: i64 = number?.parse().ok()?;
        Some(number.checked_add(by)?.to_string())
    };
    let named = |number: Option<String>| Some(number.unwrap_or_default());
    let at_word = |word: &Option<Regex>| {
        let found = word.as_ref()?.find(&words)?;
        Some(
            numbers(words.get(found.end()..).unwrap_or_default())
                .into_iter()
                .next(),
        )
    };
    if let Some(number) = at_word(&PATTERNS.most) {
        range.1 = named(number);
    } else if let Some(number) = at_word(&PATTERNS.least) {
        range.0 = named(number);
    } else if let Some(number) = after(&[
        ">=",
        "≥",
        "greater than or equal to",
        "at least",
        "no less than",
        "not be less than",
    ]) {
        range.0 = named(number);
    } else if let Some(number) = after(&[
        "<=",
        "≤",
        "less than or equal to",
        "at most",
        "no more than",
        "not be more than",
        "not exceed",
        "exceeds",
    ]) {
        range.1 = named(number);
    } else if words.contains("positive") {
        range.0 = Some("1".to_owned());
    } else if words.contains("negative") {
        range.0 = Some("0".to_owned());
    } else if let Some(number) = after(&["greater than", "more than", "above", "over", ">"]) {
        range.0 = named(beyond(number, 1));
    } else if let Some(number) = after(&["less than", "below", "under", "<"]) {
        range.1 = named(beyond(number, -1));
    } else if ["small", "low"].iter().any(|word| words.contains(word)) {
        range.0 = named(None);
    } else if ["big", "large", "high"].iter().any(|word| words.contains(word)) {
        range.1 = named(None);
    }
    Wrong::Range {
        least: range.0,
        most: range.1,
    }
}

/// Returns the type that words want.
fn type_in(words: &str) -> Option<&'static str> {
    let found = PATTERNS.types.as_ref()?.captures(words)?;
    let groups = ["type", "parsed", "to", "net"];
    groups
        .iter()
        .find_map(|group| json_type(found.name(group)?.as_str()))
}

/// Returns the name of the format that words want.
fn named_format(words: &str) -> Option<String> {
    let found = PATTERNS.formats.as_ref()?.find(words)?;
    Some(found.as_str().to_lowercase())
}

fn json_type(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "integer" | "int" | "i" | "u" | "uint" | "usize" | "whole number" => "integer",
        "number" | "numeric" | "float" | "f" | "double" | "decimal" => "number",
        "bool" | "boolean" => "boolean",
        "string" | "str" | "text" => "string",
        "array" | "list" | "sequence" => "array",
        "object" | "dict" | "dictionary" | "map" | "struct" => "object",
        _ => return None,
    })
}

/// Returns true if every expression compiled.
#[cfg(test)]
pub(super) fn all_compiled() -> bool {
    let all = &*PATTERNS;
    let others = [
        &all.elsewhere,
        &all.other_date,
        &all.quoted,
        &all.listed,
        &all.number,
        &all.types,
        &all.least,
        &all.most,
        &all.dash,
        &all.formats,
    ];
    all.table.len() == TABLE.len() && others.iter().all(|pattern| pattern.is_some())
}
