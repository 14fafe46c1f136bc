//! A proxy in this process with a run behind it.
//!
//! Must not know: what is tested.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use overrule::domain::call::{Call, Status};
use overrule::domain::command::{CallCommand, Command};
use overrule::domain::event::run::Limits;
use overrule::domain::id::NodeId;
use overrule::domain::state::{Mode, State};
use overrule::engine::log::Memory;
use overrule::model::http::Authorities;
use overrule::policy::Preset;
use overrule::proxy::address::Token;
use overrule::proxy::alarms::Alarms;
use overrule::proxy::client::Client;
use overrule::proxy::model::AgentModel;
use overrule::proxy::resumed::{self, Belongs};
use overrule::proxy::run::{AgentRun, Fit};
use overrule::proxy::server::{self, Opening, Server};
use overrule::proxy::tool;
use overrule::proxy::upstream::Upstream;
use overrule::proxy::upstreams::Upstreams;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::proxy::agent::Agent;
use crate::proxy::live::{Live, adviser};

/// A proxy that serves.
pub struct Stage {
    /// Its address for the agent.
    pub base: String,
    /// What its operator must see.
    pub alarms: Alarms,
    openings: mpsc::Receiver<Opening>,
    dir: tempfile::TempDir,
}

/// Conversations with short times between heartbeats.
fn quick(client: Client, upstream: Arc<Upstream>, is_sub_agent: bool) -> Arc<AgentRun> {
    let beat = Duration::from_millis(40);
    AgentRun::with_beats((client, upstream), is_sub_agent, (beat, beat))
}

impl Stage {
    /// Serves in front of a model at this address.
    pub async fn before(upstream: &str) -> Self {
        Self::before_all(&[upstream.to_owned()]).await
    }

    /// The same in front of several: `WIRE=URL` for one format.
    pub async fn before_all(upstreams: &[String]) -> Self {
        Self::resuming(upstreams, None).await
    }

    /// The same with a session that continues once its conversation asks.
    pub async fn with_session(upstream: &str, state: &State) -> Self {
        let state = state.clone();
        let belongs = move |_: &Client, request: &_| resumed::is_of(&state, request);
        Self::resuming(&[upstream.to_owned()], Some(Box::new(belongs))).await
    }

    async fn resuming(upstreams: &[String], resumed: Option<Belongs>) -> Self {
        let listener = server::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let at = listener.local_addr().unwrap();
        let (to, openings) = mpsc::channel(4);
        let alarms = Alarms::default();
        let setup = server::Setup {
            token: Token::given("0123456789abcdef").unwrap(),
            upstreams: Arc::new(Upstreams::new(upstreams, None, |_| None, &Authorities::default()).unwrap()),
            openings: to,
            begin: quick,
            resumed,
            connected: None,
            alarms: alarms.clone(),
            pass_unknown: false,
        };
        let server = Server::new(setup, at);
        tokio::spawn(server.clone().serve(listener));
        Self {
            base: server.base(),
            alarms,
            openings,
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// Waits for a conversation, and gives it a run under a preset.
    pub async fn run(&mut self, preset: Preset) -> Live {
        self.run_and_its_side(preset).await.0
    }

    /// The same, with the side of the run that takes in requests.
    pub async fn run_and_its_side(&mut self, preset: Preset) -> (Live, Arc<AgentRun>) {
        let opening = self.openings.recv().await.unwrap();
        let live = begin(&opening, preset, self.dir.path(), State::default());
        (live, opening.run)
    }

    /// Waits for a conversation; returns it, and true if it is that of the session.
    pub async fn opening(&mut self) -> (Opening, bool) {
        let opening = self.openings.recv().await.unwrap();
        let resumes = opening.resumes;
        (opening, resumes)
    }

    /// Gives a conversation a run.
    pub fn begin(&self, opening: &Opening, preset: Preset, state: State) -> Live {
        begin(opening, preset, self.dir.path(), state)
    }

    /// The same, with what the settings say of its tools.
    pub fn begin_with(&self, opening: &Opening, preset: Preset, fit: Fit) -> Live {
        begin_with(opening, preset, self.dir.path(), (State::default(), fit))
    }

    /// Waits for a conversation, and gives it the run that another process began.
    pub async fn resume(&mut self, preset: Preset, state: State) -> Live {
        let opening = self.openings.recv().await.unwrap();
        begin(&opening, preset, self.dir.path(), state)
    }
}

fn begin(opening: &Opening, preset: Preset, workspace: &Path, state: State) -> Live {
    begin_with(opening, preset, workspace, (state, Arc::new(|tools| tools)))
}

fn begin_with(opening: &Opening, preset: Preset, workspace: &Path, (state, fit): (State, Fit)) -> Live {
    let mut adviser = adviser(workspace, preset);
    adviser.registry = Arc::new(tool::registry(&opening.request.tools, &opening.run));
    adviser.ladder.policy = adviser.ladder.policy.of_agent(false);
    let model = Arc::new(AgentModel::new(opening.run.clone(), "agent".into()));
    let limits = tool::limits(Limits::default());
    let live = Live::within(limits, state, Box::new(Memory::default()), adviser, model);
    opening.run.attach("session", live.handle.clone(), (fit, None));
    live
}

/// The call of this tool that waits.
pub fn waiting<'s>(state: &'s State, tool: &str) -> Option<&'s Call> {
    state.calls.values().find(|call| {
        let node = state.nodes.get(&call.id).unwrap();
        call.status == Status::AwaitingApproval && node.as_call().is_some_and(|(own, _)| &**own == tool)
    })
}

/// Waits until a call of this tool waits, and returns its id.
pub async fn asked(live: &mut Live, tool: &str) -> NodeId {
    live.settles("a call waits", |state| waiting(state, tool).is_some())
        .await;
    waiting(&live.state, tool).unwrap().id
}

/// Approves a call.
pub async fn approve(live: &Live, id: NodeId) {
    let call = live.state.calls.get(&id).unwrap();
    let command = CallCommand::Approve {
        call: id,
        rev: live.state.nodes.get(&id).unwrap().rev(),
        digest: call.digest.clone().unwrap(),
        unread: 0,
        shown: None,
        word: None,
    };
    live.send(Command::Call(command)).await.unwrap();
}

/// Rejects a call.
pub async fn reject(live: &Live, id: NodeId, reason: &str) {
    let command = CallCommand::Reject {
        call: id,
        rev: live.state.nodes.get(&id).unwrap().rev(),
        reason: reason.into(),
    };
    live.send(Command::Call(command)).await.unwrap();
}

/// The calls of a tool in their order.
pub fn calls(state: &State, tool: &str) -> Vec<NodeId> {
    let calls = state.calls.keys();
    let is_it = |id: &&NodeId| &**state.nodes[id].as_call().unwrap().0 == tool;
    calls.filter(is_it).copied().collect()
}

/// Waits until the run has its answer.
pub async fn finished(live: &mut Live) {
    live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
}

/// A proxy in front of a model, the run of an agent that works on these words, and that agent once it has its answer.
pub async fn working(
    wire: &str,
    model: &crate::proxy::server::Server,
    words: &str,
    preset: Preset,
) -> (Stage, Live, JoinHandle<Agent>) {
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new(wire, &stage.base);
    let words = words.to_owned();
    let work = tokio::spawn(async move {
        agent.work(&words).await;
        agent
    });
    let live = stage.run(preset).await;
    (stage, live, work)
}
