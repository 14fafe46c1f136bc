//! Opens the question about the class of an error, changes its rule, and answers it.
//!
//! Must not know: where settings are stored, how an error is classified.
use crate::kernel::context::{Context, PANES, on};
use crate::kernel::graph::Pick;
use crate::kernel::inspector::Subject;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::sheet::Sheet;
use crate::kernel::verb::{Effect, Press, Verb, verbs};
use crate::run::refusal::Refusal;
use crate::surfaces::classify::Classifying;
use crate::surfaces::classify::stored::set_pattern;
use overrule_base::text::visible;
use overrule_resilience::correction::{Corrigible, Verdict};

/// The verb `classify`.
pub const CLASSIFY: Verb = Verb {
    name: "classify",
    keys: &["%"],
    contexts: PANES,
    doc: "classify the error of the selected call as permanent or temporary; saves a rule for its tool in your settings",
    effect: Effect::Records,
    run: |model, _| show(model),
    ..Verb::BASE
};

/// In the question.
const ASKED: &[Context] = &[on(super::ID)];

/// An answer.
const ANSWER: Verb = Verb {
    effect: Effect::Records,
    ..Verb::BASE
};

verbs! {
    run: keep, ..ANSWER;
    ERROR_PERMANENT "error-permanent" ["p"] ASKED hint "permanent" "mark errors like this as permanent: do not retry them" Verdict::Permanent;
    ERROR_TEMPORARY "error-temporary" ["t"] ASKED hint "temporary" "mark errors like this as temporary: retry them where that is harmless" Verdict::Temporary;
}

/// The verb `error-pattern`.
pub const ERROR_PATTERN: Verb = Verb {
    name: "error-pattern",
    keys: &["e"],
    contexts: ASKED,
    doc: "change the pattern of the rule",
    hint: "pattern",
    effect: Effect::Records,
    run: |model, _| change(model),
    ..Verb::BASE
};

/// A reason that may hold words of a tool.
fn outside(why: String) -> Refusal {
    Refusal::outside(visible(&why))
}

fn show(model: &mut Model) -> Result<(), Refusal> {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return Err(Refusal::not_selected("call"));
    };
    let failed = Corrigible::of(&model.run.state, id).map_err(outside)?;
    let pattern = failed.pattern();
    let sheet = Sheet::default();
    model.stack.push(Classifying {
        failed,
        pattern,
        sheet,
    });
    Ok(())
}

fn asked(model: &Model) -> Result<Classifying, Refusal> {
    let asked = model.stack.top::<Classifying>();
    asked
        .cloned()
        .ok_or_else(|| Refusal::not_open("The page of an error"))
}

fn change(model: &mut Model) -> Result<(), Refusal> {
    let asked = asked(model)?;
    let title = "regular expression for errors like this one";
    let act = ("preview", Style::SETTING);
    let prompt = Prompt::new(act, title, &asked.pattern, |model, text, _| {
        set_pattern(model, text);
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// Requests to save the rule. An invalid rule is refused before anything is written.
fn keep(model: &mut Model, press: &mut Press<'_>, verdict: Verdict) -> Result<(), Refusal> {
    let asked = asked(model)?;
    let by = model.run.state.started.as_ref();
    let by = by.map(|started| started.user.clone()).unwrap_or_default();
    let session = model.settings.session.clone();
    let rule = asked
        .failed
        .corrected(verdict, &asked.pattern, (&session, "", &by))
        .map_err(outside)?;
    press.out.push(Out::Keep(Box::new(rule)));
    Ok(())
}
