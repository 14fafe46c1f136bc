//! The two sentences that a person reads until their first decision.
//!
//! Must not know: where they are drawn, where it is kept that somebody decided.

use crate::ground::doc::broken;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::run::approval_stats;
use overrule_domain::call::{Call, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_present::question;

/// Rows around the sentences: a blank one and the keys.
pub const AROUND: usize = 2;

/// The sentences about the call that the decision shows, in rows. Empty after the first decision, without a call that waits
/// for an approval, and while a message answers a key. A notice has the row above them.
pub fn rows(model: &Model) -> Vec<String> {
    let is_free = model.message.text.is_empty() || model.message.notices > 0;
    if !model.settings.first_decision
        || !is_free
        || !model.stack.is_empty()
        || model.settings.is_recorded()
        || model.is_halted()
        || approval_stats::has_decided(&model.run.state)
    {
        return Vec::new();
    }
    let state = &model.run.state;
    let call = subject(model).and_then(|id| state.calls.get(&id));
    let waits = |call: &&Call| {
        EffectiveStatus::of_call(state, call).asks() && call.status == Status::AwaitingApproval
    };
    let width = usize::from(model.screen.width.saturating_sub(1));
    call.filter(waits).map_or_else(Vec::new, |call| {
        sentences(model, call)
            .iter()
            .flat_map(|text| broken(text, width))
            .collect()
    })
}

fn sentences(model: &Model, call: &Call) -> [String; 2] {
    let key = |name: &str| model.settings.keymap.first(name);
    let base = model
        .run
        .looked_at(call.id)
        .and_then(|found| found.base.as_deref());
    let title = question::title(&model.run.state, call, base);
    let first = match act(&title) {
        None => format!(
            "The agent asks you a question. Your answer ({}) is the result of the call.",
            key("answer")
        ),
        Some(act) => format!(
            "The agent asks to {act}. It does so only if you approve ({}).",
            key("approve")
        ),
    };
    let second = format!(
        "If you reject ({}), it reads your reason and goes another way.",
        key("reject")
    );
    [first, second]
}

/// What the agent wants to do, by the title of the call; none for a question.
fn act(title: &str) -> Option<&'static str> {
    let (verb, object) = title.split_once(' ').unwrap_or((title, ""));
    let many = object.starts_with(|c: char| c.is_ascii_digit());
    let many = many && (object.ends_with(" files") || object.ends_with(" commands"));
    Some(match (verb, many) {
        ("creates", _) => "create this file",
        ("changes", false) => "change this file",
        ("changes", true) => "change these files",
        ("replaces", _) => "replace this file",
        ("writes", _) => "write this file",
        ("deletes", _) => "delete this file",
        ("runs", false) => "run this command",
        ("runs", true) => "run these commands",
        ("sends", _) => "send this request",
        ("asks", _) => return None,
        _ => "make this call",
    })
}

#[cfg(test)]
mod tests {
    use super::act;

    #[test]
    fn each_kind_of_call_has_its_words() {
        for (title, expected) in [
            ("creates a.md", Some("create this file")),
            ("changes stats.py", Some("change this file")),
            ("changes 3 files", Some("change these files")),
            ("changes 3 files.txt", Some("change this file")),
            ("replaces a", Some("replace this file")),
            ("deletes a", Some("delete this file")),
            ("runs python3 -m unittest", Some("run this command")),
            ("runs 2 commands", Some("run these commands")),
            ("sends POST to example.org", Some("send this request")),
            ("calls github.create_issue", Some("make this call")),
            ("asks you", None),
            ("", Some("make this call")),
        ] {
            assert_eq!(act(title), expected, "{title}");
        }
    }
}
