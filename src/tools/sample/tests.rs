//! Tests the sample services, run like any tool.
//!
//! Must not know: scheduling.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::registry::Registry;
use crate::run::{Limits, run};
use crate::tool::Job;
use overrule_domain::call::{ErrorClass, Outcome};

const RUNS: [&str; 9] = [
    "flights", "office", "ring", "limits", "sealed", "stubborn", "mirrors", "spare", "weekend",
];

fn registry(name: &str) -> Registry {
    Registry::new(of(name)).unwrap()
}

async fn ask(registry: &Registry, tool: &str, args: Value) -> Result<Value, (ErrorClass, String)> {
    let text = args.to_string();
    assert_eq!(registry.check(tool, &text, true).unwrap(), [], "{tool} {text}");
    let job = Job {
        key: "key".into(),
        call: overrule_domain::id::NodeId::FIRST,
        args,
        text: text.into(),
        workspace: Arc::new(PathBuf::from("/")),
        private: Arc::default(),
        withheld: crate::tool::nothing_withheld(),
        cancel: CancellationToken::new(),
        profile: None,
        on_refused: Arc::new(|_| {}),
        sandbox: None,
        on_spawn: Arc::new(|_, _| {}),
        on_output: Arc::new(|_| ()),
        ask: crate::tool::ask_nobody(),
    };
    match run(registry.get(tool).unwrap().clone(), job, Limits::default()).await {
        Outcome::Ok { value, .. } => Ok(serde_json::from_str(&value).unwrap()),
        Outcome::Err(error) => Err((error.class, error.message)),
        Outcome::Cancelled { .. } => panic!("{tool} was not cancelled"),
    }
}

#[test]
fn every_sample_run_has_documented_tools() {
    for name in RUNS {
        let registry = registry(name);
        assert!(registry.names().count() > 0, "{name}");
        for card in registry.cards() {
            let schema: Value = serde_json::from_str(&card.schema).unwrap();
            assert_eq!(schema["additionalProperties"], json!(false), "{}", card.name);
            assert!(card.description.contains("sample service"), "{}", card.name);
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{} {name}", card.name);
            }
        }
        // Together with the ordinary tools, as in a run.
        let mut all = crate::builtin::all(&crate::builtin::Setup::default());
        all.extend(of(name));
        assert!(Registry::new(all).is_ok(), "{name}");
    }
    assert!(of("audit").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_booking_misses_what_its_schema_leaves_open_and_gives_the_same_reference_again() {
    let flights = registry("flights");
    let mut args = json!({"origin": "OSL", "destination": "BCN", "departure_date": "2026-12-04"});
    let refused = ask(&flights, "book_flight", args.clone()).await.unwrap_err();
    assert_eq!(
        refused,
        (
            ErrorClass::Param,
            "400 Missing required parameter 'passengers'".to_owned()
        )
    );
    args["passengers"] = json!(1);
    let first = ask(&flights, "book_flight", args.clone()).await.unwrap();
    assert_eq!(ask(&flights, "book_flight", args.clone()).await.unwrap(), first);
    let cancelled = ask(
        &flights,
        "cancel_booking",
        json!({"reference": first["reference"]}),
    )
    .await
    .unwrap();
    assert_eq!(cancelled["cancelled"], first["reference"]);
    args["destination"] = json!("OSL");
    assert_eq!(
        ask(&flights, "book_flight", args).await.unwrap_err().0,
        ErrorClass::NotFound
    );
    for wrong in [
        json!({"origin": "OSL", "destination": "BCN", "departure_date": "Dec 4, 2026"}),
        json!({"origin": "OSL", "destination": "BCN", "departure_date": "2026-12-04", "class": "business class"}),
        json!({"origin": "OSL", "destination": "BCN", "departure_date": "2026-12-04", "passengers": 0}),
        json!({"origin": "OSL", "destination": "BCN"}),
    ] {
        assert_eq!(
            flights
                .check("book_flight", &wrong.to_string(), true)
                .unwrap()
                .len(),
            1,
            "{wrong}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_office_knows_its_users_and_refuses_what_does_not_fit() {
    let office = registry("office");
    let unknown = ask(
        &office,
        "update_user_profile",
        json!({"user_id": "invalid_id", "name": "Z"}),
    )
    .await;
    let (class, message) = unknown.unwrap_err();
    assert_eq!(class, ErrorClass::Business);
    assert!(message.contains("`invalid_id` does not exist"), "{message}");
    ask(
        &office,
        "update_user_profile",
        json!({"user_id": "zoe", "name": "Z"}),
    )
    .await
    .unwrap();
    for (tool, wrong) in [
        (
            "create_event",
            json!({"title": "t", "date": "2023/10/26", "time": "10:00"}),
        ),
        (
            "create_event",
            json!({"title": "t", "date": "2023-10-26", "time": "10:00AM"}),
        ),
        ("set_temperature", json!({"room": "r", "temp": -100})),
        (
            "set_phone_number",
            json!({"user_id": "zoe", "phone": "123-456-7890"}),
        ),
    ] {
        assert_eq!(
            office.check(tool, &wrong.to_string(), true).unwrap().len(),
            1,
            "{tool} {wrong}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_services_of_the_ring_fail_at_their_own_rates_and_only_along_ways_that_there_are() {
    let ring = registry("ring");
    let mut failures = [0; 3];
    let ways = [
        ("tool_b", "A", "B"),
        ("tool_c", "B", "C"),
        ("generic_process", "C", "A"),
    ];
    for (at, (tool, from, to)) in ways.into_iter().enumerate() {
        for _ in 0..10 {
            match ask(&ring, tool, json!({"from": from, "to": to})).await {
                Ok(value) => assert_eq!(value, json!({"at": to})),
                Err((class, _)) => {
                    assert_eq!(class, ErrorClass::Transient);
                    failures[at] += 1;
                }
            }
        }
    }
    assert_eq!(failures, [6, 1, 2]);
    let wrong = ask(&ring, "tool_b", json!({"from": "A", "to": "E"}))
        .await
        .unwrap_err();
    assert_eq!(wrong.0, ErrorClass::Business);
}

#[tokio::test(start_paused = true)]
async fn sealed_records_stay_sealed_and_one_mirror_of_three_can_be_relied_on() {
    let archive = registry("sealed");
    for _ in 0..2 {
        let sealed = ask(&archive, "read_record", json!({"name": "payroll"}))
            .await
            .unwrap_err();
        assert_eq!(sealed.0, ErrorClass::Auth);
    }
    ask(&archive, "read_record", json!({"name": "minutes"}))
        .await
        .unwrap();
    let missing = ask(&archive, "read_record", json!({"name": "none"}))
        .await
        .unwrap_err();
    assert_eq!(missing.0, ErrorClass::NotFound);
    let mirrors = registry("mirrors");
    let mut good = [0; 3];
    for page in ["1", "2", "1", "2"] {
        for (at, tool) in ["mirror_a", "mirror_b", "mirror_c"].into_iter().enumerate() {
            good[at] += u32::from(ask(&mirrors, tool, json!({"page": page})).await.is_ok());
        }
    }
    assert_eq!(good, [0, 2, 4]);
}

#[tokio::test(start_paused = true)]
async fn two_requests_in_a_second_are_answered_and_those_refused_do_not_count() {
    let mut rate = server::Rate::default();
    let start = tokio::time::Instant::now();
    let mut at = |ms: u64| rate.admits(start + Duration::from_millis(ms));
    assert_eq!([at(0), at(100), at(200), at(999)], [true, true, false, false]);
    assert_eq!([at(1_000), at(1_050), at(1_100)], [true, false, true]);
}
