//! The interface of the engine: commands in, publications out.
//!
//! Must not know: who is on the other side.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::halt::Halt;
use super::tails::Tails;
use overrule_domain::command::Command;
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{Seq, TurnId};
use overrule_domain::input::Input;
use overrule_domain::live::Live;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::State;
use overrule_tools::registry::Registry;

/// What the engine publishes to its listeners.
#[derive(Debug, Clone)]
pub enum Publication {
    /// The whole state so far.
    Snapshot(Box<State>),
    /// One more recorded event.
    Event(Arc<Envelope>),
    /// A message that is not a fact of the run.
    Notice(String),
    /// The run is halted in this process.
    Halted(Halt),
    /// Nothing more will be published.
    Ended,
}

/// What the loop receives.
#[derive(Debug)]
pub enum Message {
    /// An operator's command.
    Command {
        /// What to do.
        command: Command,
        /// Who commands it.
        actor: Actor,
        /// Receives the sequence number of the decision, or the refusal.
        reply: Option<oneshot::Sender<Result<Seq, Refusal>>>,
    },
    /// A command from a sender that is not allowed to command.
    Refused {
        /// The command.
        command: String,
        /// Why it was refused.
        reason: String,
    },
    /// A report from the world.
    Input(Input),
    /// The open parts of a stream.
    Live(Live),
    /// A message for the listeners.
    Notice(String),
    /// The tracking of files may know more than before.
    Files,
    /// The tools from now on, instead of those so far.
    Tools(Toolbox),
    /// A new listener.
    Subscribe(mpsc::UnboundedSender<Vec<Publication>>),
    /// End this process's part of the run, which can be resumed.
    Shutdown(oneshot::Sender<()>),
}

/// The tools of a run with their cards.
#[derive(Clone)]
pub struct Toolbox {
    /// The tools.
    pub registry: Arc<Registry>,
    /// Their cards, with the templates of the settings.
    pub cards: Vec<ToolCard>,
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tools", self.cards.len())
    }
}

impl Message {
    /// Returns the report, if it is one.
    pub(super) fn report(self) -> Option<Input> {
        match self {
            Self::Input(input) => Some(input),
            _ => None,
        }
    }
}

/// The open streams, by turn.
pub type LiveTurns = BTreeMap<TurnId, Live>;

/// A handle to the loop; cheap to clone.
#[derive(Debug, Clone)]
pub struct Handle {
    inbox: mpsc::Sender<Message>,
    live: watch::Receiver<LiveTurns>,
    published: watch::Receiver<Seq>,
    tails: Tails,
}

/// The answer to a command.
type CommandAnswer = oneshot::Receiver<Result<Seq, Refusal>>;

/// What a listener receives.
#[derive(Debug)]
pub struct Subscription {
    /// A snapshot, followed by every later fact without gaps.
    pub facts: Facts,
    /// The open parts of streams; a slow listener sees only the newest.
    pub live: watch::Receiver<LiveTurns>,
    /// The newest fact that has been sent together with everything that follows from it by itself. Facts
    /// beyond it are a decision half carried out.
    pub published: watch::Receiver<Seq>,
}

/// Publications in order. They arrive in batches, one for everything that was recorded together: the listener
/// is woken once per batch and takes its publications one by one.
#[derive(Debug)]
pub struct Facts {
    batches: mpsc::UnboundedReceiver<Vec<Publication>>,
    next: std::vec::IntoIter<Publication>,
}

impl Facts {
    /// Waits for the next publication; returns `None` once nothing more will come. Cancel safe: nothing is
    /// lost if the wait is abandoned.
    pub async fn recv(&mut self) -> Option<Publication> {
        loop {
            if let Some(next) = self.next.next() {
                return Some(next);
            }
            self.next = self.batches.recv().await?.into_iter();
        }
    }

    /// Returns the next publication if it has arrived.
    pub fn try_recv(&mut self) -> Option<Publication> {
        loop {
            if let Some(next) = self.next.next() {
                return Some(next);
            }
            self.next = self.batches.try_recv().ok()?.into_iter();
        }
    }
}

impl Handle {
    pub(super) fn new(
        inbox: mpsc::Sender<Message>,
        live: watch::Receiver<LiveTurns>,
        reported: watch::Receiver<Seq>,
    ) -> Self {
        Self {
            inbox,
            live,
            published: reported,
            tails: Tails::default(),
        }
    }

    /// The newest output of the running calls.
    pub const fn tails(&self) -> &Tails {
        &self.tails
    }

