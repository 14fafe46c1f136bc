//! Sample services for a day out: a forecast, a timetable, two guides, and bookings.
//!
//! Must not know: who plans the day.

use std::sync::Arc;

use serde_json::{Value, json};

use super::service::{Service, text};
use crate::tool::Tool;
use overrule_domain::call::EffectClass;

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(forecast()),
        Arc::new(trains()),
        Arc::new(guide(
            "ask_harbour_guide",
            900,
            "the harbour at noon, when the fishing boats return",
        )),
        Arc::new(guide(
            "ask_museum_guide",
            300,
            "the museum after four, when the schools have left",
        )),
        Arc::new(plan()),
        Arc::new(booking(
            "book_boat",
            "Book a place on the boat to the islands.",
            38,
        )),
        Arc::new(booking(
            "book_museum",
            "Book a ticket for the museum of the sea.",
            14,
        )),
    ]
}

fn day() -> Value {
    json!({"type": "string", "minLength": 1, "description": "The day of the week."})
}

fn only_day() -> Value {
    json!({"type": "object", "properties": {"day": day()}, "required": ["day"], "additionalProperties": false})
}

fn forecast() -> Service {
    Service::new(
        "get_forecast",
        "Get the weather of a day.",
        &only_day(),
        EffectClass::Read,
        |args, _| Ok(json!({"day": text(args, "day"), "sky": "rain", "degrees": 11})),
    )
    .taking(400)
}

fn trains() -> Service {
    Service::new(
        "find_train",
        "Find the first train to the sea on a day, and its fare.",
        &only_day(),
        EffectClass::Read,
        |args, _| Ok(json!({"day": text(args, "day"), "leaves": "08:12", "fare": 9})),
    )
    .taking(600)
}

fn guide(name: &str, ms: u64, tip: &'static str) -> Service {
    let description = "Ask a guide of the town for the one thing to see on a day.";
    Service::new(name, description, &only_day(), EffectClass::Read, move |_, _| {
        Ok(tip.into())
    })
    .taking(ms)
}

fn plan() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "leaves": {"type": "string", "minLength": 1, "description": "When the train leaves, HH:MM."},
            "sky": {"type": "string", "minLength": 1, "description": "The weather."},
            "tip": {"type": "string", "minLength": 1, "description": "What to see."}
        },
        "required": ["leaves", "sky", "tip"],
        "additionalProperties": false
    });
    Service::new(
        "write_plan",
        "Write a plan of the day from its parts.",
        &schema,
        EffectClass::Read,
        |args, _| {
            let (leaves, sky, tip) = (text(args, "leaves"), text(args, "sky"), text(args, "tip"));
            Ok(format!("train at {leaves}, {sky}; see {tip}").into())
        },
    )
}

fn booking(name: &str, description: &str, price: u64) -> Service {
    Service::new(
        name,
        description,
        &only_day(),
        EffectClass::Write,
        move |args, _| Ok(json!({"day": text(args, "day"), "price": price, "paid": false})),
    )
}
