//! Tests the checks by tables: findings, messages, and what is never read or fetched.

mod generated;

use std::io::Write;
use std::net::TcpListener;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Checker, LONGEST_PATH, MAX_DEPTH, MAX_FAULTS, NotCheckable, near};

fn checker(schema: &Value) -> Checker {
    Checker::new(&schema.to_string()).unwrap()
}

#[test]
fn a_known_schema_is_compiled_at_the_first_check() {
    let number = json!({"properties": {"n": {"type": "integer"}}});
    let checker = Checker::of_known(&number.to_string()).unwrap();
    assert!(!checker.is_compiled());
    assert_eq!(
        found(&checker, r#"{"n": "x"}"#),
        found(&self::checker(&number), r#"{"n": "x"}"#)
    );
    assert!(checker.is_compiled());
    for broken in [
        json!({"type": 3}),
        json!({"$ref": "other.json"}),
        json!({"pattern": "("}),
    ] {
        assert!(Checker::new(&broken.to_string()).is_err(), "{broken}");
        let checker = Checker::of_known(&broken.to_string()).unwrap();
        assert_eq!(checker.not_checkable("{}"), Some(NotCheckable::Broken));
        assert_eq!(
            found(&checker, "{}"),
            [" budget: cannot be checked: the schema is not valid"]
        );
    }
    assert!(Checker::of_known("{").is_err());
}

#[test]
fn a_broken_schema_of_another_program_allows_any_object_and_a_good_one_is_checked() {
    let number = json!({"properties": {"n": {"type": "integer"}}});
    let lenient = Checker::lenient(&number.to_string()).unwrap();
    let wrong = r#"{"n": "x"}"#;
    assert!(!lenient.is_compiled());
    assert_eq!(found(&lenient, wrong), found(&checker(&number), wrong));
    assert_eq!(lenient.not_checkable(wrong), None);
    let long = json!({"n": "x".repeat(100_000)}).to_string();
    for broken in [
        json!({"type": 3}),
        json!({"$ref": "other.json"}),
        json!({"pattern": "("}),
        json!(7),
    ] {
        let lenient = Checker::lenient(&broken.to_string()).unwrap();
        for args in ["{}", r#"{"n": "x"}"#, &long] {
            assert_eq!(lenient.not_checkable(args), None, "{broken}");
            assert_eq!(found(&lenient, args), [""; 0], "{broken}");
            assert_eq!(found_open(&lenient, args), [""; 0], "{broken}");
            assert_eq!(lenient.violations(args).unwrap().len(), 0, "{broken}");
            assert!(lenient.cost(args).is_some(), "{broken}");
        }
        assert_eq!(found(&lenient, "[]").len(), 1, "{broken}");
        assert_eq!(lenient.violations("[]").unwrap().len(), 1, "{broken}");
    }
    // One that is too large to be compiled is not broken.
    assert!(Checker::lenient("{").is_err());
}

/// Returns `path keyword: message` for every fault.
fn found(checker: &Checker, text: &str) -> Vec<String> {
    lines(checker.check(text))
}

fn found_open(checker: &Checker, text: &str) -> Vec<String> {
    lines(checker.check_open(text))
}

fn lines(faults: Vec<overrule_domain::call::Fault>) -> Vec<String> {
    faults
        .into_iter()
        .map(|fault| format!("{} {}: {}", fault.path, fault.keyword, fault.message))
        .collect()
}

fn read_file() -> Checker {
    checker(&json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "lines": {"type": "integer", "minimum": 1, "maximum": 10},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "day": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 2}
        },
        "required": ["path"],
        "additionalProperties": false
    }))
}

