//! Reads the settings of tools: effect classes, tags, pauses before a launch, templates.
//!
//! Must not know: which tools there are before a run is built, what a template is filled with.
//!
//! Templates are the calls that probe or revert an execution.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::checks;
use super::declared::{DeclaredTable, HttpTable, OutputKind, RawDeclared, patterns};
use super::error::Error;
use super::hosts::Hosts;
use super::sandbox::level;
use overrule_base::document::{self, At, Document, Field, Json, Place, near, parsed, strings, texts, whole};
use overrule_base::text::visible;
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::sandbox::Level;
use overrule_domain::tags::WAITS;
use overrule_domain::template::{Purpose, Template};
use overrule_policy::expiry::duration_ms;
use overrule_policy::parse::DURATION;
use overrule_tools::sources::declared::Pattern;

/// The tags that a tool can have: it reaches beyond this machine; it is irreversible; its arguments do not
/// show what it does. Each tag only makes its calls harder to allow.
pub const TAGS: [&str; 3] = ["external", "irreversible", "uninspectable"];

/// The settings of tools in a file.
#[derive(Debug, Clone, Default)]
pub struct RawTools {
    /// The templates.
    pub templates: Vec<Call>,
    /// The tags and pauses.
    pub tags: Vec<Tag>,
    /// The tools that it declares.
    pub declared: Vec<RawDeclared>,
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

/// Longest time limit of a call, in milliseconds.
const MOST_MS: u64 = 3_600_000;
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

/// Advice for required keys.
pub(super) const MISSING: [(&str, &str); 2] = [("tool", CALL), ("args", CALL)];
const CALL: &str = "write { tool = \"NAME\", args = { … } }";

/// `[tool.NAME]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolTable {
    #[serde(deserialize_with = "tags")]
    tags: Field<Vec<&'static str>>,
    #[serde(deserialize_with = "whole::<1, LONGEST, _, _>")]
    pause_s: Field<u64>,
    effect: Field<EffectClass>,
    waits: Field<bool>,
    probe: Option<CallTable>,
    compensate: Option<CallTable>,
    #[serde(deserialize_with = "word")]
    description: Field<String>,
    schema: Option<Spanned<Json>>,
    #[serde(deserialize_with = "patterns")]
    command: Field<Vec<Pattern>>,
    http: Option<Spanned<HttpTable>>,
    #[serde(deserialize_with = "pattern")]
    stdin: Field<Pattern>,
    #[serde(deserialize_with = "limit")]
    timeout: Field<u64>,
    output: Field<OutputKind>,
    output_schema: Option<Spanned<Json>>,
    success: Field<Vec<i32>>,
    #[serde(deserialize_with = "word")]
    idempotency_key: Field<String>,
    #[serde(deserialize_with = "level")]
    sandbox: Field<Level>,
    network: Hosts,
}

impl ToolTable {
    /// Takes the keys that declare a tool.
    fn declaration(&mut self) -> DeclaredTable {
        DeclaredTable {
            description: self.description.take(),
            schema: self.schema.take(),
            command: self.command.take(),
            http: self.http.take(),
            stdin: self.stdin.take(),
            timeout: self.timeout.take(),
            output: self.output.take(),
            output_schema: self.output_schema.take(),
            success: self.success.take(),
            idempotency_key: self.idempotency_key.take(),
            sandbox: self.sandbox.take(),
            network: self.network.take(),
        }
    }
}

/// A template as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTable {
    #[serde(deserialize_with = "tool")]
    tool: Field<String>,
    args: Spanned<Json>,
}

fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<&'static str>>, D::Error> {
    let known = |word: &str| {
        let tag = TAGS.into_iter().find(|tag| *tag == word);
        tag.ok_or_else(|| format!("unknown tag `{word}`; use external, irreversible or uninspectable"))
    };
    parsed(deserializer, |value| {
        texts(value)?.into_iter().map(known).collect()
    })
}

strings! {
    tool: String = checks::name, CALL;
    word: String = checks::name, "write a text in quotes";
    pattern: Pattern = Pattern::parse, "see the placeholders in docs/tools.md";
    limit: u64 = |text| duration_ms(text).filter(|ms| (1..=MOST_MS).contains(ms)).ok_or_else(|| format!("`{text}` is no duration of at most 1h")), DURATION;
}

/// Compiles `[tool]`, whose keys are names of tools.
pub(super) fn compiled(
    tables: BTreeMap<Spanned<String>, ToolTable>,
    document: &Document<'_>,
) -> Result<RawTools, document::Error> {
    let mut tables: Vec<_> = tables.into_iter().collect();
    tables.sort_by_key(|(of, _)| of.span().start);
    let mut found = RawTools::default();
    for (of, mut table) in tables {
        let (name, span) = (of.get_ref().clone(), of.span());
        let effect = table.effect.as_ref().map(|at| *at.get_ref());
        let declared = table.declaration().compile((&name, span), effect, document)?;
        found.declared.extend(declared);
        let At { value: of, place } = document.source().at(of);
        let pause = table
            .pause_s
            .map(|at| Mark::Pause(at.into_inner().saturating_mul(1_000)));
        let tags = table
            .tags
            .into_iter()
            .flat_map(Spanned::into_inner)
            .map(Mark::Tag);
        let effect = table.effect.map(|at| Mark::Effect(at.into_inner()));
        let waits = table.waits.filter(|at| *at.get_ref()).map(|_| Mark::Tag(WAITS));
        let marks = pause.into_iter().chain(tags).chain(effect).chain(waits);
        found.tags.extend(marks.map(|what| Tag {
            of: of.clone(),
            place: place.clone(),
            what,
        }));
        for (purpose, call) in [
            (Purpose::Probe, table.probe),
            (Purpose::Compensate, table.compensate),
        ] {
            let Some(CallTable {
                tool: Some(tool),
                args,
            }) = call
            else {
                continue;
            };
            let value = Template::new(purpose, tool.get_ref(), &args.get_ref().0).map_err(|error| {
                document.error(
                    args.span(),
                    &format!("{error}; see the templates in docs/tools.md"),
                )
            })?;
            found.templates.push(Call {
                of: of.clone(),
                place: place.clone(),
                purpose,
                template: document.source().at(Spanned::new(tool.span(), value)),
            });
        }
    }
    Ok(found)
}

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
            let is_absent = |name: &str| may_come(name) && !names.iter().any(|known| known == name);
            if is_absent(of) || is_absent(&value.tool) {
                continue;
            }
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
        if let Some(one) = self.0.iter().find(|one| !fits(one) && !may_come(&one.of)) {
            let key = format!("tool.{}", visible(&one.of));
            return Err(unknown(&names, &one.place, key, &one.of));
        }
        Ok(self.among(&names))
    }

    /// Returns those of these tools, each with its tool.
    pub fn among(&self, names: &[String]) -> Vec<(&str, Mark)> {
        let fitting = self.0.iter().filter(|one| names.contains(&one.of));
        fitting.map(|one| (one.of.as_str(), one.what)).collect()
    }
}

/// Returns true for the name of a tool of a server, which may be ready later or not run now.
fn may_come(name: &str) -> bool {
    name.contains("__")
}

/// Makes the error for a tool that does not exist.
fn unknown(names: &[String], place: &Place, key: String, name: &str) -> Error {
    let advice = match near(name, names.iter().map(String::as_str)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("there is: {}", names.join(", ")),
    };
    Error::File(document::Error {
        place: place.clone(),
        key,
        what: format!("there is no tool `{}`; {advice}", visible(name)),
    })
}
