//! Checks settings, model, session directory, terminal, sandbox and MCP servers (`overrule doctor`).
//!
//! Must not know: how any of them is used.

mod files;
mod sandbox;

use std::io::IsTerminal as _;

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{learned_store, live_reload, models, print, run};
use overrule_base::text::visible;
use overrule_engine::setup::ModelSetup;
use overrule_model::discover;
use overrule_model::wire::Wire;
use overrule_present::json;
use overrule_present::setup::CheckView;
use overrule_tools::sources::mcp::ServerView;

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Ok,
    Warning,
    Failed,
}

impl Status {
    const fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

/// What a tool reaches without a sandbox.
const REACH: &str = "a tool has no terminal, but it can open yours like any program of your user: it can write to \
    /dev/pts/N, type by `tmux send-keys` and the like, and as root by TIOCSTI. Let an agent that you do not trust run as \
    another user";

/// A finished check.
struct Check {
    of: String,
    status: Status,
    detail: String,
}

impl Check {
    fn new(of: impl Into<String>, status: Status, detail: impl Into<String>) -> Self {
        Self {
            of: of.into(),
            status,
            detail: detail.into(),
        }
    }
}

/// Checks everything that a run here needs. Ends with exit code 1 if a check failed.
pub fn doctor(common: &Common) -> Result<Code, Failure> {
    let context = match AppContext::read(common) {
        Ok(context) => context,
        Err(failure) => {
            let check = Check::new("settings", Status::Failed, failure.message.clone());
            print_check(common, &check);
            return Ok(failure.code);
        }
    };
    let mut checks = vec![Check::new("settings", Status::Ok, "they can be read")];
    let notices = context.notices().into_iter();
    checks.extend(notices.map(|notice| Check::new("settings", Status::Warning, notice)));
    checks.push(read("theme", live_reload::theme(&context)));
    checks.push(read("keys", live_reload::keymap(&context)));
    checks.push(terminal());
    checks.extend(sandbox::checks(&context, REACH));
    checks.push(sessions(&context));
    checks.push(files::check(&context));
    checks.push(model(common, &context));
    checks.extend(servers(&context)?);
    let failed = checks.iter().any(|check| check.status == Status::Failed);
    for check in &checks {
        print_check(common, check);
    }
    Ok(if failed { Code::Other } else { Code::Ok })
}

fn print_check(common: &Common, check: &Check) {
    if common.json {
        print::out(&json(&CheckView {
            check: &check.of,
            status: check.status.label(),
            detail: &check.detail,
        }));
    } else {
        let detail = print::safe_text(&check.detail);
        print::out(&format!("{:8} {}: {detail}", check.status.label(), check.of));
    }
}

/// A file of the console, which does not start with one that it cannot read.
fn read<T>(what: &str, found: Result<T, Failure>) -> Check {
    match found {
        Ok(_) => Check::new(what, Status::Ok, "it can be read"),
        Err(failure) => Check::new(what, Status::Failed, failure.message),
    }
}

fn terminal() -> Check {
    if std::io::stdout().is_terminal() {
        Check::new("terminal", Status::Ok, "the console can be shown")
    } else {
        Check::new(
            "terminal",
            Status::Warning,
            "standard output is no terminal: runs are headless",
        )
    }
}

fn sessions(context: &AppContext) -> Check {
    let dir = context.store.dir();
    let shown = visible(&dir.to_string_lossy());
    match std::fs::create_dir_all(dir).and_then(|()| {
        let probe = dir.join(format!(".doctor.{}", std::process::id()));
        overrule_regular_file::create(&probe)?;
        std::fs::remove_file(&probe)
    }) {
        Ok(()) => Check::new("sessions", Status::Ok, shown),
        Err(error) => Check::new(
            "sessions",
            Status::Failed,
            format!("cannot write {shown}: {error}; hint: name another with --sessions"),
        ),
    }
}

fn model(common: &Common, context: &AppContext) -> Check {
    match models::choose(common, context) {
        Ok(ModelSetup::Scripted { name, .. }) => {
            Check::new("model", Status::Ok, format!("scripted: {}", visible(&name)))
        }
        Ok(ModelSetup::Server {
            wire,
            model,
            base_url,
            entry,
            ..
        }) => server_of_model(context, wire, (&model, &base_url), entry.as_deref()),
        Ok(ModelSetup::Agent {
            wire,
            model,
            upstream,
            ..
        }) => server_of_model(context, wire, (&model, &upstream), None),
        Err(failure) => Check::new("model", Status::Warning, failure.message),
    }
}

/// Asks the server of a model for its list of models.
fn server_of_model(
    context: &AppContext,
    wire: Wire,
    (model, base_url): (&str, &str),
    entry: Option<&str>,
) -> Check {
    let at = format!(
        "{} at {}",
        visible(model),
        overrule_base::text::shown_address(base_url)
    );
    let check = |status, words: String| Check::new("model", status, format!("{at}: {words}"));
    let access = match models::access(&context.settings, wire, base_url, entry) {
        Ok(access) => access,
        Err(failure) => return check(Status::Failed, failure.message),
    };
    let runtime = match run::runtime() {
        Ok(runtime) => runtime,
        Err(failure) => return check(Status::Failed, failure.message),
    };
    match runtime.block_on(discover::listed(base_url, wire, &access)) {
        Ok(names) if names.is_empty() || names.iter().any(|name| name == model) => {
            check(Status::Ok, "it answers".to_owned())
        }
        Ok(_) => check(
            Status::Warning,
            "it answers, and its list of models does not have this one".to_owned(),
        ),
        // A server may have no list of models.
        Err(why) if why.starts_with("it answered 404") || why.starts_with("it answered 405") => {
            check(Status::Ok, format!("{why} to the question for its models"))
        }
        Err(why) => check(Status::Failed, visible(&why)),
    }
}

fn servers(context: &AppContext) -> Result<Vec<Check>, Failure> {
    let runtime = run::runtime()?;
    let mut context = context.clone();
    let (tools, views) = runtime.block_on(async {
        let _sandbox = context.confine_servers().await?;
        let connected = context.connect(None, &context.workspace, &[]).await;
        let found = (context.checked(connected.tools()), connected.servers());
        connected.close().await;
        Ok::<_, Failure>(found)
    })?;
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    let earlier = learned_store::tools(&context);
    let check = |view| server(view, learned_store::of_server(&earlier, view));
    let tools = match tools {
        Ok(_) if views.is_empty() => Check::new("tools", Status::Ok, "no MCP servers"),
        Ok(registry) => Check::new(
            "tools",
            Status::Ok,
            format!("{} offered", registry.names().count()),
        ),
        Err(failure) => Check::new("tools", Status::Failed, failure.message),
    };
    Ok([tools].into_iter().chain(views.iter().map(check)).collect())
}

fn server(view: &ServerView, earlier: Option<String>) -> Check {
    let of = format!("MCP server {}", view.name);
    if view.state != "ready" {
        let why = view.why.as_deref().unwrap_or("it is not ready in time");
        let facts = view.facts().into_iter().chain(earlier);
        let words: Vec<String> = [format!("{}: {why}", view.state)]
            .into_iter()
            .chain(facts)
            .collect();
        return Check::new(of, Status::Failed, words.join("; "));
    }
    if view.drift.is_empty() {
        let tools = format!("{} tools", view.tools.len());
        let facts = view.facts().into_iter().chain(earlier);
        let words: Vec<String> = [tools].into_iter().chain(facts).collect();
        Check::new(of, Status::Ok, words.join(", "))
    } else {
        let hint = format!(
            "its tools changed since accepted; hint: `overrule tools accept {}`",
            view.name
        );
        Check::new(of, Status::Warning, hint)
    }
}
