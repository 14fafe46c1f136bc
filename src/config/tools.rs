//! Reads the settings of tools: effect classes, tags, pauses before a launch, templates.
//!
//! Must not know: which tools there are before a run is built, what a template is filled with.
//!
//! Templates are the calls that probe or revert an execution.

use std::collections::BTreeMap;

use crate::domain::call::EffectClass;
use crate::domain::event::run::ToolCard;
use crate::domain::template::{Purpose, Template};
use crate::policy::document::{self, At};
use crate::policy::parse::EFFECT_ADVICE;
use crate::policy::{Place, Section};
use crate::text::visible;

use super::checks;
use super::error::Error;

/// The tags that a tool can have: it reaches beyond this machine; it is irreversible; its arguments do not
/// show what it does. Each tag only makes its calls harder to allow.
pub const TAGS: [&str; 3] = ["external", "irreversible", "uninspectable"];

/// The settings of tools in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawTools {
    /// The templates.
    pub templates: Vec<Call>,
    /// The tags and pauses.
    pub tags: Vec<Tag>,
}

/// A tag or pause, with the place where its tool is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The tool that it belongs to.
    pub of: String,
    /// Where the tool is named.
    pub place: Place,
    /// The tag or pause.
    pub what: Mark,
}

/// A setting of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A tag.
    Tag(&'static str),
    /// Milliseconds between the approval of a call and its launch.
    Pause(u64),
    /// The effect class of all its calls, instead of the tool's own.
    Effect(EffectClass),
}

/// Maximum pause before a launch, in seconds.
const LONGEST: u64 = 3_600;

/// A template, with the place where its tool is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool that it belongs to.
    pub of: String,
    /// Where that tool is named.
    pub place: Place,
    /// Its purpose.
    pub purpose: Purpose,
    /// The template, with the place where the tool that it calls is named.
    pub template: At<Template>,
}

/// Reads `[tool]`, whose keys are names of tools.
pub(super) fn section(tools: &Section<'_, '_>) -> Result<RawTools, document::Error> {
    let mut found = RawTools::default();
    for (of, mut tool) in tools.each()? {
        let place = tool.place();
        found.tags.extend(tags(&of, &mut tool)?);
        if let Some(effect) = effect(&mut tool)? {
            found.tags.push(Tag {
                of: of.clone(),
                place: place.clone(),
                what: Mark::Effect(effect),
            });
        }
        let probe = tool.table("probe")?;
        let compensate = tool.table("compensate")?;
        for (purpose, section) in [(Purpose::Probe, probe), (Purpose::Compensate, compensate)] {
            let Some(section) = section else { continue };
            found.templates.push(Call {
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

/// Keys with their places.
type Keys = Vec<(String, Place)>;

/// Reads only the tags and pauses, which can only tighten. The other keys are returned with their places.
pub(super) fn tags_only(tools: &Section<'_, '_>) -> Result<(Vec<Tag>, Keys), document::Error> {
    let (mut found, mut loose) = (Vec::new(), Vec::new());
    for (of, mut tool) in tools.each()? {
        found.extend(tags(&of, &mut tool)?);
        let loosens = |key: &str| !["tags", "pause_s"].contains(&key);
        let others = tool.keys().into_iter().filter(|(key, _)| loosens(key));
        loose.extend(others.map(|(key, place)| (tool.path_of(&key), place)));
    }
    Ok((found, loose))
}

fn tags(of: &str, tool: &mut Section<'_, '_>) -> Result<Vec<Tag>, document::Error> {
    let place = tool.place();
    let marked = |what| Tag {
        of: of.to_owned(),
        place: place.clone(),
        what,
    };
    let pause = tool.number("pause_s", 1, LONGEST)?;
    let pause = pause.map(|at| marked(Mark::Pause(at.value.saturating_mul(1_000))));
    let Some(at) = tool.texts("tags")? else {
        return Ok(pause.into_iter().collect());
    };
    let known = |word: &String| {
        let Some(tag) = TAGS.iter().find(|tag| **tag == *word) else {
            let what = format!("unknown tag `{}`", visible(word));
            return Err(tool.error("tags", at.place.clone(), what, TAGS_ADVICE));
        };
        Ok(marked(Mark::Tag(tag)))
    };
    pause
        .map(Ok)
        .into_iter()
        .chain(at.value.iter().map(known))
        .collect()
}

fn effect(tool: &mut Section<'_, '_>) -> Result<Option<EffectClass>, document::Error> {
    let Some(At { value, place }) = tool.text("effect")? else {
        return Ok(None);
    };
    let unknown = || format!("unknown effect class `{}`", visible(&value));
    let class = EffectClass::named(&value);
    class
        .map(Some)
        .ok_or_else(|| tool.error("effect", place, unknown(), EFFECT_ADVICE))
}

const TAGS_ADVICE: &str = "use external, irreversible or uninspectable";

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

/// Templates by the tool that they belong to and by purpose; the later file wins.
#[derive(Debug, Clone, Default)]
pub struct Templates(BTreeMap<(String, &'static str), Call>);

impl Templates {
    /// Merges the templates of several files, the weakest first.
    pub(super) fn of(files: impl IntoIterator<Item = Vec<Call>>) -> Self {
        let all = files.into_iter().flatten();
        Self(
            all.map(|one| ((one.of.clone(), one.purpose.label()), one))
                .collect(),
        )
    }

    /// Writes the templates onto the cards of a run's tools. Refuses tools that do not exist.
    pub fn fit(&self, cards: &mut [ToolCard]) -> Result<(), Error> {
        let names: Vec<String> = cards.iter().map(|card| card.name.to_string()).collect();
        for one in self.0.values() {
            let (of, purpose) = (&one.of, one.purpose.label());
            let At { value, place } = &one.template;
            if !names.iter().any(|name| *name == *value.tool) {
                let key = format!("tool.{}.{purpose}.tool", visible(of));
                return Err(unknown(&names, place, key, &value.tool));
            }
            let Some(card) = cards.iter_mut().find(|card| *card.name == **of) else {
                let key = format!("tool.{}", visible(of));
                return Err(unknown(&names, &one.place, key, of));
            };
            match one.purpose {
                Purpose::Probe => card.probe = Some(value.clone()),
                Purpose::Compensate => card.compensate = Some(value.clone()),
            }
        }
        Ok(())
    }
}

/// The tags and pauses of all files; no file can remove one.
#[derive(Debug, Clone, Default)]
pub struct Tags(Vec<Tag>);

impl Tags {
    /// Merges the tags and pauses of several files.
    pub(super) fn of(files: impl IntoIterator<Item = Vec<Tag>>) -> Self {
        Self(files.into_iter().flatten().collect())
    }

    /// Returns the tags and pauses for a run with these tools, each with its tool. Refuses tools that do not
    /// exist.
    pub fn fit<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Vec<(&str, Mark)>, Error> {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let fits = |one: &Tag| names.contains(&one.of);
        if let Some(one) = self.0.iter().find(|one| !fits(one)) {
            let key = format!("tool.{}", visible(&one.of));
            return Err(unknown(&names, &one.place, key, &one.of));
        }
        Ok(self.0.iter().map(|one| (one.of.as_str(), one.what)).collect())
    }
}

/// Makes the error for a tool that does not exist.
fn unknown(names: &[String], place: &Place, key: String, name: &str) -> Error {
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
}
