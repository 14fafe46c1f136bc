//! Says why a run cannot continue without an operator, with the exit code for it.
//!
//! Must not know: who asks.

use super::address::Address;
use super::exit::Code;
use super::print;
use overrule_base::text::visible;
use overrule_domain::call::{Call, Status};
use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::reduction;
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::{Stream, StreamFault, StreamFaultKind, Turn};

/// How a headless run ended.
#[derive(Debug)]
pub struct End {
    /// The exit code.
    pub code: Code,
    /// The reason and a hint; may be empty.
    pub why: String,
}

impl End {
    /// Creates an end.
    pub fn new(code: Code, why: impl Into<String>) -> Self {
        Self {
            code,
            why: why.into(),
        }
    }
}

/// A run that ended, or waits.
#[derive(Clone, Copy)]
pub struct WhyEnded<'a> {
    /// Its state.
    pub state: &'a State,
    /// Its session.
    pub session: &'a Address,
}

impl<'a> WhyEnded<'a> {
    /// Active turns with a broken stream.
    pub fn broken(self) -> impl Iterator<Item = (&'a Turn, &'a StreamFault)> {
        let open = self.state.agenda.open.iter();
        let turns = open.filter_map(|id| self.state.turns.get(id));
        turns
            .filter(|turn| turn.is_active())
            .filter_map(|turn| match &turn.stream {
                Stream::Broken(fault) => Some((turn, fault)),
                _ => None,
            })
    }

