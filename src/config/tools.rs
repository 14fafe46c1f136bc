//! Templates of tools, as a settings file writes them: the calls that find out whether an execution
//! happened and that take it back.
//!
//! Must not know: which tools there are before a run is built, what a template is filled with.

use std::collections::BTreeMap;

use crate::domain::event::run::ToolCard;
use crate::domain::template::{Purpose, Template};
use crate::policy::document::{self, At};
use crate::policy::{Place, Section};
use crate::text::visible;

use super::checks;
use super::error::Error;

/// One template with where its tool is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The tool that it is for.
    pub of: String,
    /// Where that stands.
    pub place: Place,
    /// What it is for.
    pub purpose: Purpose,
    /// The template, at its own tool's name.
    pub template: At<Template>,
}

/// Reads `[tool]`, whose keys are names of tools.
pub(super) fn section(tools: &Section<'_, '_>) -> Result<Vec<Written>, document::Error> {
    let mut found = Vec::new();
    for (of, mut tool) in tools.each()? {
        let place = tool.place();
        let probe = tool.table("probe")?;
        let compensate = tool.table("compensate")?;
        for (purpose, section) in [(Purpose::Probe, probe), (Purpose::Compensate, compensate)] {
            let Some(section) = section else { continue };
            found.push(Written {
                of: of.clone(),
                place: place.clone(),
                purpose,
                template: template(purpose, section)?,
            });
        }
        tool.finish()?;
    }
    Ok(found)
}

const ADVICE: &str = "write { tool = \"NAME\", args = { … } }";

fn template(purpose: Purpose, mut section: Section<'_, '_>) -> Result<At<Template>, document::Error> {
    let missing = |section: &Section<'_, '_>, key: &str| {
        section.error(key, section.place(), "is missing".into(), ADVICE)
    };
    let tool = section.text("tool")?;
    let args = section.value("args")?;
    section.finish()?;
    let Some(tool) = tool else {
        return Err(missing(&section, "tool"));
    };
    let Some(args) = args else {
        return Err(missing(&section, "args"));
    };
    if let Err(why) = checks::name(&tool.value) {
        return Err(section.error("tool", tool.place, why.into(), ADVICE));
    }
    match Template::new(purpose, &tool.value, &args.value) {
        Ok(value) => Ok(At {
            value,
            place: tool.place,
        }),
        Err(error) => Err(section.error("args", args.place, visible(&error.to_string()), ADVICE_ARGS)),
    }
}

const ADVICE_ARGS: &str = "see the templates in docs/tools.md";

/// Templates by the tool that they are for and by purpose; the later file wins.
#[derive(Debug, Clone, Default)]
pub struct Templates(BTreeMap<(String, &'static str), Written>);

impl Templates {
    /// Of several files, the weakest first.
    pub(super) fn of(files: impl IntoIterator<Item = Vec<Written>>) -> Self {
        let all = files.into_iter().flatten();
        Self(
            all.map(|one| ((one.of.clone(), one.purpose.word()), one))
                .collect(),
        )
    }

    /// Writes the templates on the cards of the tools of a run. Refuses tools that are not there.
    pub fn fit(&self, cards: &mut [ToolCard]) -> Result<(), Error> {
        let names: Vec<String> = cards.iter().map(|card| card.name.to_string()).collect();
        let unknown = |place: &Place, key: String, name: &str| {
            let near = names
                .iter()
                .map(|known| (strsim::damerau_levenshtein(name, known), known))
                .filter(|(distance, _)| *distance <= 2)
                .min();
            Error::File(document::Error {
                place: place.clone(),
                key,
                what: format!("there is no tool `{}`", visible(name)),
                advice: match near {
                    Some((_, known)) => format!("did you mean `{known}`?"),
                    None => format!("there is: {}", names.join(", ")),
                },
            })
        };
        for one in self.0.values() {
            let (of, purpose) = (&one.of, one.purpose.word());
            let At { value, place } = &one.template;
            if !names.iter().any(|name| *name == *value.tool) {
                return Err(unknown(
                    place,
                    format!("tool.{}.{purpose}.tool", visible(of)),
                    &value.tool,
                ));
            }
            let Some(card) = cards.iter_mut().find(|card| *card.name == **of) else {
                return Err(unknown(&one.place, format!("tool.{}", visible(of)), of));
            };
            match one.purpose {
                Purpose::Probe => card.probe = Some(value.clone()),
                Purpose::Compensate => card.compensate = Some(value.clone()),
            }
        }
        Ok(())
    }
}
