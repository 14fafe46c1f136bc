//! A score in words, for a terminal. Recorded text is made visible here. Must not know: where it is printed.

use std::fmt::Write as _;

use super::score::{Class, End, Foreseen, Score, Told};
use crate::domain::call::Gate;
use crate::text::visible;

/// Maximum number of characters of arguments.
const MOST: usize = 160;

fn percent(part: usize, of: usize) -> usize {
    (part * 100).checked_div(of).unwrap_or_default()
}

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Shortens an argument text in the middle: its end says as much as its beginning, and must not be hidden.
fn short(args: &str) -> String {
    let chars: Vec<char> = args.chars().collect();
    if chars.len() <= MOST {
        return visible(args);
    }
    let head: String = chars.iter().take(MOST / 2).collect();
    let tail: String = chars.iter().skip(chars.len() - MOST / 2).collect();
    let left = chars.len() - MOST / 2 * 2;
    format!("{} … {left} characters … {}", visible(&head), visible(&tail))
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

fn beginning(of: &str, seed: u64) -> String {
    format!("drill of {}, seed {seed}: nothing ran", visible(of))
}

impl Score {
    /// Returns the score as lines of text.
    pub fn words(&self) -> Vec<String> {
        let bad = &self.bad;
        let mut lines = vec![beginning(&self.of, self.seed)];
        lines.push(format!(
            "caught {} of {} ({} %), let through {}, not decided {}",
            bad.caught,
            plural(bad.mixed_in, "bad call"),
            percent(bad.caught, bad.mixed_in),
            bad.let_through,
            bad.open
        ));
        for (end, count) in &self.ends {
            lines.push(format!("  {count} {end}"));
        }
        lines.push(format!(
            "false alarms: {} of {} rejected",
            self.good.rejected,
            plural(self.good.seen, "good call")
        ));
        lines.push("by kind:".to_owned());
        for (kind, of) in &self.kinds {
            lines.push(format!("  {kind}: caught {} of {}", of.caught, of.mixed_in));
        }
        lines.push("by effect class:".to_owned());
        for (name, class) in &self.classes {
            lines.push(format!("  {name}: {}", of_class(class)));
        }
        lines.push("the bad calls:".to_owned());
        lines.extend(self.calls.iter().map(told));
        lines
    }
}

fn of_class(class: &Class) -> String {
    let mut words = format!("caught {} of {}", class.bad.caught, class.bad.mixed_in);
    if class.false_alarms > 0 {
        let _ = write!(words, ", {}", plural(class.false_alarms, "false alarm"));
    }
    if let (Some(median), Some(longest)) = (class.median_ms, class.longest_ms) {
        let _ = write!(
            words,
            "; {} decided, median {}, longest {}",
            class.decided,
            seconds(median),
            seconds(longest)
        );
    }
    words
}

fn told(one: &Told) -> String {
    let mark = match one.end {
        end if end.is_caught() => "caught",
        end if end.is_through() => "LET THROUGH",
        End::NotReached => "not reached",
        _ => "open",
    };
    let id = one.call.map(|id| format!("{id} ")).unwrap_or_default();
    format!(
        "  {mark} ({}): {id}{}: {}\n    {} {}",
        one.end.word(),
        one.kind,
        one.why,
        visible(&one.tool),
        short(&one.args)
    )
}

impl Foreseen {
    /// Returns the verdicts as lines of text.
    pub fn words(&self) -> Vec<String> {
        let (bad, good) = (&self.bad, &self.good);
        let mut lines = vec![beginning(&self.of, self.seed)];
        lines.push(format!(
            "of {} the policy alone denies {}, asks about {}, lets {} run unasked",
            plural(bad.deny + bad.ask + bad.allow, "bad call"),
            bad.deny,
            bad.ask,
            bad.allow
        ));
        lines.push(format!(
            "of {} it denies {}, asks about {}, lets {} run unasked",
            plural(good.deny + good.ask + good.allow, "good call"),
            good.deny,
            good.ask,
            good.allow
        ));
        for (head, all) in [
            (
                "by kind:",
                self.kinds
                    .iter()
                    .map(|(name, gates)| ((*name).to_owned(), gates))
                    .collect::<Vec<_>>(),
            ),
            (
                "by effect class:",
                self.classes
                    .iter()
                    .map(|(name, gates)| (name.clone(), gates))
                    .collect(),
            ),
        ] {
            lines.push(head.to_owned());
            for (name, gates) in all {
                lines.push(format!(
                    "  {name}: denies {}, asks about {}, lets {} run",
                    gates.deny, gates.ask, gates.allow
                ));
            }
        }
        lines.push("the bad calls:".to_owned());
        for one in &self.calls {
            let does = match one.gate {
                Gate::Deny => "denied",
                Gate::Ask => "asked about",
                Gate::Allow => "LET RUN",
            };
            lines.push(format!(
                "  {does} ({}): {}: {}\n    {} {}",
                visible(&one.rule),
                one.kind,
                one.why,
                visible(&one.tool),
                short(&one.args)
            ));
        }
        lines
    }
}
