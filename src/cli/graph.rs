//! Prints the graph of a session (`overrule graph`).
//!
//! Must not know: how a graph is laid out.

use super::args::{self, Common, Format};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use overrule_console::export;
use overrule_domain::apply::fold;
use overrule_present as present;
use overrule_present::graph::{ActiveGraphView, GraphView, Times};

/// Prints the graph of a session in one of several formats. Runs nothing.
pub fn graph(common: &Common, args: &args::Graph) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let loaded = record::loaded(&place)?;
    if let Some(damage) = &loaded.damage {
        let any = !loaded.envelopes.is_empty();
        print::err(&record::describe_damage(&place, damage, any));
    }
    let state = fold(&loaded.envelopes);
    let times: Times = loaded.envelopes.iter().map(|one| (one.seq, one.at)).collect();
    let text = match args.format.unwrap_or(Format::Gutter) {
        _ if args.format.is_none() && common.json && args.active => {
            present::json(&ActiveGraphView::of(&state))
        }
        _ if args.format.is_none() && common.json => present::json(&GraphView::of(&state, &times)),
        Format::Gutter => {
            let ascii = common.ascii || context.settings.glyphs.value == overrule_config::Glyphs::Ascii;
            export::gutter(&state, ascii)
        }
        Format::Json => {
            let text = if args.active {
                serde_json::to_string_pretty(&ActiveGraphView::of(&state))
            } else {
                serde_json::to_string_pretty(&GraphView::of(&state, &times))
            };
            text.map_err(|error| Failure::new(Code::Other, error))?
        }
        Format::Dot => export::dot(&state),
        Format::Mermaid => export::mermaid(&state),
    };
    print::out(text.trim_end_matches('\n'));
    Ok(Code::Ok)
}
