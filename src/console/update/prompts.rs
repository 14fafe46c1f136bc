//! Typing: editors, lines, pastes, `$EDITOR`.
//!
//! Must not know: what an edit does.
//!
//! Text goes into the topmost text field or nowhere.

use super::{choices, classify, executions, lists, open, repair, review, search, typing};
use crate::field::{Field, TextVerb, too_much};
use crate::key::Key;
use crate::model::Model;
use crate::model::arming::BURST_KEYS;
use crate::model::overlay::{LinePrompt, LinePurpose, Overlay, Whose};
use crate::msg::Out;
use crate::panes::graph::update as graph;
use overrule_domain::breaker::BadScope;
use overrule_domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, EscapeCommand, ResilienceCommand, Resolution,
    RunCommand, WeightCommand,
};
use overrule_domain::escape::Detector;
use overrule_domain::event::run::{ContextLimit, Limits};
use overrule_domain::price::{decimal, trillionths};
use overrule_domain::weight::MOST;

use super::decide::{self, send};

/// Opens a line to type. Its text is selected: typing replaces it, a cursor move keeps it.
pub(crate) fn line(model: &mut Model, purpose: LinePurpose, title: &str, text: &str) {
    if let Some(why) = too_much(text) {
        return model.complain(format!("cannot type the {title}: {why}"));
    }
    let mut field = Field::line(text, purpose.most());
    field.select_all();
    open(
        model,
        Overlay::Line(LinePrompt {
            purpose,
            title: title.to_owned(),
            field,
        }),
    );
}

pub(crate) fn field(model: &mut Model) -> Option<&mut Field> {
    match model.overlays.last_mut()? {
        Overlay::Editor(editor) if editor.long.is_none() && !editor.sent => Some(&mut editor.field),
        Overlay::Line(line) => Some(&mut line.field),
        Overlay::List(list) => Some(&mut list.field),
        _ => None,
    }
}

