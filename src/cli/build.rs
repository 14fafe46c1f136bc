//! Builds a run from settings and flags: workspace, tools, policy, model, session.
//!
//! Must not know: what the run does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::address::{self, Address};
use super::args::Common;
use super::demos;
use super::exit::{Code, Failure};
use super::files;
use super::models;
use super::operator;
use super::print;
use super::sandbox::Means;
use super::written_here::Note;
use overrule_config::{self as config, Env, Flags, Settings};
use overrule_console::ground::theme::Theme;
use overrule_console::kernel::keymap::Keymap;
use overrule_control::Places;
use overrule_control::agents::Agents;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::run::{Limits, Started};
use overrule_domain::id::Seq;
use overrule_domain::price::Price;
use overrule_engine::advise::{Adviser, FileTracking, Sandbox, ShellStart};
use overrule_engine::approver::{self, Approver};
use overrule_engine::clock::Clock;
use overrule_engine::log::{Log, Unwritten};
use overrule_engine::setup::{ModelSetup, PolicyText, Setup};
use overrule_engine::{Driver, Handle, Launch, Parts, prompt};
use overrule_journal::{Place, Store, Writer};
use overrule_model::Model;
use overrule_present::many;
use overrule_resilience::ladder::Ladder;
use overrule_resilience::watch::Watch;
use overrule_schema::Checker;
use overrule_tools::Tool;
use overrule_tools::child::Environment;
use overrule_tools::operator_program::Program;
use overrule_tools::registry::Registry;

/// The word for the newest session of this directory.
pub const LAST: &str = "last";

/// Maximum number of skipped sessions that are named.
const NAMED: usize = 3;

/// The environment and the settings of this process.
#[derive(Clone)]
pub struct AppContext {
    /// The environment.
    pub env: Env,
    /// Settings given on the command line.
    pub flags: Flags,
    /// The settings.
    pub settings: Settings,
    /// The directory that the tools work in, canonical.
    pub workspace: PathBuf,
    /// The sessions.
    pub store: Store,
    /// Flags that a next command needs to find the sessions.
    pub reach: address::Flags,
    /// The file that keeps the raw exchange with the model.
    pub record: Option<PathBuf>,
    /// Where control sockets are.
    pub places: Places,
    /// Files and directories that no tool of a run may read or write.
    pub private: Vec<PathBuf>,
    /// What the children of a run are confined by.
    pub means: Means,
    /// The agents that this process supervises.
    pub agents: Agents,
    /// Theme and keys, once they were read.
    pub look: OnceLock<(Theme, Keymap)>,
}

impl AppContext {
    /// Reads everything that a subcommand needs, and changes nothing.
    pub fn read(common: &Common) -> Result<Self, Failure> {
        let env = Env::read();
        let workspace = workspace(common)?;
        let flags = common.flags();
        let settings = config::load(&env, &flags, &workspace, config::Trust::Recorded)?;
        // Refused before anything starts.
        models::authorities(&settings)?;
        let dir = settings.sessions.value.clone().ok_or_else(|| {
            Failure::new(
                Code::Session,
                "cannot find a directory for sessions: there is no home directory; hint: name one with --sessions DIR",
            )
        })?;
        let places = Places::of(env.runtime_dir.as_deref(), env.state_dir.as_deref(), config::OWN);
        Ok(Self {
            private: private(common, &env, &dir, &places),
            reach: address::Flags::of(common, &settings.sessions),
            record: common.record.clone(),
            places,
            means: Means::default(),
            agents: operator::agents(&env),
            look: OnceLock::new(),
            env,
            flags,
            settings,
            workspace,
            store: Store::open(dir),
        })
    }

    /// Finds a session by its id, a unique prefix of it, or a path. `last` is the newest session of this directory that has
    /// a record.
    pub fn find(&self, what: &str) -> Result<Place, Failure> {
        self.found(what, false)
    }

