//! Typing: editors, lines, pastes, `$EDITOR`.
//!
//! Text goes into the topmost text field or nowhere. Must not know: what an edit does.

use super::{branches, collect, edits, lists, open, review};
use crate::console::commands::TextVerb;
use crate::console::field::Field;
use crate::console::key::Key;
use crate::console::model::Model;
use crate::console::model::overlay::{LinePrompt, LinePurpose, Overlay, Whose};
use crate::console::msg::Out;
use crate::console::summary;
use crate::domain::command::{CallCommand, Command, ConsentChoice, Edit, RunCommand};
use crate::domain::event::run::Limits;
use crate::domain::id::NodeId;
use crate::domain::price::{decimal, trillionths};

use super::decide::send;

/// The part of a text that a search looks at.
const SEARCHED: usize = 64 * 1024;

/// Opens a line to type.
pub(super) fn line(model: &mut Model, purpose: LinePurpose, title: &str, text: &str) {
    open(
        model,
        Overlay::Line(LinePrompt {
            purpose,
            title: title.to_owned(),
            field: Field::line(text),
        }),
    );
}

/// Opens the line of the search.
pub(super) fn search(model: &mut Model) {
    let before = model.graph.search.text.clone();
    line(model, LinePurpose::Search, "search ids, tools and text", &before);
}

fn field(model: &mut Model) -> Option<&mut Field> {
    match model.overlays.last_mut()? {
        Overlay::Editor(editor) if editor.long.is_none() && !editor.sent => Some(&mut editor.field),
        Overlay::Line(line) => Some(&mut line.field),
        Overlay::List(list) => Some(&mut list.field),
        _ => None,
    }
}

fn changed(model: &mut Model) {
    match model.overlays.last_mut() {
        Some(Overlay::Editor(editor)) => editor.check(),
        Some(Overlay::List(_)) => lists::filter(model),
        _ => {}
    }
}

/// A key that is no command, in a text.
pub(super) fn typed(model: &mut Model, key: Key) {
    if field(model).is_some_and(|field| field.key(key)) {
        changed(model);
    }
}

/// A paste.
pub(super) fn paste(model: &mut Model, text: &str) {
    match field(model) {
        Some(field) => {
            field.paste(text);
            changed(model);
        }
        None => model.complain(format!(
            "a paste of {} bytes was dropped: it goes into an open text only",
            text.len()
        )),
    }
}

/// `$EDITOR` ended.
pub(super) fn external(model: &mut Model, result: Result<String, String>) {
    let Some(Overlay::Editor(editor)) = model.overlays.last_mut() else {
        return;
    };
    let taken = result.and_then(|text| editor.take_external(&text));
    match taken {
        Ok(()) => model.say("taken over from $EDITOR; look at it before you finish"),
        Err(why) => model.complain(format!("nothing was taken over from $EDITOR: {why}")),
    }
}

/// Carries out a command of an editor or a line.
pub(super) fn edit(model: &mut Model, verb: TextVerb, out: &mut Vec<Out>) {
    match verb {
        TextVerb::Cancel => cancel(model, out),
        TextVerb::Commit => match model.overlays.last() {
            Some(Overlay::Editor(_)) => edits::finish(model, out),
            Some(Overlay::Line(_)) => accept(model, out),
            _ => {}
        },
        TextVerb::External => {
            if let Some(Overlay::Editor(editor)) = model.overlays.last()
                && !editor.sent
            {
                out.push(Out::Edit(editor.for_external()));
            }
        }
        TextVerb::Form => {
            if let Some(Overlay::Editor(editor)) = model.overlays.last_mut() {
                editor.switch();
            }
        }
        verb => {
            if let Some(field) = field(model) {
                field.edit(verb);
                changed(model);
            }
        }
    }
}

fn cancel(model: &mut Model, out: &mut Vec<Out>) {
    if let Some(Overlay::Editor(editor)) = model.overlays.last() {
        if editor.sent {
            model.complain("already sent: wait for the answer of the run");
            return;
        }
        if let Some(node) = editor.holds() {
            collect::release(model, node, out);
        }
    }
    model.overlays.pop();
}

