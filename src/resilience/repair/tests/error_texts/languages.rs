//! The error texts of usual validators outside of Python and JavaScript.
//!
//! Must not know: repairs.

use super::*;

pub(super) fn jackson(seen: &Seen<'_>) -> String {
    let chain = format!(
        "(through reference chain: com.example.api.Request[\"{}\"])",
        seen.field()
    );
    let from = |java: &str, why: &str| {
        format!(
            "JSON parse error: Cannot deserialize value of type `{java}` from String {}: {why} {chain}",
            seen.value
        )
    };
    match seen.wrong {
        Wrong::Missing => format!("Missing required creator property '{}' (index 2)", seen.name()),
        Wrong::Extra => format!(
            "Unrecognized field \"{}\" (class com.example.api.Request), not marked as ignorable {chain}",
            seen.name()
        ),
        Wrong::Type("integer") => from("int", "not a valid `int` value"),
        Wrong::Type("boolean") => from("boolean", "only \"true\" or \"false\" recognized"),
        Wrong::Type(ty) => format!(
            "Cannot deserialize value of type `{ty}` from {} value {chain}",
            seen.kind()
        ),
        Wrong::Format("date") => from(
            "java.time.LocalDate",
            "Failed to deserialize java.time.LocalDate: could not be parsed at index 0",
        ),
        Wrong::Format("date-time") => from(
            "java.time.Instant",
            "Failed to deserialize java.time.Instant: could not be parsed at index 10",
        ),
        Wrong::Format(format) => from(&format!("java.util.{format}"), "not a valid value"),
        Wrong::OneOf(all) => from(
            "com.example.api.Kind",
            &format!(
                "not one of the values accepted for Enum class: [{}]",
                list(all, "", ", ")
            ),
        ),
        Wrong::Pattern(pattern) => format!("{}: must match \"{pattern}\"", seen.field()),
        Wrong::AtLeast(least) => format!("{}: must be greater than or equal to {least}", seen.field()),
        Wrong::AtMost(most) => format!("{}: must be less than or equal to {most}", seen.field()),
    }
}

pub(super) fn go(seen: &Seen<'_>) -> String {
    let field = seen.pascal();
    let tag = match seen.wrong {
        Wrong::Missing => "required",
        Wrong::Extra => return format!("json: unknown field \"{}\"", seen.name()),
        Wrong::Type(ty) => {
            return format!(
                "json: cannot unmarshal {} into Go struct field Request.{} of type {}",
                seen.kind(),
                seen.field(),
                if *ty == "integer" { "int" } else { ty }
            );
        }
        Wrong::Format("date" | "date-time") => {
            return format!(
                "invalid {}: parsing time {} as \"2006-01-02\": cannot parse {} as \"2006\"",
                seen.field(),
                seen.value,
                seen.value
            );
        }
        Wrong::Format(format) => format,
        Wrong::Pattern(_) => "alphanum",
        Wrong::OneOf(_) => "oneof",
        Wrong::AtLeast(_) => "min",
        Wrong::AtMost(_) => "max",
    };
    format!("Key: 'Request.{field}' Error:Field validation for '{field}' failed on the '{tag}' tag")
}

pub(super) fn argparse(seen: &Seen<'_>) -> String {
    let option = format!("--{}", seen.field().replace('_', "-"));
    let problem = match seen.wrong {
        Wrong::Missing => format!("the following arguments are required: {option}"),
        Wrong::Extra => format!("unrecognized arguments: {option}"),
        Wrong::Type("integer") => format!("argument {option}: invalid int value: {}", seen.python()),
        Wrong::Type(ty) => format!("argument {option}: invalid {ty} value: {}", seen.python()),
        Wrong::Format("date") => format!("argument {option}: invalid date value: {}", seen.python()),
        Wrong::Format(format) => format!("argument {option}: invalid {format} value: {}", seen.python()),
        Wrong::Pattern(_) => format!("argument {option}: invalid value: {}", seen.python()),
        Wrong::OneOf(all) => format!(
            "argument {option}: invalid choice: {} (choose from {})",
            seen.python(),
            list(all, "'", ", ")
        ),
        Wrong::AtLeast(least) => format!("argument {option}: must be at least {least}"),
        Wrong::AtMost(most) => format!("argument {option}: must be at most {most}"),
    };
    format!("usage: tool [-h] [{option} VALUE]\ntool: error: {problem}\n")
}

pub(super) fn click(seen: &Seen<'_>) -> String {
    let option = format!("--{}", seen.field().replace('_', "-"));
    let value = seen.python();
    let problem = match seen.wrong {
        Wrong::Missing => format!("Missing option '{option}'."),
        Wrong::Extra => format!("No such option: {option}"),
        Wrong::Type(ty) => format!("Invalid value for '{option}': {value} is not a valid {ty}."),
        Wrong::Format("date") => {
            format!("Invalid value for '{option}': {value} does not match the format '%Y-%m-%d'.")
        }
        Wrong::Format(format) => format!("Invalid value for '{option}': {value} is not a valid {format}."),
        Wrong::Pattern(_) => format!("Invalid value for '{option}': {value} is malformed."),
        Wrong::OneOf(all) => format!(
            "Invalid value for '{option}': {value} is not one of {}.",
            list(all, "'", ", ")
        ),
        Wrong::AtLeast(least) => {
            format!("Invalid value for '{option}': {value} is not in the range x>={least}.")
        }
        Wrong::AtMost(most) => {
            format!("Invalid value for '{option}': {value} is not in the range x<={most}.")
        }
    };
    format!("Usage: tool [OPTIONS]\nTry 'tool --help' for help.\n\nError: {problem}\n")
}

pub(super) fn serde(seen: &Seen<'_>) -> String {
    let problem = match seen.wrong {
        Wrong::Missing => format!("missing field `{}`", seen.name()),
        Wrong::Extra => format!("unknown field `{}`, expected one of `a`, `b`", seen.name()),
        Wrong::Type(ty) => format!(
            "{}: invalid type: {} {}, expected {ty}",
            seen.indexed(),
            seen.kind(),
            seen.value
        ),
        Wrong::Format(format) => format!(
            "{}: invalid value: string {}, expected a {format}",
            seen.indexed(),
            seen.value
        ),
        Wrong::Pattern(_) => format!(
            "{}: invalid value: string {}, expected another form",
            seen.indexed(),
            seen.value
        ),
        Wrong::OneOf(all) => format!(
            "{}: unknown variant `{}`, expected one of {}",
            seen.indexed(),
            seen.value.as_str().unwrap_or_default(),
            list(all, "`", ", ")
        ),
        Wrong::AtLeast(least) => format!(
            "{}: invalid value: integer `{}`, expected at least {least}",
            seen.indexed(),
            seen.value
        ),
        Wrong::AtMost(most) => format!(
            "{}: invalid value: integer `{}`, expected at most {most}",
            seen.indexed(),
            seen.value
        ),
    };
    format!("Failed to deserialize the JSON body into the target type: {problem} at line 1 column 20")
}