    /// Finds a session to continue. Where a workspace is named and has no session, `last` is the newest session of all, if its
    /// directory does not exist any more and was a neighbour or had the same name: it was moved or renamed.
    pub fn find_to_resume(&self, common: &Common, what: &str) -> Result<Place, Failure> {
        self.found(what, common.workspace.is_some())
    }

    /// The newest session of this directory, if it can be found.
    pub fn last_here(&self) -> Option<Place> {
        self.store
            .last(&self.workspace, false)
            .ok()
            .map(|found| found.place)
    }

    fn found(&self, what: &str, or_moved: bool) -> Result<Place, Failure> {
        if what != LAST {
            return Ok(self.store.find(what)?);
        }
        let found = self.store.last(&self.workspace, or_moved)?;
        for id in found.without_record.iter().take(NAMED) {
            print::err(&format!("skipped session {id}: it has no intact first record"));
        }
        let more = found.without_record.len().saturating_sub(NAMED);
        if more > 0 {
            let more = many(more, "session");
            print::err(&format!("skipped {more} more: `overrule sessions` lists them"));
        }
        Ok(found.place)
    }

    /// The same for a recorded run: with the settings of its own directory, and the policy file that
    /// it started with, unless another policy is named now.
    pub fn for_run(mut self, common: &Common, workspace: &Path, setup: &Setup) -> Result<Self, Failure> {
        let mut flags = common.flags();
        flags.policy_text = setup.policy.clone().map(|policy| (policy.name, policy.text));
        self.settings = config::load(&self.env, &flags, workspace, config::Trust::Recorded)?;
        self.look = OnceLock::new();
        workspace.clone_into(&mut self.workspace);
        Ok(self)
    }

    /// The policy file that was named, for the record.
    pub fn policy_text(&self) -> Option<PolicyText> {
        let file = self.settings.policy_file.clone();
        file.map(|(name, text)| PolicyText { name, text })
    }

    /// Returns a session as arguments of a command.
    pub fn address(&self, id: &str) -> Address {
        Address::new(id, &self.reach)
    }

    /// Name of the operator.
    pub fn user(&self) -> Arc<str> {
        Arc::from(self.env.user.as_deref().unwrap_or("operator"))
    }

    /// Builds the adviser of a run in this workspace, with these tools: policy, resilience.
    pub fn adviser(
        &self,
        tools: Vec<Arc<dyn Tool>>,
        setup: &Setup,
        at: (&Path, bool),
    ) -> Result<Adviser, Failure> {
        self.adviser_with(self.registry(tools)?, setup, at)
    }

    /// The same for a registry.
    pub fn adviser_with(
        &self,
        registry: Registry,
        setup: &Setup,
        (workspace, headless): (&Path, bool),
    ) -> Result<Adviser, Failure> {
        let environment = Environment::allowed(self.env.all.0.iter().cloned());
        let names: Vec<String> = environment
            .names()
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        let policy = self.settings.policy.clone().in_workspace(workspace);
        let mut resilience = self.settings.resilience.clone();
        if let Some(samples) = &setup.samples {
            resilience = demos::fitted(samples, resilience);
        }
        let output = setup.output_schema.as_deref().map(Checker::new).transpose();
        let output =
            output.map_err(|error| Failure::new(Code::Config, format!("the output schema: {error}")))?;
        Ok(Adviser {
            registry: Arc::new(registry),
            output: output.map(Arc::new),
            policy: Arc::new(policy),
            session: Arc::from(setup.session.as_str()),
            workspace: Arc::new(workspace.to_owned()),
            shell: ShellStart {
                in_workspace: true,
                programs: Arc::from(environment.search_path()),
            },
            environment: Arc::from(names.join("\n")),
            sandbox: Sandbox::new(self.means.profile.clone()),
            approver: None,
            headless,
            files: FileTracking::default(),
            ladder: Ladder::new(resilience, overrule_engine::ids::seed()),
            watch: self.watch(),
            now: Some(Clock::start().utc_ms()),
            caches: Arc::default(),
            reader: overrule_engine::reader::Reader::default(),
        })
    }

