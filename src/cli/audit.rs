//! Prints the decisions of a session (`overrule audit`).
//!
//! Must not know: what a decision is.

use jiff::Timestamp;

use super::args::{self, AuditFormat, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use crate::export::audit;
use crate::journal;

/// Prints the decisions of a session, oldest first; of a damaged session only those before the damage.
pub fn audit(common: &Common, args: &args::Audit) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.store.find(&args.id)?;
    let loaded = journal::read(&place)?;
    if let Some(damage) = &loaded.damage {
        print::err(&format!(
            "session {} is damaged: {damage}. Decisions after that are not listed.",
            place.id()
        ));
    }
    let format = args.format.unwrap_or(if common.json {
        AuditFormat::Json
    } else {
        AuditFormat::Text
    });
    if format == AuditFormat::Csv && !print::out(audit::HEADER) {
        return Ok(Code::Ok);
    }
    for entry in audit::entries(&loaded.envelopes) {
        let text = match format {
            AuditFormat::Text => audit::text(&entry, &print::moment(entry.at)).join("\n"),
            AuditFormat::Json => audit::json(&entry, &exact(entry.at)).to_string(),
            AuditFormat::Csv => audit::row(&entry, &exact(entry.at)),
        };
        if !print::out(&text) {
            break;
        }
    }
    Ok(Code::Ok)
}

/// Formats a time in UTC to the millisecond, for programs.
fn exact(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).ok();
    time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
        .unwrap_or_default()
}
