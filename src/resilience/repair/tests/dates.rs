//! Tests dates and times in many notations.
//!
//! Must not know: other strategies.

use serde_json::{Value, json};

use super::kit::{Bench, applied, asked, refused};

fn day() -> Bench {
    let mut bench = Bench::of(&json!({"type": "string", "format": "date"}));
    bench.rules.model = false;
    bench
}

#[test]
fn a_day_with_one_reading_is_written_year_first() {
    for text in [
        "2024/10/26",
        "2024.10.26",
        "20241026",
        "2024-10-26 ",
        "26/10/2024",
        "26.10.2024",
        "10-26-2024",
        "Oct 26, 2024",
        "October 26th, 2024",
        "26 Oct 2024",
        "26. October 2024",
        "Sat, 26 Oct 2024",
        "the 26th",
        "2024-Oct-26",
        "Saturday October 26 2024",
        "2024-10-26T00:00:00",
    ] {
        let to = day().repaired(&json!(text));
        let requested = (text != "the 26th").then(|| json!("2024-10-26"));
        assert_eq!(to, requested, "{text}");
    }
    assert_eq!(day().repaired(&json!("2024/7/4")), Some(json!("2024-07-04")));
}

#[test]
fn two_readings_are_a_question() {
    let table = [
        ("10/11/2024", vec!["2024-11-10", "2024-10-11"]),
        ("10.11.2024", vec!["2024-11-10", "2024-10-11"]),
        ("10/11/12", vec!["2012-11-10", "2012-10-11", "2010-11-12"]),
        ("Oct 11 12", vec!["2012-10-11", "2011-10-12"]),
        // A different day from the one named, in any reading.
        ("tomorrow", vec!["2024-10-21"]),
        ("2024-10-26T15:30:00Z", vec!["2024-10-26"]),
    ];
    for (text, requested) in table {
        assert_eq!(day().repaired(&json!(text)), None, "{text}");
        let requested: Vec<Value> = requested.into_iter().map(Value::from).collect();
        assert_eq!(day().offered(&json!(text)), requested, "{text}");
    }
    // Two readings that are the same day raise no question; a two-digit year is a guess.
    assert_eq!(day().repaired(&json!("11/11/2024")), Some(json!("2024-11-11")));
    assert_eq!(day().repaired(&json!("26/10/24")), None);
    assert_eq!(
        day().reading().repaired(&json!("31/10/99")),
        Some(json!("2099-10-31"))
    );
}

#[test]
fn what_is_no_day_is_not_read() {
    for text in [
        "2024-02-30",
        "2024-13-45",
        "30 Feb 2024",
        "Fri, 26 Oct 2024",
        "26 Oct",
        "2024",
        "soon",
        "",
        "10/26/2024 or 10/27/2024",
        "dddd-dd-dd",
        "99999-01-01",
        "0",
        "next friday",
        "٢٦/١٠/٢٠٢٤",
    ] {
        assert_eq!(day().repaired(&json!(text)), None, "{text}");
        assert_eq!(day().offered(&json!(text)), [Value::Null; 0], "{text}");
    }
}

#[test]
fn moments_and_times_keep_their_zone_or_are_asked_about() {
    let mut moment = Bench::of(&json!({"type": "string", "format": "date-time"}));
    moment.rules.model = false;
    assert_eq!(
        moment.repaired(&json!("Sat, 26 Oct 2024 10:00:00 +0200")),
        Some(json!("2024-10-26T10:00:00+02:00"))
    );
    assert_eq!(
        moment.repaired(&json!("2024-10-26T10:00:00-0530")),
        Some(json!("2024-10-26T10:00:00-05:30"))
    );
    assert_eq!(
        moment.repaired(&json!("Sat, 26 Oct 2024 10:00:00 GMT")),
        Some(json!("2024-10-26T10:00:00Z"))
    );
    assert_eq!(moment.repaired(&json!("2024-10-26 10:00")), None);
    assert_eq!(
        moment.offered(&json!("2024-10-26 10:00")),
        [json!("2024-10-26T10:00:00Z")]
    );
    assert_eq!(
        moment.offered(&json!("Oct 26, 2024 10 am")),
        [json!("2024-10-26T10:00:00Z")]
    );
    let clock = Bench::of(&json!({"type": "string", "pattern": "^\\d{2}:\\d{2}$"}));
    assert_eq!(clock.repaired(&json!("10:00AM")), Some(json!("10:00")));
    assert_eq!(clock.repaired(&json!("12:30 a.m.")), Some(json!("00:30")));
    assert_eq!(clock.repaired(&json!("1 pm")), Some(json!("13:00")));
    assert_eq!(clock.repaired(&json!("13:00 pm")), None);
    let zoned = Bench::of(&json!({"type": "string", "format": "time"}));
    assert_eq!(zoned.offered(&json!("10:00AM")), [json!("10:00:00Z")]);
}

#[test]
fn a_date_is_converted_for_a_pattern_or_a_format_in_the_error() {
    let pattern = Bench::of(&json!({"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"}));
    assert_eq!(pattern.repaired(&json!("2023/10/26")), Some(json!("2023-10-26")));
    let free = Bench::of(&json!({"type": "string"}));
    let args = r#"{"x":"2023/10/26"}"#;
    let plan = free.after(args, &refused("Invalid date format for 'x': expected YYYY-MM-DD"));
    assert_eq!(applied(&plan), Some(json!({"x": "2023-10-26"})));
    // The model is asked about what no rule can read.
    let plan = free.after(r#"{"x":"soon"}"#, &refused("Invalid date format for 'x'"));
    assert_eq!(asked(&plan).unwrap().params().collect::<Vec<_>>(), ["/x"]);
}