    /// A program of the operator, outside any call.
    pub fn program(&self, command: &[String], limit_ms: u64) -> Program {
        // Not the workspace: a program there must not be found by its name.
        let cwd = self.env.home.clone().unwrap_or_else(|| PathBuf::from("/"));
        let environment = Environment::of_operator(self.env.all.0.iter().cloned());
        let name = command.first().map_or("", String::as_str);
        Program {
            mark: operator::mark(name, (&cwd, &self.workspace), environment.search_path()),
            command: command.to_vec(),
            limit: Duration::from_millis(limit_ms),
            cwd,
            environment,
        }
    }

    /// Gives a driver what the settings say about waiting: who is asked, and how long a model may be silent.
    pub fn configured(&self, driver: Driver) -> Driver {
        let notice = Duration::from_millis(self.settings.stream.notice_ms.value);
        driver.approved_by(self.approver()).with_idle_notice(notice)
    }

    /// The program that is asked about calls that wait for approval.
    fn approver(&self) -> Option<Approver> {
        let set = &self.settings.approver;
        let name = set.name.value.as_deref();
        (!set.command.value.is_empty()).then(|| Approver {
            name: Arc::from(name.unwrap_or(approver::NAME)),
            program: self.program(&set.command.value, set.limit_ms.value),
        })
    }

    /// What is known of tools before a run starts: the weights of the settings.
    pub fn watch(&self) -> Watch {
        Watch::new(self.settings.resilience.routing.clone())
    }

    /// The event that starts a run.
    pub fn started(
        &self,
        adviser: &Adviser,
        model: &dyn Model,
        setup: &Setup,
        input: &str,
    ) -> Result<Started, Failure> {
        let mut started = self.started_by_agent(adviser, model, setup, input);
        self.settings.templates.fit(&mut started.tools)?;
        Ok(started)
    }

    /// The same for tools that the settings do not know.
    pub fn started_by_agent(
        &self,
        adviser: &Adviser,
        model: &dyn Model,
        setup: &Setup,
        input: &str,
    ) -> Started {
        let tools = adviser.cards();
        Started {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: adviser.workspace.display().to_string(),
            model: model.name(),
            wire: match setup.model {
                ModelSetup::Scripted { .. } => "scripted".into(),
                ModelSetup::Server { wire, .. } | ModelSetup::Agent { wire, .. } => wire.name().into(),
            },
            system: Arc::from(prompt::system(setup.output_schema.as_deref())),
            tools,
            policy: self.settings.preset.value.to_string(),
            sandbox: adviser.sandbox.recorded(),
            limits: Limits {
                context: self.settings.context.limit(self.window(setup)),
                ..self.settings.limits.values()
            },
            user: self.user(),
            input: Arc::from(input),
            setup: Arc::from(setup.to_text()),
            reuse: self.settings.reuse.values(),
            hide_edits: !self.settings.announce_edits.value,
            price: self.price(setup),
        }
    }

    /// Tokens of the model's window; none where it is not known.
    fn window(&self, setup: &Setup) -> Option<u64> {
        let ModelSetup::Server {
            model,
            base_url,
            entry,
            ..
        } = &setup.model
        else {
            return None;
        };
        let entry = models::entry(&self.settings, entry.as_deref(), base_url);
        let listed = || self.settings.prices.list().of(model, base_url)?.window;
        entry.and_then(|entry| entry.window).or_else(listed)
    }

    /// What the model of a run costs.
    fn price(&self, setup: &Setup) -> Option<Price> {
        let prices = &self.settings.prices;
        match &setup.model {
            ModelSetup::Scripted { name, .. } => prices.of(name, None).cloned(),
            ModelSetup::Server {
                wire,
                model,
                base_url,
                entry,
                ..
            } => {
                let entry = models::entry(&self.settings, entry.as_deref(), base_url);
                let own = entry.and_then(|entry| entry.price.as_ref());
                let price = own.or_else(|| prices.of(model, Some(base_url)));
                price.cloned().map(|price| wire.whole_price(price))
            }
            ModelSetup::Agent {
                wire,
                model,
                upstream,
                ..
            } => {
                let price = prices.of(model, Some(upstream));
                price.cloned().map(|price| wire.whole_price(price))
            }
        }
    }

