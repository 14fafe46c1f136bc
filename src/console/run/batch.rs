//! Approvals that were sent together: the outcome of each, for one message at the end.
//!
//! Must not know: how they are sent, where the message is shown.

use std::collections::BTreeMap;

use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::NodeId;
use overrule_present::many;

/// Maximum number of refused approvals whose reason is on the status line. The log names all.
const NAMED: usize = 2;

/// Approvals that were sent together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Approvals without a reply yet.
    open: BTreeMap<NodeId, Command>,
    /// Listed calls that changed or no longer waited. They were not sent.
    left: Vec<NodeId>,
    approved: Vec<NodeId>,
    /// Bytes of the approved arguments that were not on screen.
    unread: u64,
    /// Each with the reason; holds untrusted text.
    refused: Vec<(NodeId, String)>,
}

fn bytes(count: u64) -> String {
    many(usize::try_from(count).unwrap_or(usize::MAX), "byte")
}

/// Outcome of approvals that were sent together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// In one line, the most important first.
    pub short: String,
    /// With the name of every call.
    pub whole: String,
    /// True where some were refused.
    pub bad: bool,
}

impl Batch {
    /// Records the sent approvals, and the listed calls that were not sent.
    pub fn new(sent: Vec<Command>, left: Vec<NodeId>) -> Self {
        let call = |command: &Command| match command {
            Command::Call(CallCommand::Approve { call, .. }) => Some(*call),
            _ => None,
        };
        let open = sent.into_iter().filter_map(|one| Some((call(&one)?, one)));
        Self {
            open: open.collect(),
            left,
            approved: Vec::new(),
            unread: 0,
            refused: Vec::new(),
        }
    }

    /// Records the reply to an approval, with the reason of a refusal. False for any other command.
    pub fn answer(&mut self, command: &Command, why: Option<&str>) -> bool {
        let Command::Call(CallCommand::Approve { call, unread, .. }) = command else {
            return false;
        };
        if self.open.get(call) != Some(command) {
            return false;
        }
        self.open.remove(call);
        if let Some(why) = why {
            self.refused.push((*call, why.to_owned()));
        } else {
            self.approved.push(*call);
            self.unread += unread;
        }
        true
    }

    /// True once all are answered.
    pub fn is_answered(&self) -> bool {
        self.open.is_empty()
    }

    /// The listed calls, whatever their outcome.
    pub fn listed(&self) -> impl Iterator<Item = NodeId> {
        let refused = self.refused.iter().map(|(call, _)| *call);
        self.approved.iter().chain(&self.left).copied().chain(refused)
    }

    /// The outcome of all, once each is answered, and the calls outside of the list that still
    /// wait. None for an empty batch.
    pub fn sum(&self, waits: &str) -> Option<Sum> {
        if !self.is_answered() {
            return None;
        }
        let all = self.approved.len() + self.refused.len();
        let mut head = match (self.approved.len(), self.refused.len()) {
            (approved, 0) => format!("Approved {}", many(approved, "call")),
            (0, _) => format!("Approved none of {}", many(all, "call")),
            (approved, _) => format!("Approved {approved} of {}", many(all, "call")),
        };
        if self.unread > 0 {
            head = format!("{head} with {} unread", bytes(self.unread));
        }
        let mut tail = match self.left.len() {
            0 => String::new(),
            left => format!("; {left} of the list changed or no longer waited"),
        };
        if !waits.is_empty() {
            tail = format!("{tail}; not in the list, and still waiting: {waits}");
        }
        let ids: Vec<String> = self.approved.iter().map(NodeId::to_string).collect();
        let ids = match &*ids {
            [] => String::new(),
            ids => format!(": {}", ids.join(" ")),
        };
        Some(Sum {
            short: format!("{head}{}{tail}", self.refusals(NAMED)),
            whole: format!("{head}{ids}{}{tail}", self.refusals(usize::MAX)),
            bad: !self.refused.is_empty(),
        })
    }

    /// The number of refused approvals, with the reasons of the first ones.
    fn refusals(&self, most: usize) -> String {
        let count = self.refused.len();
        if count == 0 {
            return String::new();
        }
        let named = self.refused.iter().take(most);
        let named: Vec<String> = named.map(|(call, why)| format!("{call}: {why}")).collect();
        let more = match count.saturating_sub(most) {
            0 => String::new(),
            more => format!("; {more} more, see the log"),
        };
        format!("; {count} refused meanwhile: {}{more}", named.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::call::Digest;
    use overrule_domain::id::Rev;

    fn id(no: u32) -> NodeId {
        format!("c{no}").parse().unwrap()
    }

    fn approve(no: u32, unread: u64) -> Command {
        Command::Call(CallCommand::Approve {
            call: id(no),
            rev: Rev(1),
            digest: Digest("d".into()),
            unread,
            shown: None,
            word: None,
        })
    }

    #[test]
    fn nothing_is_summed_up_before_each_is_answered_and_what_is_no_part_of_it_does_not_count() {
        let mut batch = Batch::new(vec![approve(3, 5), approve(4, 7)], Vec::new());
        assert!(batch.answer(&approve(3, 5), None));
        assert!(!batch.answer(&approve(3, 5), None), "it is answered");
        assert!(!batch.answer(&approve(9, 0), Some("no")));
        assert_eq!(batch.sum("1 denied (c9)"), None);
        assert!(batch.answer(&approve(4, 7), None));
        let sum = batch.sum("").unwrap();
        assert_eq!(sum.short, "Approved 2 calls with 12 bytes unread");
        assert_eq!(sum.whole, "Approved 2 calls with 12 bytes unread: c3 c4");
        assert!(!sum.bad);
        let waits = "; not in the list, and still waiting: 1 denied (c9)";
        let more = batch.sum("1 denied (c9)").unwrap();
        assert_eq!(more.short, format!("{}{waits}", sum.short));
        assert_eq!(more.whole, format!("{}{waits}", sum.whole));
    }

    #[test]
    fn refusals_are_counted_with_their_reasons() {
        let commands: Vec<Command> = (3..8).map(|no| approve(no, 1)).collect();
        let mut batch = Batch::new(commands.clone(), vec![id(9), id(10)]);
        for command in &commands {
            let why = (*command != commands[0]).then_some("it changed");
            assert!(batch.answer(command, why));
        }
        let sum = batch.sum("").unwrap();
        let left = "2 of the list changed or no longer waited";
        let head = "Approved 1 of 5 calls with 1 byte unread";
        assert_eq!(
            sum.short,
            format!(
                "{head}; 4 refused meanwhile: c4: it changed; c5: it changed; 2 more, see the log; {left}"
            )
        );
        assert!(sum.whole.contains("c7: it changed") && !sum.whole.contains("see the log"));
        assert!(sum.bad);

        let mut batch = Batch::new(vec![approve(3, 9)], Vec::new());
        batch.answer(&approve(3, 9), Some("it is over"));
        let sum = batch.sum("").unwrap();
        assert_eq!(
            sum.short, "Approved none of 1 call; 1 refused meanwhile: c3: it is over",
            "what was not approved was not approved unread either"
        );
        assert_eq!(sum.whole, sum.short);
    }
}
