//! Prints the metrics of sessions (`overrule metrics`).
//!
//! Must not know: what is measured.

use super::args::{self, Common, MetricsFormat};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use overrule_base::text::visible;
use overrule_console::export::metrics::{prometheus, text};
use overrule_journal::Place;
use overrule_present::json;
use overrule_present::metrics::Metrics;

/// Prints the metrics of one session, or of all sessions of a directory. Reads journals without their locks, and writes
/// nothing.
pub fn metrics(common: &Common, args: &args::Metrics) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let mut metrics = Metrics::default();
    if args.id.is_none() && args.workspace.is_some() {
        of_workspace(&context, &mut metrics)?;
    } else {
        let place = context.find(args.id.as_deref().unwrap_or("last"))?;
        add(&mut metrics, &place)?;
    }
    let format = args.format.unwrap_or(if common.json {
        MetricsFormat::Json
    } else {
        MetricsFormat::Text
    });
    let view = metrics.view();
    print::out(&match format {
        MetricsFormat::Text => text(&view),
        MetricsFormat::Json => json(&view),
        MetricsFormat::Prometheus => prometheus(&view).trim_end().to_owned(),
    });
    Ok(Code::Ok)
}

/// Adds every session of the workspace. One that cannot be read is reported and counted.
fn of_workspace(context: &AppContext, metrics: &mut Metrics) -> Result<(), Failure> {
    let mut any = false;
    for summary in context.store.list()? {
        if summary.place.workspace().as_deref() != Some(context.workspace.as_path()) {
            continue;
        }
        any = true;
        if let Err(failure) = add(metrics, &summary.place) {
            print::err(&format!("session {}: {}", visible(&summary.id), failure.message));
            metrics.add_unreadable();
        }
    }
    if !any {
        let workspace = visible(&context.workspace.to_string_lossy());
        print::err(&format!("no sessions of {workspace}"));
    }
    Ok(())
}

fn add(metrics: &mut Metrics, place: &Place) -> Result<(), Failure> {
    let loaded = record::loaded(place)?;
    if let Some(damage) = &loaded.damage {
        let any = !loaded.envelopes.is_empty();
        print::err(&record::describe_damage(place, damage, any));
    }
    metrics.add(&loaded.envelopes, loaded.damage.is_some());
    Ok(())
}