    /// The turn whose answer does not fit the schema and waits for the operator.
    pub fn unfit(self) -> Option<&'a Turn> {
        let mut broken = self.broken();
        broken.find_map(|(turn, fault)| (fault.kind == StreamFaultKind::Invalid).then_some(turn))
    }

    /// Describes why the run cannot continue without an operator.
    pub fn why_not(self) -> End {
        match &self.state.mode {
            Mode::Stopped(reason) => return self.stopped(reason),
            Mode::Paused(reason) => return self.paused(reason),
            Mode::Running | Mode::Finished(_) => {}
        }
        if let Some(end) = self.interrupted_restore() {
            return end;
        }
        let mut queue = self.state.queue();
        let unknown = queue.find(|call| matches!(call.status, Status::OutcomeUnknown(_)));
        if let Some(call) = unknown {
            return self.outcome_unknown(call);
        }
        let mut queue = self.state.queue();
        let consent = queue.find(|call| matches!(call.status, Status::Consent(_)));
        if let Some(call) = consent {
            return self.wants_consent(call.id);
        }
        if let Some((turn, fault)) = self.broken().next() {
            return self.model_failed(turn, fault);
        }
        self.stuck()
    }

    /// A restore that was interrupted; nothing continues it without a person.
    pub fn interrupted_restore(self) -> Option<End> {
        let open = self.state.operator.files.open().filter(|open| open.interrupted)?;
        let (session, restore) = (self.session, open.started.restore);
        Some(End::new(
            Code::Halted,
            format!(
                "cannot continue: the restore {restore} was interrupted ({}); hint: `overrule restore {session} --continue \
                 {restore}`, `--leave {restore}` or `--undo {restore} --preview`",
                open.started.describe()
            ),
        ))
    }

    fn stopped(self, reason: &str) -> End {
        let (session, reason) = (self.session, visible(reason));
        End::new(
            Code::Halted,
            format!(
                "the run was stopped: {reason}; hint: continue with `overrule unpause {session} --resume`"
            ),
        )
    }

    fn paused(self, reason: &str) -> End {
        let (session, reason) = (self.session, visible(reason));
        match &self.state.tally.limit_reached {
            Some((which, _)) => {
                if which == reduction::LIMIT {
                    return End::new(
                        Code::Budget,
                        format!(
                            "the request is too long: {reason}; hint: `overrule shorten {session} --resume`, `summarize` or \
                             `drop-turns`, or set reduce to \"auto\" or \"off\" in [context] of the settings"
                        ),
                    );
                }
                let flag = match which.as_str() {
                    "tokens" => "--max-tokens N",
                    "time" => "--max-time DURATION",
                    "price" => "--max-price AMOUNT",
                    _ => "--max-turns N",
                };
                End::new(
                    Code::Budget,
                    format!(
                        "the limit of {which} is reached: {reason}; hint: raise it with `{}`",
                        session.to_continue_with(flag)
                    ),
                )
            }
            None if self.asks_about_loop() => End::new(
                Code::Halted,
                format!("the run is paused: {reason}; hint: `overrule loops {session}` shows your options"),
            ),
            None => End::new(
                Code::Halted,
                format!(
                    "the run is paused: {reason}; hint: continue with `overrule unpause {session} --resume`"
                ),
            ),
        }
    }

    /// True if the run is paused because of a loop.
    fn asks_about_loop(self) -> bool {
        let incidents = &self.state.learned.escape.incidents;
        incidents
            .iter()
            .any(|incident| waits_for_operator(self.state, incident))
    }

    fn stuck(self) -> End {
        let session = &self.session;
        let waiting: Vec<String> = self.state.queue().map(|call| call.id.to_string()).collect();
        let why = if waiting.is_empty() {
            format!(
                "cannot continue the run: nothing can run, and there is no answer; hint: open it with `{}`",
                session.to_continue()
            )
        } else {
            format!(
                "cannot decide {} without an operator; hint: see `overrule queue {session}`, then approve, \
                 reject, edit or answer",
                waiting.join(", ")
            )
        };
        End::new(Code::Halted, why)
    }

    fn outcome_unknown(self, call: &Call) -> End {
        let (session, id) = (self.session, call.id);
        let attempt = match call.status {
            Status::OutcomeUnknown(attempt) => Some(attempt),
            _ => None,
        };
        let why = attempt.and_then(|attempt| call.why_unseen(attempt));
        let why = why
            .map(|why| format!(" ({})", print::safe_text(why)))
            .unwrap_or_default();
        let way = match attempt {
            Some(attempt) if call.was_cancelled(attempt) => {
                format!(" (`--did-not-finish` ends {id}, which was cancelled)")
            }
            Some(attempt) if call.has_ended(attempt) => format!(" (`--did-not-finish` ends {id})"),
            _ => String::new(),
        };
        End::new(
            Code::Halted,
            format!(
                "cannot continue after {id}: its outcome is unknown{why}; hint: use `overrule resolve {session} {id} \
                 --happened JSON`, `overrule resolve {session} {id} --did-not`{way}, or open it with `{}`",
                session.to_continue()
            ),
        )
    }

    fn wants_consent(self, id: NodeId) -> End {
        let session = &self.session;
        End::new(
            Code::Halted,
            format!(
                "cannot run {id} without consent: it may repeat an effect that already happened; hint: use \
                 `overrule queue {session}`, then `overrule consent {session} {id} --digest D reuse|run-again|reject`"
            ),
        )
    }

    fn model_failed(self, turn: &Turn, fault: &StreamFault) -> End {
        let (session, id, number) = (self.session, turn.id, turn.id.0);
        let (kind, message) = (fault.kind.label(), print::safe_text(&fault.message));
        if fault.kind == StreamFaultKind::Script {
            return End::new(Code::Config, format!("{id}: {kind}: {message}"));
        }
        if fault.kind == StreamFaultKind::Invalid {
            return End::new(Code::Halted, format!("{message}\n{}", self.about_answer(turn)));
        }
        if fault.kind == StreamFaultKind::Overflow {
            return End::new(
                Code::Budget,
                format!(
                    "{id}: {kind}: {message}; hint: `overrule shorten {session} --resume`, `summarize` or `drop-turns`"
                ),
            );
        }
        End::new(
            Code::Model,
            format!(
                "{id}: {kind}: {message}; ask again with `overrule ask-again {session} {number} --resume`"
            ),
        )
    }

    /// The operator's options for an answer that does not fit, as commands.
    pub fn about_answer(self, turn: &Turn) -> String {
        let (session, number) = (self.session, turn.id.0);
        let counts = |id: &&NodeId| {
            let node = self.state.nodes.get(id);
            id.kind == NodeKind::Answer && node.is_some_and(|node| node.active)
        };
        let answer = turn.nodes.iter().rev().find(counts);
        let answer = answer.map_or_else(|| "ANSWER".to_owned(), NodeId::to_string);
        format!(
            "edit it with `overrule edit {session} {answer} --text TEXT --resume`, keep it as it is with `overrule keep \
             {session} {number} --resume`, or ask again with `overrule ask-again {session} {number} --resume`"
        )
    }
}
