//! Sample office: heating, calendar, telephone book, profiles, each strict about arguments.
//!
//! Must not know: who works there.

use std::sync::Arc;

use serde_json::json;

use super::service::{Service, rule, text};
use crate::tool::Tool;
use overrule_domain::call::EffectClass;

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(calendar()),
        Arc::new(heating()),
        Arc::new(phone()),
        Arc::new(profile()),
    ]
}

fn calendar() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "What it is about."},
            "date": {"type": "string", "format": "date", "description": "The day, YYYY-MM-DD."},
            "time": {
                "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "description": "When it begins, HH:MM of 24 hours."
            }
        },
        "required": ["title", "date", "time"],
        "additionalProperties": false
    });
    Service::new(
        "create_event",
        "Put an event into the calendar.",
        &schema,
        EffectClass::Write,
        |args, _| {
            let day = text(args, "date");
            Ok(json!({"event": text(args, "title"), "at": format!("{day} {}", text(args, "time"))}))
        },
    )
}

fn heating() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "room": {"type": "string", "minLength": 1, "description": "The room."},
            "temp": {
                "type": "integer", "minimum": 0, "maximum": 100, "description": "Degrees of Celsius, 0 to 100."
            }
        },
        "required": ["room", "temp"],
        "additionalProperties": false
    });
    Service::new(
        "set_temperature",
        "Set the temperature of a room or chamber.",
        &schema,
        EffectClass::Idempotent,
        |args, _| Ok(json!({"room": text(args, "room"), "temp": args.get("temp")})),
    )
}

fn phone() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "user_id": {"type": "string", "minLength": 1, "description": "The user."},
            "phone": {
                "type": "string", "pattern": r"^\+1 \([0-9]{3}\) [0-9]{3}-[0-9]{4}$", "description": "The number, as +1 (XXX) XXX-XXXX."
            }
        },
        "required": ["user_id", "phone"],
        "additionalProperties": false
    });
    Service::new(
        "set_phone_number",
        "Write down the telephone number of a user.",
        &schema,
        EffectClass::Idempotent,
        |args, _| Ok(json!({"user_id": text(args, "user_id"), "phone": text(args, "phone")})),
    )
}

const USERS: [&str; 2] = ["zoe", "max"];

fn profile() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {
            "user_id": {"type": "string", "minLength": 1, "description": "The user."},
            "name": {"type": "string", "minLength": 1, "description": "The name to show."}
        },
        "required": ["user_id", "name"],
        "additionalProperties": false
    });
    Service::new(
        "update_user_profile",
        "Change the name that is shown for a user.",
        &schema,
        EffectClass::Idempotent,
        |args, _| {
            let user = text(args, "user_id");
            if USERS.contains(&user) {
                return Ok(json!({"user_id": user, "name": text(args, "name")}));
            }
            Err(rule(
                format!("the user `{}` does not exist", crate::errors::shown(user)),
                "known users are zoe and max",
            ))
        },
    )
}
