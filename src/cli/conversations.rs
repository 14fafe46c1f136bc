//! The conversations of an agent in this process: what each is about, and how many decisions it waits for.
//!
//! Must not know: how a conversation begins, how anything is decided or drawn.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::folding::Folding;
use super::run::Ready;
use overrule_console::run::link::Conversation;
use overrule_console::run::summary;
use overrule_domain::envelope::Envelope;
use overrule_domain::live::AgentStatus;
use overrule_domain::pending_retry;
use overrule_domain::state::State;
use overrule_domain::turn::Stream;
use overrule_engine::{Facts, Handle, Publication};
use overrule_files::Tracker;
use overrule_tools::registry::Registry;

/// One of them.
#[derive(Clone)]
pub struct Member {
    /// Its run.
    pub handle: Handle,
    /// The tools of its agent, and the directory that they work in.
    pub tools: (Arc<Registry>, Arc<PathBuf>),
    /// Tracks the files of that directory; none where nothing does.
    pub tracker: Option<Tracker>,
    folding: Arc<Mutex<Folding>>,
    /// The program of its agent. It may be empty, and is untrusted.
    program: Arc<str>,
    now: Conversation,
}

impl Member {
    /// Its session.
    pub fn session(&self) -> &str {
        &self.now.session
    }

    /// What another conversation's screen says of it. It names its agent, if the screen is that of another one.
    fn seen_from(&self, program: &str) -> Conversation {
        let mut seen = self.now.clone();
        if *self.program != *program && !self.program.is_empty() {
            seen.name = format!("{}: {}", self.program, seen.name);
        }
        seen
    }

    /// Its newest records, oldest first.
    pub fn past(&self) -> Vec<Arc<Envelope>> {
        let folding = self.folding.lock().unwrap_or_else(PoisonError::into_inner);
        folding.past()
    }
}

/// All of them, in the order in which they began.
#[derive(Clone)]
pub struct Conversations(Arc<watch::Sender<Vec<Member>>>);

impl Conversations {
    /// None yet.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }

    /// Adds a conversation of a program before it starts, and follows it.
    pub fn add(&self, ready: &Ready, program: &str, agent: watch::Receiver<AgentStatus>) {
        let member = Member {
            handle: ready.handle.clone(),
            tools: ready.tools.clone(),
            tracker: ready.driver.tracker().cloned(),
            folding: Arc::new(Mutex::new(Folding::since(&ready.past))),
            program: program.into(),
            now: Conversation {
                session: ready.session.clone(),
                ..Conversation::default()
            },
        };
        let facts = ready.handle.subscribe().facts;
        let (all, folding, session) = (self.clone(), member.folding.clone(), ready.session.clone());
        self.0.send_modify(|members| members.push(member));
        tokio::spawn(async move { all.follow(facts, agent, &folding, &session).await });
    }

    /// The one with this session.
    pub fn find(&self, session: &str) -> Option<Member> {
        let members = self.0.borrow();
        members.iter().find(|member| member.session() == session).cloned()
    }

    /// The sessions of programs other than this one, with the programs.
    pub fn of_others(&self, program: &str) -> Vec<(String, Arc<str>)> {
        let members = self.0.borrow();
        let others = members.iter().filter(|member| *member.program != *program);
        let named = others.map(|member| (member.session().to_owned(), member.program.clone()));
        named.collect()
    }

    /// Returns true while a conversation of a program other than this one is under way.
    pub fn others_work(&self, program: &str) -> bool {
        others_work(&self.0.borrow(), program)
    }

    /// Waits until no conversation of a program other than this one is under way.
    pub async fn others_rest(&self, program: &str) {
        let mut members = self.0.subscribe();
        // An error means that nothing is left.
        let _ = members.wait_for(|all| !others_work(all, program)).await;
    }

    /// Follows the changes of all of them, as seen from the one that is shown.
    pub fn others_of(&self, session: &str) -> Others {
        Others {
            session: session.to_owned(),
            members: self.0.subscribe(),
            known: None,
        }
    }

    async fn follow(
        &self,
        mut facts: Facts,
        mut agent: watch::Receiver<AgentStatus>,
        folding: &Mutex<Folding>,
        session: &str,
    ) {
        let mut has_ended = false;
        loop {
            let mut next = tokio::select! {
                fact = facts.recv() => match fact {
                    Some(fact) => Some(fact),
                    None => return,
                },
                Ok(()) = agent.changed() => None,
            };
            let status = *agent.borrow_and_update();
            let now = {
                let mut folding = folding.lock().unwrap_or_else(PoisonError::into_inner);
                while let Some(fact) = next {
                    match fact {
                        Publication::Snapshot(state) => folding.set(*state),
                        Publication::Event(envelope) => folding.take(envelope),
                        Publication::Ended => has_ended = true,
                        Publication::Notice(_) | Publication::Halted(_) => {}
                    }
                    next = facts.try_recv();
                }
                conversation(session, folding.state(), status, has_ended)
            };
            self.0.send_if_modified(|members| {
                let member = members.iter_mut().find(|member| member.session() == session);
                member.is_some_and(|member| std::mem::replace(&mut member.now, now.clone()) != now)
            });
            if has_ended {
                return;
            }
        }
    }
}

/// The conversations other than the one that is shown.
pub struct Others {
    session: String,
    members: watch::Receiver<Vec<Member>>,
    known: Option<(AgentStatus, Vec<Conversation>)>,
}

impl Others {
    /// Waits for a change of them, or of what the agent of the shown one does. Cancel safe.
    pub async fn changed(&mut self) -> (AgentStatus, Arc<[Conversation]>) {
        loop {
            let members = self.members.borrow_and_update().clone();
            // Those after the shown one first, so that one key goes through all.
            let at = members.iter().position(|member| member.session() == self.session);
            let (before, after) = members.split_at(at.unwrap_or(0));
            let shown = after.first();
            let own = shown.map_or("", |member| &*member.program);
            let others = after.iter().skip(1).chain(before);
            let others: Vec<Conversation> = others.map(|member| member.seen_from(own)).collect();
            let agent = shown.map(|member| member.now.agent);
            let now = (agent.unwrap_or_default(), others);
            if self.known.as_ref() != Some(&now) {
                let (agent, others) = self.known.insert(now);
                return (*agent, others.as_slice().into());
            }
            if self.members.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

fn others_work(members: &[Member], program: &str) -> bool {
    let mut others = members.iter().filter(|member| *member.program != *program);
    others.any(|member| member.now.is_open)
}

fn conversation(session: &str, state: &State, agent: AgentStatus, has_ended: bool) -> Conversation {
    let waiting = state.queue().count() + pending_retry::left(state).count();
    let mut open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    let streams = open.any(|turn| turn.stream == Stream::Open);
    let works = waiting > 0 || streams || !state.agenda.running.is_empty();
    Conversation {
        session: session.to_owned(),
        name: summary::session_name(state).unwrap_or_default(),
        waiting,
        is_open: works && !has_ended,
        agent,
    }
}