#[test]
fn describes_every_error_in_sentences() {
    let checker = read_file();
    let table = [
        (r#"{"path":"a"}"#, vec![]),
        (
            "",
            vec![" required: the required property `path` is missing; add it"],
        ),
        (
            " \n",
            vec![" required: the required property `path` is missing; add it"],
        ),
        ("[1]", vec![" type: must be an object, but is the array [1]"]),
        (
            r#"{"path":7}"#,
            vec!["/path type: must be a string, but is the number 7"],
        ),
        (
            r#"{"path":""}"#,
            vec!["/path minLength: must have at least 1 character, but has 0"],
        ),
        (
            r#"{"path":"a","lines":0}"#,
            vec!["/lines minimum: must be at least 1, but is 0"],
        ),
        (
            r#"{"path":"a","lines":"7"}"#,
            vec![r#"/lines type: must be a whole number, but is the string "7""#],
        ),
        (
            r#"{"path":"a","lines":11}"#,
            vec!["/lines maximum: must be at most 10, but is 11"],
        ),
        (
            r#"{"path":"a","unit":"Celcius"}"#,
            vec![
                r#"/unit enum: "Celcius" is not accepted; did you mean "celsius"? Accepted: "celsius", "fahrenheit""#,
            ],
        ),
        (
            r#"{"path":"a","unit":"zzzz"}"#,
            vec![r#"/unit enum: "zzzz" is not accepted; accepted: "celsius", "fahrenheit""#],
        ),
        (
            r#"{"path":"a","day":"2026-13-01"}"#,
            vec![r#"/day format: "2026-13-01" is not a date (YYYY-MM-DD)"#],
        ),
        (
            r#"{"path":"a","tags":["x","x"]}"#,
            vec!["/tags uniqueItems: the items must all differ, but some are equal"],
        ),
        (
            r#"{"path":"a","tags":["x","y","z"]}"#,
            vec!["/tags maxItems: must have at most 2 items, but has 3"],
        ),
        (
            r#"{"path":"a","Lines_":3,"zz/~":1}"#,
            vec![
                "/Lines_ additionalProperties: `Lines_` is not accepted here; did you mean `lines`?",
                "/zz~1~0 additionalProperties: `zz/~` is not accepted here; accepted are `path`, `lines`, `unit`, `day`, `tags`",
            ],
        ),
    ];
    for (text, requested) in table {
        assert_eq!(found(&checker, text), requested, "for {text}");
    }
    // All faults together, not only the first.
    let all = found(
        &checker,
        r#"{"lines":0.5,"unit":1,"day":"x","tags":[1,2],"more":1}"#,
    );
    assert_eq!(all.len(), 8, "{all:#?}");
}

#[test]
fn what_is_not_strict_json_is_refused_with_its_place() {
    let checker = checker(&json!({}));
    let table = [
        (
            "{\"a\":1,}",
            " json: not valid JSON at line 1, column 8: trailing comma",
        ),
        (
            "{\"a\":\n  tru}",
            " json: not valid JSON at line 2, column 6: expected ident",
        ),
        (
            "{\"a\": \"é\" 1}",
            " json: not valid JSON at line 1, column 11: expected `,` or `}`",
        ),
        (
            "{\"a\":1",
            " json: the JSON ends too early at line 1, column 6: EOF while parsing an object",
        ),
        (
            "{} {}",
            " json: not valid JSON at line 1, column 4: trailing characters",
        ),
        (
            r#"{"a":"\ud800"}"#,
            " json: not valid JSON at line 1, column 13: unexpected end of hex escape",
        ),
        (
            r#"{"a":1,"b":{"x/y":1,"x\/y":2}}"#,
            "/b/x~1y json: the key `x/y` occurs more than once in one object; keep one of them",
        ),
        (
            r#"{"n":[0,12345678901234567890123]}"#,
            "/n/1 json: the number 12345678901234567890123 cannot be kept exactly \
             (it would become 1.2345678901234568e+22); write fewer digits, or a string where one is accepted",
        ),
        (
            r#"{"n":1e400}"#,
            " json: not valid JSON at line 1, column 10: number out of range",
        ),
    ];
    for (text, requested) in table {
        assert_eq!(found(&checker, text), [requested], "for {text}");
        assert_eq!(found_open(&checker, text), [requested], "for {text}");
    }
    for exact in [
        "1.10",
        "-0",
        "-0.0",
        "1e2",
        "1E+2",
        "0.1",
        "18446744073709551615",
        "5e-324",
        "120e-1",
        "0e99999999999999999999",
    ] {
        assert_eq!(
            found(&checker, &format!("[{exact}]")),
            [""; 0],
            "{exact} is kept exactly"
        );
    }
    for inexact in [
        "18446744073709551617",
        "3.14159265358979323846",
        "1e-400",
        "-9223372036854775809",
    ] {
        assert_eq!(
            found(&checker, &format!("[{inexact}]")).len(),
            1,
            "{inexact} would change"
        );
    }
}

#[test]
fn nesting_is_bounded_and_brackets_in_strings_do_not_count() {
    let checker = checker(&json!({}));
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(found(&checker, &nested(MAX_DEPTH)), [""; 0]);
    let over = found(&checker, &nested(MAX_DEPTH + 1));
    assert_eq!(
        over,
        [" json: nested deeper than 127 levels at line 1, column 128; flatten the arguments"]
    );
    assert_eq!(found(&checker, &nested(200_000)).len(), 1);
    assert_eq!(found(&checker, &format!("\"{}\\\"[\"", "[".repeat(500))), [""; 0]);
}

#[test]
fn the_list_of_faults_is_bounded() {
    let checker = checker(&json!({"items": {"type": "string"}}));
    let text = |item: &str, count: usize| format!("[{}1]", format!("{item},").repeat(count));
    let faults = checker.check(&text("1", 90_000));
    assert_eq!(faults.len(), MAX_FAULTS + 1);
    assert!(faults.last().unwrap().message.contains("more than these"));
    // Together, those of a long text would take gigabytes.
    let faults = checker.check(&text("1234567", 90_000));
    assert_eq!(
        lines(faults),
        ["/0 type: must be a string, but is the number 1234567"]
    );
    let faults = lines(checker.check(&text("1", 400_000)));
    assert_eq!(
        faults,
        [" budget: cannot be checked: the check would take more than 100000 steps"]
    );
}

#[test]
fn one_fault_that_names_thousands_of_properties_is_bounded_as_well() {
    let checker = checker(&json!({"properties": {"path": {}}, "additionalProperties": false}));
    let names: Vec<String> = (0..8_000).map(|no| format!(r#""path{no}":1"#)).collect();
    let text = format!("{{{}}}", names.join(","));
    let faults = checker.check(&text);
    assert_eq!(faults.len(), MAX_FAULTS + 1);
    assert!(faults.last().unwrap().message.contains("more than these"));
    assert_eq!(checker.violations(&text).unwrap().len(), MAX_FAULTS);
}

#[test]
fn a_long_path_is_not_stored_for_each_fault_below_it() {
    let checker = checker(&json!({}));
    // Kept as it is for each of them, that would be twenty gigabytes.
    let (key, inner) = ("k".repeat(100_000), r#""a":1,"#.repeat(200_000));
    for inner in [
        inner,
        format!(r#""a":[{}1],"#, "1.00000000000000000001,".repeat(20_000)),
    ] {
        let faults = checker.check(&format!(r#"{{"{key}":{{{inner}"b":1}}}}"#));
        assert_eq!(faults.len(), MAX_FAULTS + 1);
        let stored: usize = faults.iter().map(|fault| fault.path.len()).sum();
        assert!(stored <= (MAX_FAULTS + 1) * (LONGEST_PATH + 3), "{stored}");
        assert!(faults[0].path.ends_with('…'));
    }
}

#[test]
fn hidden_characters_in_values_do_not_reach_a_message() {
    let checker = read_file();
    let faults = checker.check("{\"path\":\"a\",\"unit\":\"\\u001b[31mred\",\"x\\u0007\":1}");
    assert_eq!(faults.len(), 2);
    for fault in faults {
        assert!(!fault.message.chars().any(char::is_control), "{}", fault.message);
    }
}

#[test]
fn a_reference_fits_everywhere_until_its_value_is_known() {
    let checker = read_file();
    let open = r#"{"_as":"readme","_out":["state.x"],"path":"†call.c1.path","lines":"†state.n","unit":"†input.u","day":"†call.c2","tags":["†a","†a"]}"#;
    assert_eq!(found_open(&checker, open), [""; 0]);
    // The strict check takes the same text literally.
    assert_eq!(found(&checker, open).len(), 4);
    assert_eq!(found(&checker, r#"{"path":"a","_as":"x","_out":7}"#), [""; 0]);
    // The reserved keys are reserved only at the top level.
    let nested = checker_of_object();
    assert_eq!(found(&nested, r#"{"inner":{"_as":"x"}}"#).len(), 1);
}

fn checker_of_object() -> Checker {
    checker(&json!({"properties": {"inner": {"type": "object", "additionalProperties": false}}}))
}

#[test]
fn errors_that_a_reference_cannot_fix_remain() {
    let checker = read_file();
    let table = [
        // An escaped dagger is text.
        (
            r#"{"path":"a","unit":"††call.c1"}"#,
            r#"/unit enum: "††call.c1" is not accepted; accepted: "celsius", "fahrenheit""#,
        ),
        // A dagger that is not at the start is text.
        (
            r#"{"path":"a","lines":"x †call.c1"}"#,
            r#"/lines type: must be a whole number, but is the string "x †call.c1""#,
        ),
        (
            r#"{"lines":"†call.c1"}"#,
            " required: the required property `path` is missing; add it",
        ),
        (
            r#"{"path":"†call.c1","wrong":"†call.c1"}"#,
            "/wrong additionalProperties: `wrong` is not accepted here; accepted are `path`, `lines`, `unit`, `day`, `tags`",
        ),
        (
            r#"{"path":"a","tags":["†a","†b","†c"]}"#,
            "/tags maxItems: must have at most 2 items, but has 3",
        ),
    ];
    for (text, requested) in table {
        assert_eq!(found_open(&checker, text), [requested], "for {text}");
    }
}

#[test]
fn combined_schemas_are_excused_only_where_a_reference_decides() {
    let either = checker(&json!({
        "oneOf": [
            {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"], "additionalProperties": false},
            {"type": "object", "properties": {"argv": {"type": "array", "items": {"type": "string"}}}, "required": ["argv"], "additionalProperties": false}
        ]
    }));
    assert_eq!(found_open(&either, r#"{"command":"†call.c1"}"#), [""; 0]);
    assert_eq!(found_open(&either, r#"{"argv":"†call.c1"}"#), [""; 0]);
    assert_eq!(found_open(&either, r#"{"argv":["ls","†call.c1"]}"#), [""; 0]);
    assert_eq!(found_open(&either, r#"{"nothing":"†call.c1"}"#).len(), 1);
    assert_eq!(found_open(&either, r#"{"argv":["†call.c1",7]}"#).len(), 1);
    let content = found(&either, r#"{"command":7}"#);
    assert_eq!(content.len(), 1);
    assert!(
        content[0].contains("`/command` must be a string, but is the number 7"),
        "{content:?}"
    );

    let conditional = checker(&json!({
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["x"]},
        "else": {"required": ["y"]}
    }));
    assert_eq!(found_open(&conditional, r#"{"kind":"†call.c1","x":1}"#), [""; 0]);
    assert_eq!(found_open(&conditional, r#"{"kind":"a"}"#).len(), 1);
    let never = checker(&json!({"not": {"properties": {"a": {"type": "string"}}}}));
    assert_eq!(found_open(&never, r#"{"a":"†call.c1"}"#), [""; 0]);
    assert_eq!(found_open(&never, r#"{"a":"text"}"#).len(), 1);
}

#[test]
fn references_inside_the_schema_work() {
    let checker = checker(&json!({
        "$defs": {"city": {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false}},
        "properties": {"from": {"$ref": "#/$defs/city"}}
    }));
    assert_eq!(
        found(&checker, r#"{"from":{"nmae":"Oslo"}}"#),
        ["/from/nmae additionalProperties: `nmae` is not accepted here; did you mean `name`?"]
    );
}

#[test]
fn a_schema_that_points_outside_is_refused_and_nothing_is_read_or_fetched() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(br#"{"type":"string"}"#).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let targets = [
        format!("file://{}", file.path().display()),
        format!("http://127.0.0.1:{port}/latest/meta-data"),
        format!("https://127.0.0.1:{port}/x"),
        "urn:example:thing".to_owned(),
    ];
    for target in &targets {
        for schema in [
            json!({"$ref": target}),
            json!({"properties": {"a": {"$ref": format!("{target}#/x")}}}),
        ] {
            let error = Checker::new(&schema.to_string())
                .err()
                .unwrap_or_else(|| panic!("{schema} was accepted"));
            let content = error.to_string();
            assert!(content.contains("outside the schema"), "{target}: {content}");
        }
    }
    assert!(Checker::new(r#"{"$ref":"other.json"}"#).is_err());
    for target in &targets {
        let dynamic = json!({"$dynamicRef": target}).to_string();
        assert!(Checker::new(&dynamic).is_err(), "{target}");
    }
    let unknown_draft = json!({"$schema": format!("http://127.0.0.1:{port}/draft"), "type": "string"});
    let _ = Checker::new(&unknown_draft.to_string());
    // A connection attempt would be waiting here.
    assert_eq!(
        listener.accept().map(|_| ()).map_err(|error| error.kind()),
        Err(std::io::ErrorKind::WouldBlock)
    );
}

#[test]
fn a_bad_schema_is_an_error_with_its_place() {
    let table = [
        ("{", "the schema is not valid JSON"),
        (r#"{"type":"strin"}"#, "the schema cannot be compiled at `/type`"),
        (
            r#"{"properties":{"a":{"pattern":"("}}}"#,
            "the schema cannot be compiled at",
        ),
        ("7", "the schema cannot be compiled"),
    ];
    for (text, requested) in table {
        let content = Checker::new(text).unwrap_err().to_string();
        assert!(content.starts_with(requested), "{text}: {content}");
    }
}

#[test]
fn near_names_are_found_and_far_ones_are_not() {
    let tools = ["read_file", "write_file", "list_dir", "search", "shell"];
    let table = [
        ("readFile", vec!["read_file"]),
        ("red_file", vec!["read_file"]),
        ("list", vec!["list_dir"]),
        ("serch", vec!["search"]),
        ("bash", vec![]),
        ("", vec![]),
    ];
    for (word, requested) in table {
        let got = near(word, tools);
        assert_eq!(
            got.first().map(String::as_str),
            requested.first().copied(),
            "{word}: {got:?}"
        );
    }
    assert!(near("†", ["a"]).is_empty());
}
