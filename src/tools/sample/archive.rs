//! An archive of records, some of which are sealed: reading those is not permitted, however often one tries.
//! Must not know: who asks.

use std::io;
use std::sync::Arc;

use rustix::io::Errno;
use serde_json::json;

use super::service::{Service, text};
use crate::domain::call::EffectClass;
use crate::tools::errors::from_io;
use crate::tools::tool::Tool;

/// Name, and the text of those that are open.
const RECORDS: [(&str, Option<&str>); 4] = [
    ("contracts", None),
    ("ledger", Some("income 1200\nexpenses 950")),
    ("minutes", Some("The payroll was approved. Its total is 640.")),
    ("payroll", None),
];

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(list()), Arc::new(read())]
}

fn list() -> Service {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    Service::new(
        "list_records",
        "List the records of the archive by name.",
        &schema,
        EffectClass::Read,
        |_, _| Ok(RECORDS.map(|(name, _)| name).join("\n").into()),
    )
}

fn read() -> Service {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1, "description": "Name of the record."}},
        "required": ["name"],
        "additionalProperties": false
    });
    Service::new(
        "read_record",
        "Read a record of the archive by its name.",
        &schema,
        EffectClass::Read,
        |args, _| {
            let name = text(args, "name");
            let fails =
                |errno: Errno| from_io("read", &format!("archive/{name}"), &io::Error::from(errno), false);
            match RECORDS.iter().find(|(known, _)| *known == name) {
                Some((_, Some(words))) => Ok((*words).into()),
                Some((_, None)) => Err(fails(Errno::ACCESS)),
                None => Err(fails(Errno::NOENT)),
            }
        },
    )
}