    /// Sends a command immediately, whether or not the returned future is awaited; the future
    /// resolves to its sequence number or refusal. Commands are carried out in the order of these
    /// calls. If the inbox is full, the future sends it, and waits for room.
    pub fn command(
        &self,
        command: Command,
        actor: Actor,
    ) -> impl Future<Output = Result<Seq, Refusal>> + Send + 'static + use<> {
        let (message, answer) = question(command, actor);
        let left = self.begin(message);
        async move {
            if let Some(left) = left {
                left.await;
            }
            answered(answer).await
        }
    }

    /// The same for a sender that must not wait: if the inbox is full, the command is refused.
    pub fn offer(
        &self,
        command: Command,
        actor: Actor,
    ) -> impl Future<Output = Result<Seq, Refusal>> + Send + 'static + use<> {
        let (message, answer) = question(command, actor);
        let left = self.inbox.try_send(message);
        async move {
            match left {
                Err(TrySendError::Full(_)) => Err(Refusal::new(
                    RefusalKind::Busy,
                    "the run is busy with earlier messages: try again",
                )),
                Ok(()) | Err(TrySendError::Closed(_)) => answered(answer).await,
            }
        }
    }

    /// Records that a command was refused because of who sent it.
    pub async fn refused(&self, command: String, reason: String) {
        self.send(Message::Refused { command, reason }).await;
    }

    /// Reports something that happened outside of the engine.
    pub async fn report(&self, input: Input) {
        self.send(Message::Input(input)).await;
    }

    /// Replaces the tools of the run.
    pub async fn tools(&self, toolbox: Toolbox) {
        self.send(Message::Tools(toolbox)).await;
    }

    /// Sends the listeners a notice that is not a fact of the run.
    pub fn notice(&self, text: String) {
        self.post(Message::Notice(text));
    }

    /// Starts to listen.
    pub fn subscribe(&self) -> Subscription {
        let (out, facts) = mpsc::unbounded_channel();
        self.post(Message::Subscribe(out));
        Subscription {
            facts: Facts {
                batches: facts,
                next: Vec::new().into_iter(),
            },
            live: self.live.clone(),
            published: self.published.clone(),
        }
    }

    /// Ends this process's part of the run. Nothing more is launched, including calls that were
    /// decided just before, and child processes are ended. Resolves when that is done.
    pub async fn shutdown(&self) {
        let (done, ended) = oneshot::channel();
        self.send(Message::Shutdown(done)).await;
        // If the loop is gone already, there is nothing to wait for.
        ended.await.unwrap_or_default();
    }

    /// Sends a message, and waits while the inbox is full.
    pub(super) async fn send(&self, message: Message) {
        // A closed inbox means that the loop has ended, so there is no one to notify.
        self.inbox.send(message).await.unwrap_or_default();
    }

    /// Sends a message immediately. If the inbox is full, returns a future that waits for room and then sends it.
    pub(super) fn begin(
        &self,
        message: Message,
    ) -> Option<impl Future<Output = ()> + Send + 'static + use<>> {
        let Err(TrySendError::Full(message)) = self.inbox.try_send(message) else {
            return None;
        };
        let inbox = self.inbox.clone();
        Some(async move { inbox.send(message).await.unwrap_or_default() })
    }

    /// Sends a message for a sender that cannot wait: while the inbox is full, a task waits in its place.
    fn post(&self, message: Message) {
        if let Some(left) = self.begin(message) {
            tokio::spawn(left);
        }
    }
}

fn question(command: Command, actor: Actor) -> (Message, CommandAnswer) {
    let (reply, answer) = oneshot::channel();
    let message = Message::Command {
        command,
        actor,
        reply: Some(reply),
    };
    (message, answer)
}

async fn answered(answer: CommandAnswer) -> Result<Seq, Refusal> {
    let over = || Refusal::new(RefusalKind::Over, "the run has ended in this process");
    answer.await.unwrap_or_else(|_| Err(over()))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use overrule_domain::command::RunCommand;

    #[test]
    fn commands_are_taken_in_the_order_in_which_they_were_given_whoever_waits_first() {
        let (to_inbox, mut inbox) = mpsc::channel(2);
        let (_live, live) = watch::channel(LiveTurns::default());
        let (_reported, reported) = watch::channel(Seq(0));
        let handle = Handle::new(to_inbox, live, reported);
        let [first, second] = ["first", "second"].map(|reason| {
            let reason = reason.into();
            handle.command(Command::Run(RunCommand::Pause { reason }), Actor::Engine)
        });
        assert!(second.now_or_never().is_none());
        drop(first);
        let mut given = Vec::new();
        while let Ok(Message::Command { command, .. }) = inbox.try_recv() {
            given.push(command);
        }
        let given: Vec<_> = given.iter().map(|command| format!("{command:?}")).collect();
        assert_eq!(given.len(), 2);
        assert!(
            given[0].contains("first") && given[1].contains("second"),
            "{given:?}"
        );
    }

    #[tokio::test]
    async fn messages_sent_together_are_handled_one_by_one_without_loss() {
        let (out, batches) = mpsc::unbounded_channel();
        let mut facts = Facts {
            batches,
            next: Vec::new().into_iter(),
        };
        assert!(facts.try_recv().is_none());
        assert!(facts.recv().now_or_never().is_none(), "it waits");
        let notices = |words: &[&str]| -> Vec<_> {
            let words = words.iter().map(|word| (*word).to_owned());
            words.map(Publication::Notice).collect()
        };
        for words in [&["a", "b"][..], &[], &["c"], &["d", "e"]] {
            out.send(notices(words)).unwrap();
        }
        let mut received = String::new();
        let mut hear = |fact| match fact {
            Some(Publication::Notice(word)) => received.push_str(&word),
            other => panic!("not a word of these: {other:?}"),
        };
        // Awaited, polled, and awaited by a caller that gives up as soon as it would have to wait.
        hear(facts.recv().await);
        hear(facts.try_recv());
        hear(facts.recv().now_or_never().flatten());
        hear(facts.recv().await);
        drop(out);
        hear(facts.try_recv());
        assert!(facts.recv().await.is_none());
        assert_eq!(received, "abcde");
    }
}
