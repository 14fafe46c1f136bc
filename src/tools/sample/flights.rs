//! Sample flight booking: finds flights, books one, cancels it.
//!
//! Must not know: who travels.

use std::sync::Arc;

use serde_json::{Value, json};

use super::service::{Service, status, text};
use crate::tool::Tool;
use overrule_domain::call::{EffectClass, ToolError};
use overrule_domain::template::{Purpose, Template};

/// Routes without flights on any day.
const CLOSED: [(&str, &str); 1] = [("TRF", "BCN")];

/// Refuses a route without flights.
fn route(from: &str, to: &str) -> Result<(), ToolError> {
    let none = |hint: &str| Err(status(404, "404 Flight for given route not found", hint));
    if from == to {
        return none("choose two different airports");
    }
    if CLOSED.contains(&(from, to)) {
        return none("there are no flights on this route: try a nearby airport");
    }
    Ok(())
}

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(search()), Arc::new(book()), Arc::new(cancel())]
}

fn airport(description: &str) -> Value {
    json!({"type": "string", "pattern": "^[A-Z]{3}$", "description": description})
}

fn day(description: &str) -> Value {
    json!({"type": "string", "format": "date", "description": description})
}

fn search() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "origin": airport("Airport to leave from: IATA code of three letters."),
            "destination": airport("Airport to arrive at: IATA code of three letters."),
            "date": day("Day of departure, YYYY-MM-DD.")
        },
        "required": ["origin", "destination", "date"],
        "additionalProperties": false
    });
    Service::new(
        "search_flights",
        "Find flights from one airport to another on a day.",
        &schema,
        EffectClass::Read,
        |args, _| {
            let (from, to) = (text(args, "origin"), text(args, "destination"));
            route(from, to)?;
            Ok(json!({"flights": [
                {"flight": format!("OV{}", 100 + sum(from) % 800), "from": from, "to": to, "departs": "09:40", "price": 129},
                {"flight": format!("OV{}", 100 + sum(to) % 800), "from": from, "to": to, "departs": "17:15", "price": 94}
            ]}))
        },
    )
}

fn book() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "origin": airport("Airport to leave from: IATA code of three letters."),
            "destination": airport("Airport to arrive at: IATA code of three letters."),
            "departure_date": day("Day of departure, YYYY-MM-DD."),
            "return_date": day("Day of the flight back, YYYY-MM-DD. Leave out for one way."),
            "passengers": {
                "type": "integer", "minimum": 1, "maximum": 9, "description": "Number of passengers."
            },
            "class": {"enum": ["economy", "business", "first"], "description": "Class of the seats."}
        },
        "required": ["origin", "destination", "departure_date"],
        "additionalProperties": false
    });
    Service::new(
        "book_flight",
        "Book seats on a flight and give the reference of the booking.",
        &schema,
        EffectClass::Write,
        |args, _| booked(args),
    )
    .with(|spec| {
        let back = json!({"reference": "{result/reference}"});
        spec.card.compensate = Template::new(Purpose::Compensate, "cancel_booking", &back).ok();
    })
}

/// Books a flight. The schema leaves the number of passengers optional; the service does not.
fn booked(args: &Value) -> Result<Value, ToolError> {
    let Some(passengers) = args.get("passengers") else {
        return Err(status(
            400,
            "400 Missing required parameter 'passengers'",
            "give the number of passengers",
        ));
    };
    let (from, to) = (text(args, "origin"), text(args, "destination"));
    route(from, to)?;
    let day = text(args, "departure_date");
    let class = args.get("class").and_then(Value::as_str).unwrap_or("economy");
    // The same booking has the same reference in every run.
    let number = sum(&format!("{from}{to}{day}{class}{passengers}")) % 9_000 + 1_000;
    Ok(json!({
        "reference": format!("OV-{number}"), "from": from, "to": to, "date": day, "class": class, "passengers": passengers
    }))
}

fn cancel() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "reference": {
                "type": "string", "pattern": "^OV-[0-9]{4}$", "description": "Reference of the booking, such as OV-1234."
            }
        },
        "required": ["reference"],
        "additionalProperties": false
    });
    Service::new(
        "cancel_booking",
        "Cancel a booking by its reference.",
        &schema,
        EffectClass::Write,
        |args, _| Ok(json!({"cancelled": text(args, "reference")})),
    )
}

fn sum(text: &str) -> u32 {
    text.bytes()
        .fold(7, |sum, byte| (sum * 31 + u32::from(byte)) % 100_003)
}
