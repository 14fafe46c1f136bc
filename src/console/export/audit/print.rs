//! Writes a decision as text for people.
//!
//! Must not know: time zones, where it goes.

use std::fmt::Write as _;

use overrule_base::text::visible;
use overrule_domain::ladder::span;
use overrule_domain::rule;
use overrule_present::audit::{AuditView, Who};

/// Formats a time, to the millisecond while it is short.
fn took(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { span(ms) }
}

/// Returns a decision in lines of safe text: who did what and when, then what is known of it.
pub fn text(entry: &AuditView, time: &str) -> Vec<String> {
    let via = match &entry.who {
        Who::Operator(_, Some(via)) => format!(" ({})", via.label()),
        Who::Approver(_) => " (approver)".to_owned(),
        Who::Operator(..) | Who::Policy | Who::Engine => String::new(),
    };
    let mut head = format!(
        "{} {time} · {}{via} · {}",
        entry.seq,
        visible(entry.who.name()),
        entry.action.replace('_', " ")
    );
    if let Some(node) = entry.node {
        let _ = write!(head, " {node}");
        if let Some(rev) = entry.rev.filter(|rev| rev.0 > 1) {
            let _ = write!(head, " revision {}", rev.0);
        }
    }
    if let Some(tool) = &entry.tool {
        let _ = write!(head, " · {}", visible(tool));
    }
    if let Some(ms) = entry.waited {
        let _ = write!(head, " · after {}", took(ms));
    }
    let mut lines = vec![head];
    let mut report = |name: &str, text: &str| lines.push(format!("  {name:<9} {}", visible(text)));
    if let Some(detail) = &entry.detail {
        report("what", detail);
    }
    if let Some(rule) = &entry.rule {
        report("rule", &rule::describe(rule));
    }
    if let Some(reason) = &entry.reason {
        report("reason", reason);
    }
    if let Some(why) = &entry.why {
        report("", &format!("the agent says: {why}"));
    }
    if let Some(original) = &entry.original {
        report("original", original);
    }
    if let Some(changed) = &entry.changed {
        report("changed", changed);
    }
    if let Some(shown) = &entry.shown {
        let same = entry.original.as_deref() == Some(&*shown.args);
        report("shown", if same { "the original" } else { &shown.args });
        let mut seen = format!("{} bytes", shown.args.len());
        match shown.unread {
            Some(0) => seen.push_str(", all read"),
            Some(unread) => {
                let _ = write!(seen, ", {unread} not read");
            }
            None => {}
        }
        if let Some(form) = shown.form {
            let _ = write!(seen, ", shown as {}", form.label());
        }
        if let Some(digest) = &shown.digest {
            let _ = write!(seen, ", digest {}", digest.short());
        }
        report("", &seen);
        for file in &shown.files {
            report("may run", file);
        }
    }
    for ran in &entry.executed {
        let args = match &entry.shown {
            Some(shown) if shown.args == ran.args => "what was shown",
            _ => &ran.args,
        };
        report("executed", args);
        let took = ran.ms.map(|ms| format!(" in {}", took(ms))).unwrap_or_default();
        report("", &format!("{}{took} ({})", ran.outcome, ran.attempt));
    }
    lines
}