fn accept(model: &mut Model, out: &mut Vec<Out>) {
    let Some(Overlay::Line(line)) = model.overlays.last() else {
        return;
    };
    let text = match line.field.text() {
        Ok(text) => text.trim().to_owned(),
        Err(why) => {
            model.complain(why);
            return;
        }
    };
    let purpose = line.purpose.clone();
    let or = |default: &str| {
        if text.is_empty() {
            default.to_owned()
        } else {
            text.clone()
        }
    };
    match purpose {
        LinePurpose::Reject { call, rev } => {
            let reason = or("rejected by the operator");
            model.queue.leaving = model.queue.selected;
            send(
                model,
                Command::Call(CallCommand::Reject { call, rev, reason }),
                Some(call),
                out,
            );
        }
        LinePurpose::RefuseEffect { call, rev, digest } => {
            let choice = ConsentChoice::Reject {
                reason: or("rejected by the operator"),
            };
            model.queue.leaving = model.queue.selected;
            let command = CallCommand::Consent {
                call,
                rev,
                digest,
                choice,
            };
            send(model, Command::Call(command), Some(call), out);
        }
        LinePurpose::RejectAnswer(node) => {
            if text.is_empty() {
                model.complain("say what the model should do instead");
                return;
            }
            let edits = vec![Edit::RejectAnswer {
                node,
                reason: text.into(),
            }];
            model.overlays.pop();
            review::edits(model, edits, Whose::New);
            return;
        }
        LinePurpose::Search => {
            model.overlays.pop();
            find(model, &text);
            return;
        }
        LinePurpose::Reason => {
            model.overlays.pop();
            review::set_reason(model, text);
            return;
        }
        LinePurpose::BranchName(epoch) => branches::named(model, epoch, &text, out),
        LinePurpose::Policy => send(
            model,
            Command::Run(RunCommand::SetPolicy { policy: text }),
            None,
            out,
        ),
        LinePurpose::Title => send(model, Command::Run(RunCommand::Title { title: text }), None, out),
        LinePurpose::Limits => match limits(model.run.state.limits, &text) {
            Ok(limits) => send(model, Command::Run(RunCommand::SetLimits { limits }), None, out),
            Err(why) => {
                model.complain(why);
                return;
            }
        },
    }
    model.overlays.pop();
}

/// Reads limits as they are written in the line: `turns=50 tokens=none minutes=30 price=0.5 parallel=8`.
pub(super) fn limits(now: Limits, text: &str) -> Result<Limits, String> {
    let mut limits = now;
    for word in text.split_whitespace() {
        let wrong = || {
            format!("`{word}` is not a limit: write turns=50 tokens=none minutes=30 price=none parallel=8")
        };
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number: Option<u64> = match value {
            "none" => None,
            value if name == "price" => Some(trillionths(value).ok_or_else(wrong)?),
            value => Some(value.parse().map_err(|_| wrong())?),
        };
        match (name, number) {
            ("turns", number) => limits.turns = number.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            ("tokens", number) => limits.tokens = number,
            ("minutes", number) => limits.wall_ms = number.map(|n| n.saturating_mul(60_000)),
            ("price", number) => limits.price = number,
            ("parallel", Some(number @ 1..)) => limits.parallel = u32::try_from(number).unwrap_or(u32::MAX),
            _ => return Err(wrong()),
        }
    }
    Ok(limits)
}

/// Limits as they are written in the line.
pub(super) fn limits_line(limits: &Limits) -> String {
    let word = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    format!(
        "turns={} tokens={} minutes={} price={} parallel={}",
        word(limits.turns.map(u64::from)),
        word(limits.tokens),
        word(limits.wall_ms.map(|ms| ms.div_ceil(60_000))),
        limits.price.map_or("none".to_owned(), decimal),
        limits.parallel
    )
}

/// Looks for a text in the graph and goes to the first place below the cursor.
fn find(model: &mut Model, text: &str) {
    let wanted = text.to_lowercase();
    let state = &model.run.state;
    let hits: std::collections::BTreeSet<NodeId> = if wanted.is_empty() {
        std::collections::BTreeSet::new()
    } else {
        state
            .nodes
            .values()
            .filter(|node| {
                node.id.to_string() == wanted
                    || contains(node.text(), &wanted)
                    || node
                        .as_call()
                        .is_some_and(|(tool, args)| contains(tool, &wanted) || contains(args, &wanted))
                    || node
                        .outcome()
                        .is_some_and(|outcome| contains(&outcome_text(outcome), &wanted))
            })
            .map(|node| node.id)
            .collect()
    };
    text.clone_into(&mut model.graph.search.text);
    model.graph.search.hits = hits;
    if wanted.is_empty() {
        return;
    }
    let count = model.graph.search.hits.len();
    if count == 0 {
        model.complain(format!("`{text}` is nowhere in the graph"));
        return;
    }
    model.say(format!("{count} places"));
    super::jumps::jump(model, crate::console::commands::Jump::Match);
}

fn outcome_text(outcome: &crate::domain::call::Outcome) -> std::borrow::Cow<'_, str> {
    match outcome {
        crate::domain::call::Outcome::Ok { value, .. } => value.as_ref().into(),
        other => summary::result(other).into(),
    }
}

fn contains(text: &str, wanted: &str) -> bool {
    let head = text
        .get(..SEARCHED)
        .unwrap_or_else(|| crate::console::doc::head(text, SEARCHED).0);
    head.to_lowercase().contains(wanted)
}