/// Like `field`, but read-only.
pub(crate) fn open_field(model: &Model) -> Option<&Field> {
    match model.overlays.last()? {
        Overlay::Editor(editor) if editor.long.is_none() && !editor.sent => Some(&editor.field),
        Overlay::Line(line) => Some(&line.field),
        Overlay::List(list) => Some(&list.field),
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

/// Types a key that is no command into the open text.
pub(crate) fn typed(model: &mut Model, key: Key) {
    if is_too_long(model, None) {
        return;
    }
    let Some(field) = field(model) else { return };
    if let Some(c) = field.typed(key) {
        return type_in(model, c.encode_utf8(&mut [0; 4]));
    }
    if field.key(key) {
        changed(model);
    }
}

/// Types a text into the open text field as one change, as far as it fits.
pub(crate) fn type_in(model: &mut Model, typed: &str) {
    if is_too_long(model, None) {
        return;
    }
    let Some(field) = field(model) else { return };
    let (left, most) = (field.type_in(typed), field.most());
    changed(model);
    if left > 0 {
        let characters = if left == 1 {
            "1 character".to_owned()
        } else {
            format!("{left} characters")
        };
        model.complain(format!(
            "{characters} dropped: at most {most} fit here. The text before stays"
        ));
    }
}

/// True if the open text is too long to edit. Then it undoes if the verb asks for that, else it
/// shows what can be done.
pub(crate) fn is_too_long(model: &mut Model, verb: Option<TextVerb>) -> bool {
    let Some(Overlay::Editor(editor)) = model.overlays.last_mut() else {
        return false;
    };
    let Some(long) = editor.long.as_ref().filter(|_| !editor.sent) else {
        return false;
    };
    let why = too_much(long).unwrap_or_default();
    if verb == Some(TextVerb::Undo) && editor.go_back() {
        model.set_status("Undone: the text is as before it became too long");
        return true;
    }
    let ways = editor.ways_out(&model.settings.keymap);
    model.complain(format!("{why}: {ways}"));
    true
}

/// Pastes a text.
pub(crate) fn paste(model: &mut Model, text: &str) {
    model.double_press.pressed();
    if let Some(Overlay::Editor(editor)) = model.overlays.last_mut()
        && editor.long.is_none()
        && !editor.sent
    {
        if let Err(why) = editor.paste(text) {
            let key = model.settings.keymap.first("external");
            let undo = model.settings.keymap.first("undo-typing");
            model.complain(format!(
                "{why}: {key} opens them in $EDITOR, {undo} undoes the paste"
            ));
        }
        return;
    }
    if let Some(Overlay::Line(line)) = model.overlays.last()
        && matches!(line.purpose, LinePurpose::Irreversible { .. })
    {
        model.complain("A paste decides nothing. Type the name");
        return;
    }
    match field(model) {
        Some(field) => match field.paste(text) {
            Ok(()) => changed(model),
            Err(why) => model.complain(why),
        },
        None => model.complain(format!(
            "Dropped a paste of {} bytes: no text is open",
            text.len()
        )),
    }
}

/// Changes the text of the open field.
pub(crate) fn edit(model: &mut Model, verb: TextVerb) {
    if is_too_long(model, Some(verb)) {
        return;
    }
    if let Some(field) = field(model) {
        field.edit(verb);
        changed(model);
    }
}

/// The command that mutes the detector of a name, or unmutes it.
fn muted(model: &Model, name: &str) -> Result<Command, String> {
    let detector =
        Detector::named(name).ok_or_else(|| format!("Unknown detector. Use {}", Detector::names()))?;
    let muted = !model.run.state.escape.muted.contains(&detector);
    Ok(Command::Escape(EscapeCommand::Mute { detector, muted }))
}

pub(crate) fn accept(model: &mut Model, out: &mut Vec<Out>) {
    let Some(Overlay::Line(line)) = model.overlays.last() else {
        return;
    };
    if matches!(line.purpose, LinePurpose::Irreversible { .. }) && model.keys.times.len() > BURST_KEYS {
        // A terminal without bracketed paste.
        return model.complain("A paste decides nothing. Type the name");
    }
    let text = line.field.text().trim().to_owned();
    let done = match line.purpose.clone() {
        purpose @ (LinePurpose::Reject { .. }
        | LinePurpose::Skip { .. }
        | LinePurpose::EndAgent { .. }
        | LinePurpose::Irreversible { .. }
        | LinePurpose::LeaveUnknown { .. }
        | LinePurpose::RefuseEffect { .. }) => about_call(model, purpose, text, out),
        LinePurpose::Repair { call, rev } => {
            if !repair::chosen(model, (call, rev), &text, out) {
                return;
            }
            model.queue.leaving = model.queue.selected;
            Ok(())
        }
        LinePurpose::Save(_) if text.is_empty() => Err("No file named".to_owned()),
        LinePurpose::Save(saved) => {
            // The line stays open until the file is written: if it exists, another name is needed.
            out.push(Out::Save {
                path: text,
                text: saved,
            });
            return;
        }
        LinePurpose::RejectAnswer(..) if text.is_empty() => {
            Err("Say what the model should do instead".to_owned())
        }
        purpose @ (LinePurpose::Search | LinePurpose::Filter) => return sought(model, purpose, &text),
        purpose @ (LinePurpose::RejectAnswer(..)
        | LinePurpose::Find
        | LinePurpose::Reason
        | LinePurpose::ErrorPattern) => {
            model.overlays.pop();
            return open_next(model, purpose, text);
        }
        purpose => about_run(model, purpose, text, out),
    };
    match done {
        Ok(()) => {
            let line = model.overlays.pop();
            if let (Some(Overlay::Line(line)), Some(sent)) = (line, &mut model.run.sent)
                && (line.purpose.is_prose() || line.purpose == LinePurpose::Limits)
            {
                sent.line = Some(Box::new(line));
            }
        }
        Err(why) => model.complain(why),
    }
}

/// Handles the reply: the file was written, or the line stays as it was typed.
pub(crate) fn saved(model: &mut Model, written: Result<String, String>) {
    match written {
        Ok(words) => {
            let asks = |overlay: &mut Overlay| matches!(overlay, Overlay::Line(line) if matches!(line.purpose, LinePurpose::Save(_)));
            model.overlays.pop_if(asks);
            model.set_status(words);
        }
        Err(why) => model.complain(why),
    }
}

/// Searches what is shown, or filters the graph. The line stays open if the query is invalid.
fn sought(model: &mut Model, purpose: LinePurpose, text: &str) {
    let line = model.overlays.pop();
    let done = match purpose {
        LinePurpose::Filter => graph::sift(model, text),
        _ => search::look_for(model, text),
    };
    if let Err(why) = done {
        model.overlays.extend(line);
        model.complain(why);
    }
}

/// A line that decides about a call.
fn about_call(
    model: &mut Model,
    purpose: LinePurpose,
    text: String,
    out: &mut Vec<Out>,
) -> Result<(), String> {
    let or = |default: &str| {
        if text.is_empty() {
            default.to_owned()
        } else {
            text.clone()
        }
    };
    let (call, command) = match purpose {
        LinePurpose::Reject { call, rev } | LinePurpose::Skip { call, rev } => {
            let reason = or("rejected by the operator");
            (call, CallCommand::Reject { call, rev, reason })
        }
        LinePurpose::EndAgent { call } => {
            let reason = or("stopped by the operator");
            let attempt = executions::running(model, call);
            (
                call,
                CallCommand::Cancel {
                    call,
                    attempt,
                    reason,
                },
            )
        }
        LinePurpose::LeaveUnknown { call, attempt } => {
            let what = Resolution::Abandon { reason: text };
            (call, CallCommand::Resolve { call, attempt, what })
        }
        LinePurpose::RefuseEffect { call, rev, digest } => {
            let choice = ConsentChoice::Reject {
                reason: or("rejected by the operator"),
            };
            let command = CallCommand::Consent {
                call,
                rev,
                digest,
                choice,
                shown: None,
                word: None,
            };
            (call, command)
        }
        LinePurpose::Irreversible {
            call,
            rev,
            digest,
            unread,
            shown,
            again,
        } => {
            let tool = decide::confirmation(model, call);
            if tool.as_deref() != Some(text.as_str()) {
                return Err(decide::not_confirmed(model, call).to_owned());
            }
            if again {
                let choice = ConsentChoice::RunAgain;
                choices::chosen(model, (call, rev, digest), choice, (shown, tool), out);
            } else {
                decide::approved(model, (call, rev, digest), (unread, shown), tool, out);
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    model.queue.leaving = model.queue.selected;
    send(model, Command::Call(command), Some(call), out);
    Ok(())
}

/// A line that opens or changes something else on screen.
fn open_next(model: &mut Model, purpose: LinePurpose, text: String) {
    match purpose {
        LinePurpose::RejectAnswer(node, base) => {
            let reason = text.into();
            let edits = vec![Edit::RejectAnswer { node, base, reason }];
            review::edits(model, edits, Whose::New);
        }
        LinePurpose::Find => typing::look_for(model, &text),
        LinePurpose::Reason => review::set_reason(model, text),
        LinePurpose::ErrorPattern => classify::set_pattern(model, text),
        _ => {}
    }
}

/// A line about the run as a whole.
fn about_run(
    model: &mut Model,
    purpose: LinePurpose,
    text: String,
    out: &mut Vec<Out>,
) -> Result<(), String> {
    let command = match purpose {
        LinePurpose::BranchName(epoch) => {
            let name = text.into();
            Command::Edit(EditCommand::Name { epoch, name })
        }
        LinePurpose::Policy => Command::Run(RunCommand::SetPolicy { policy: text }),
        LinePurpose::Title => Command::Run(RunCommand::Title { title: text }),
        LinePurpose::Weight { tool, kind } => {
            let weight = weight(&text)
                .ok_or_else(|| format!("`{text}` is not a weight: type a number from 0 to 1"))?;
            Command::Weight(WeightCommand::Set { kind, tool, weight })
        }
        LinePurpose::ForgetWeights => Command::Weight(WeightCommand::Reset {
            tool: match text.trim() {
                "" => return Err("Type the name of a tool, or `all`".to_owned()),
                "all" => None,
                tool => Some(tool.into()),
            },
        }),
        LinePurpose::Detector => muted(model, &text)?,
        LinePurpose::Resilience => return super::settings_line::configure(model, &text, out),
        LinePurpose::ResetBreaker => {
            let scope = text
                .trim()
                .parse()
                .map_err(|error: BadScope| overrule_base::text::visible(&error.to_string()))?;
            Command::Resilience(ResilienceCommand::ResetBreaker { scope })
        }
        LinePurpose::Limits => {
            let limits = limits(model.run.state.limits, &text)?;
            Command::Run(RunCommand::SetLimits { limits })
        }
        _ => return Ok(()),
    };
    send(model, command, None, out);
    Ok(())
}

/// Reads a weight in thousandths.
fn weight(text: &str) -> Option<u16> {
    let number: f64 = text.trim().parse().ok()?;
    let fits = (0.0..=1.0).contains(&number);
    fits.then(|| (number * f64::from(MOST)).round() as u16)
}

/// Reads limits as they are written in the line: `turns=50 tokens=none minutes=30 price=0.5 parallel=8`.
pub(crate) fn limits(now: Limits, text: &str) -> Result<Limits, String> {
    let mut limits = now;
    for word in text.split_whitespace() {
        let wrong =
            || format!("`{word}` is not a limit: type turns=50 tokens=none minutes=30 price=none parallel=8");
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number: Option<u64> = match value {
            "none" => None,
            value if name == "price" => Some(trillionths(value).ok_or_else(wrong)?),
            value => Some(value.parse().map_err(|_| wrong())?),
        };
        match (name, number) {
            ("turns", number) => limits.turns = number.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            ("tokens", number) => limits.tokens = number,
            // Minutes are shown rounded up: an unchanged value keeps its milliseconds.
            ("minutes", number) if number == minutes_of(&now) => {}
            ("minutes", number) => limits.wall_ms = number.map(|n| n.saturating_mul(60_000)),
            ("price", number) => limits.price = number,
            // The window is the model's own: only where it is known the size of a request has a limit.
            ("context", number) => {
                limits.context = match (number, now.context) {
                    (tokens, Some(limit)) if tokens == limit.tokens => Some(limit),
                    (None, _) => None,
                    (tokens, Some(limit)) => Some(ContextLimit { tokens, ..limit }),
                    (Some(_), None) => return Err(wrong()),
                }
            }
            ("parallel", Some(number)) => limits.parallel = u32::try_from(number).unwrap_or(u32::MAX),
            _ => return Err(wrong()),
        }
    }
    limits.check()?;
    Ok(limits)
}

/// The minutes that a limit is shown as.
fn minutes_of(limits: &Limits) -> Option<u64> {
    limits.wall_ms.map(|ms| ms.div_ceil(60_000))
}

/// Limits as they are written in the line.
pub(crate) fn limits_line(limits: &Limits) -> String {
    let word = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    let context = limits
        .context
        .map(|limit| format!(" context={}", word(limit.tokens)));
    format!(
        "turns={} tokens={} minutes={} price={} parallel={}{}",
        word(limits.turns.map(u64::from)),
        word(limits.tokens),
        word(minutes_of(limits)),
        limits.price.map_or("none".to_owned(), decimal),
        limits.parallel,
        context.unwrap_or_default()
    )
}