    /// Settings that were read and ignored, for the operator.
    pub fn notices(&self) -> Vec<String> {
        self.settings
            .notices
            .iter()
            .map(|notice| notice.0.clone())
            .collect()
    }
}

/// Files that decide runs or record them. An agent that writes there could approve its own calls, and one
/// that reads there could find keys.
fn private(common: &Common, env: &Env, sessions: &Path, places: &Places) -> Vec<PathBuf> {
    let own = [&env.config_dir, &env.state_dir, &env.runtime_dir];
    let own = own.into_iter().flatten().map(|dir| dir.join(config::OWN));
    let contents = env
        .data_dir
        .iter()
        .map(|dir| dir.join(config::OWN).join(files::DIRECTORY));
    let own = own.chain(contents);
    let policy = common
        .policy
        .as_deref()
        .map(Path::new)
        .filter(|path| path.is_file());
    let named = common
        .config
        .as_deref()
        .into_iter()
        .chain(policy)
        .chain(common.record.as_deref())
        .chain(common.from.as_deref())
        .chain([sessions]);
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let sockets = places.make.iter().chain(&places.look).cloned();
    own.chain(sockets).chain(named.map(absolute)).collect()
}

fn workspace(common: &Common) -> Result<PathBuf, Failure> {
    let named = match &common.workspace {
        Some(dir) => dir.clone(),
        None => std::env::current_dir().map_err(|error| {
            Failure::new(
                Code::Config,
                format!("cannot find the current directory: {error}"),
            )
        })?,
    };
    let shown = named.display();
    let dir = std::fs::canonicalize(&named).map_err(|error| {
        Failure::new(
            Code::Config,
            format!("cannot use {shown} as the workspace: {error}; hint: name another with --workspace"),
        )
    })?;
    if dir.to_str().is_none() {
        // It is recorded as text, and a resumed run must find it again.
        return Err(Failure::new(
            Code::Config,
            format!(
                "cannot use {shown} as the workspace: its path is not UTF-8; hint: rename it, or name another with --workspace"
            ),
        ));
    }
    std::fs::read_dir(&dir).map_err(|error| {
        Failure::new(
            Code::Config,
            format!("cannot read the workspace {shown}: {error}; hint: name another with --workspace"),
        )
    })?;
    Ok(dir)
}

/// The journal as the engine's log.
pub struct JournalLog {
    writer: Writer,
    last: Seq,
    /// Notes what is on disk, for a session of one's own.
    note: Option<Note>,
}

impl JournalLog {
    /// Writes a session that is not listed.
    pub const fn unlisted(writer: Writer) -> Self {
        Self {
            writer,
            last: Seq(0),
            note: None,
        }
    }
}

impl Log for JournalLog {
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten> {
        if self.last == Seq(0) {
            // Begun here: a kill before the first sync makes it no stranger's.
            self.note.iter().for_each(Note::begin);
        }
        self.last = envelope.seq;
        self.writer.append(envelope).map_err(unwritten)
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        self.writer.flush().map_err(unwritten)
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        self.writer.sync().map_err(unwritten)?;
        if let Some(note) = &self.note {
            note.keep(self.last, self.writer.head());
        }
        Ok(())
    }
}

fn unwritten(error: overrule_journal::Error) -> Unwritten {
    let (why, more) = error.reason_first();
    Unwritten { why, more }
}

/// Builds the driver of a run, and the handle to it.
pub fn driver(
    state: overrule_domain::state::State,
    (writer, note): (Writer, Option<Note>),
    adviser: Adviser,
    launch: Launch,
    notices: Vec<String>,
) -> (Driver, Handle) {
    let last = state.seq;
    Driver::new(Parts {
        state,
        log: Box::new(JournalLog { writer, last, note }),
        adviser,
        launch,
        clock: Clock::start(),
        notices,
    })
}
