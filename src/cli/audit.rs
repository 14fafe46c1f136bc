//! Prints the decisions of a session (`overrule audit`).
//!
//! Must not know: what a decision is.

use super::args::{self, AuditFormat, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use overrule_console::export::audit;
use overrule_present::audit::entries;
use overrule_present::{json, time};

/// Prints the decisions of a session, oldest first; of a damaged session only those before the damage.
pub fn audit(common: &Common, args: &args::Audit) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let loaded = record::loaded(&place)?;
    if let Some(damage) = &loaded.damage {
        let any = !loaded.envelopes.is_empty();
        print::err(&record::describe_damage(&place, damage, any));
    }
    let format = args.format.unwrap_or(if common.json {
        AuditFormat::Json
    } else {
        AuditFormat::Text
    });
    if format == AuditFormat::Csv && !print::out(audit::HEADER) {
        return Ok(Code::Ok);
    }
    for entry in entries(&loaded.envelopes) {
        let text = match format {
            AuditFormat::Text => audit::text(&entry, &time::second(entry.at)).join("\n"),
            AuditFormat::Json => json(&entry),
            AuditFormat::Csv => audit::row(&entry, &time::exact(entry.at)),
        };
        if !print::out(&text) {
            break;
        }
    }
    Ok(Code::Ok)
}
