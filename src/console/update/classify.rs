//! Corrects the class of an error: shows the error, the new rule and two answers.
//!
//! Must not know: where settings are stored, how an error is classified.

use super::decide::send;
use super::{open, prompts};
use crate::console::commands::Classify;
use crate::console::model::Model;
use crate::console::model::graph::Pick;
use crate::console::model::inspector::Subject;
use crate::console::model::overlay::{Classifying, LinePurpose, Overlay, Page, PageContent};
use crate::console::msg::Out;
use crate::domain::command::{Command, ResilienceCommand};
use crate::resilience::correction::{self, Correction, Corrigible, Verdict};
use crate::text::visible;

/// The setting that holds the corrections.
const KEY: &str = "errors.corrections";

/// Carries out a verb about the class of an error.
pub(super) fn carry_out(model: &mut Model, verb: Classify, out: &mut Vec<Out>) {
    let done = match verb {
        Classify::Open => show(model),
        Classify::Permanent => keep(model, Verdict::Permanent, out),
        Classify::Temporary => keep(model, Verdict::Temporary, out),
        Classify::Pattern => change(model),
    };
    if let Err(why) = done {
        model.complain(visible(&why));
    }
}

fn show(model: &mut Model) -> Result<(), String> {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return Err("No call selected".to_owned());
    };
    let failed = Corrigible::of(&model.run.state, id)?;
    let pattern = failed.pattern();
    let page = PageContent::Classify(Box::new(Classifying { failed, pattern }));
    open(
        model,
        Overlay::Page(Page::new("is this error permanent or temporary?", page)),
    );
    Ok(())
}

/// The open page about the class of an error.
fn shown(model: &mut Model) -> Option<&mut Page> {
    let is_it = |page: &&mut Page| matches!(page.content, PageContent::Classify(_));
    match model.overlays.last_mut() {
        Some(Overlay::Page(page)) => Some(page).filter(is_it),
        _ => None,
    }
}

fn asked(model: &mut Model) -> Result<Classifying, String> {
    match shown(model).map(|page| &page.content) {
        Some(PageContent::Classify(asked)) => Ok((**asked).clone()),
        _ => Err("No error is shown".to_owned()),
    }
}

fn change(model: &mut Model) -> Result<(), String> {
    let asked = asked(model)?;
    let title = "regular expression for errors like this one";
    prompts::line(model, LinePurpose::ErrorPattern, title, &asked.pattern);
    Ok(())
}

/// Takes the typed pattern. Saving the rule checks it.
pub(super) fn set_pattern(model: &mut Model, text: String) {
    if let Some(page) = shown(model)
        && let PageContent::Classify(asked) = &mut page.content
    {
        asked.pattern = text;
        page.made = None;
    }
}

/// Requests to save the rule. An invalid rule is refused before anything is written.
fn keep(model: &mut Model, verdict: Verdict, out: &mut Vec<Out>) -> Result<(), String> {
    let asked = asked(model)?;
    let by = model.run.state.started.as_ref();
    let by = by.map(|started| started.user.clone()).unwrap_or_default();
    let session = model.settings.session.clone();
    let rule = asked
        .failed
        .corrected(verdict, &asked.pattern, (&session, "", &by))?;
    out.push(Out::Keep(Box::new(rule)));
    Ok(())
}

/// Handles the reply: the rule was saved and the run uses it from now on, or nothing changes.
pub(super) fn stored(model: &mut Model, stored: Result<Box<Correction>, String>, out: &mut Vec<Out>) {
    let rule = match stored {
        Ok(rule) => rule,
        Err(why) => return model.complain(why),
    };
    if shown(model).is_some() {
        model.overlays.pop();
    }
    let output = model.settings.policy.iter().find(|(key, _)| key == KEY);
    let otherwise = output.and_then(|(_, value)| serde_json::from_str::<Vec<Correction>>(value).ok());
    let value = correction::with(&model.run.state, &otherwise.unwrap_or_default(), &rule);
    model.set_status(format!(
        "Saved: such errors of {} are {} from the next failure on. {} stays as it is",
        visible(&rule.tool),
        rule.error.label(),
        rule.call
    ));
    let configure = ResilienceCommand::Configure {
        key: KEY.into(),
        value: value.into(),
    };
    send(model, Command::Resilience(configure), None, out);
}
