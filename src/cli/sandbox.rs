//! Prepares the sandbox of a run from the settings, and asks where a resumed run would have less of it.
//!
//! Must not know: how a kernel confines, how a run is shown.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::sync::Arc;

use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_config::OWN;
use overrule_domain::event::run::Started;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile};
use overrule_sandbox::session::{PrepareError, Request, Sandbox};
use overrule_sandbox::{Helper, places, session};

/// What a run is confined by: its profile, and the means of this process.
#[derive(Debug, Clone, Default)]
pub struct Means {
    /// How the children of the run are confined; level 0 where they are not.
    pub profile: Profile,
    /// What starts them; none where nothing is started, or nothing confined.
    pub sandbox: Option<Arc<Sandbox>>,
    /// That of MCP servers, where they are started without a run.
    servers: Option<(Arc<Sandbox>, Arc<Profile>)>,
}

impl Means {
    /// What the sessions of a confined agent record. They start nothing themselves.
    pub fn of_agent(profile: Profile) -> Self {
        Self {
            profile,
            ..Self::default()
        }
    }

    /// Returns what MCP servers are confined with; none for a run without a sandbox.
    pub fn of_run(&self) -> Option<(Arc<Sandbox>, Arc<Profile>)> {
        if self.servers.is_some() {
            return self.servers.clone();
        }
        let sandbox = self.sandbox.as_ref().filter(|_| self.profile.confines())?;
        Some((Arc::clone(sandbox), Arc::new(self.profile.clone())))
    }

    /// Removes what was made for a run that did not begin.
    pub fn forget(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.forget();
        }
    }
}

/// Why a run has no sandbox although the settings want one.
const WITHOUT: &str = "commands run without a sandbox: ";

/// Returns the directory of all sandboxes; none without a directory for data.
pub fn store(context: &AppContext) -> Option<std::path::PathBuf> {
    Some(context.env.data_dir.as_ref()?.join(OWN).join(session::DIRECTORY))
}

/// Deletes the private directory of a session.
pub fn delete(context: &AppContext, session: &str) {
    let Some(directory) = store(context).map(|store| session::directory(&store, session)) else {
        return;
    };
    if let Err(error) = std::fs::remove_dir_all(&directory)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        let directory = directory.display().to_string();
        print::err(&format!("cannot delete {}: {error}", visible(&directory)));
    }
}

/// Returns the names of the sessions that have private directories.
pub fn sessions(context: &AppContext) -> Vec<String> {
    let all = store(context).map(|store| session::directory(&store, ""));
    let entries = all.and_then(|all| std::fs::read_dir(all).ok());
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

impl AppContext {
    /// Returns how this program starts as its own helper.
    pub fn helper() -> Result<Helper, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            let why = format!("cannot find the file of this program, which confines commands: {error}");
            Failure::new(Code::Other, why)
        })?;
        Ok(Helper::this_program(program))
    }

    /// Returns what the settings say of the sandbox of a session in a workspace.
    pub fn sandbox_request(&self, session: &str, workspace: &Path, level: Level) -> Result<Request, Failure> {
        let set = &self.settings.sandbox;
        let store = store(self).ok_or_else(|| {
            let why = "cannot prepare a sandbox: there is no directory for its files; hint: set HOME or XDG_DATA_HOME, or run \
                       with --sandbox 0";
            Failure::new(Code::Config, why)
        })?;
        let mut own = self.private.clone();
        own.extend(store.parent().map(Path::to_path_buf));
        Ok(Request {
            level,
            workspace: workspace.to_owned(),
            write: set.write.value.clone(),
            hide: set.hidden().map(Path::to_path_buf).collect(),
            show: set.show.value.clone(),
            network: set.network.value.clone(),
            unix_sockets: set.unix_sockets.value,
            home: self.env.home.clone(),
            own,
            store,
            session: session.to_owned(),
            namespaces: true,
        })
    }

    /// Prepares the sandbox of a run. Returns a notice where the machine gives less than the settings want.
    pub async fn confine(&mut self, session: &str, level: Level) -> Result<Option<String>, Failure> {
        self.means = Means::default();
        if level == Level::Off {
            return if self.settings.sandbox.required.value {
                let why = "cannot start a run without a sandbox: `required` is set in [sandbox]; hint: name a level with \
                           --sandbox 1, or remove `required`";
                Err(Failure::new(Code::Config, why))
            } else {
                Ok(None)
            };
        }
        let request = self.sandbox_request(session, &self.workspace, level)?;
        let prepared = Sandbox::prepare(Self::helper()?, &request).await;
        let (sandbox, profile) = prepared.map_err(|error| unprepared(&error))?;
        let missing = &profile.missing;
        if self.settings.sandbox.required.value && !missing.is_empty() {
            sandbox.forget();
            return Err(required(&profile));
        }
        if missing.len() == Guarantee::ALL.len() {
            sandbox.forget();
            let why = missing.first().map_or("", |one| one.why.as_str());
            return Ok(Some(format!("{WITHOUT}{}; hint: overrule doctor", visible(why))));
        }
        let notice = (!missing.is_empty()).then(|| {
            let lost: Vec<&str> = missing.iter().map(|one| one.guarantee.loss()).collect();
            format!("{}: {}; hint: overrule doctor", profile.label(), lost.join("; "))
        });
        let (caches, own) = (request.store.join(session::CACHES), sandbox.caches().to_owned());
        tokio::task::spawn_blocking(move || {
            for removed in places::trim(&caches, &[&own], places::MOST_BYTES) {
                tracing::debug!(?removed, "a cache of a workspace was removed");
            }
        });
        self.means = Means {
            profile,
            sandbox: Some(Arc::new(sandbox)),
            servers: None,
        };
        Ok(notice)
    }

    /// Prepares a sandbox for the MCP servers that ask for one, where they are started without a run. Nothing else is
    /// confined by it. Its private directory is deleted with what is returned.
    pub async fn confine_servers(&mut self) -> Result<Option<ByHand>, Failure> {
        let level = self.settings.sandbox.level.value;
        let asks = self.settings.servers.iter();
        let mut asks = asks.filter(|server| server.confinement.level > Level::Off);
        if level == Level::Off || asks.next().is_none() {
            return Ok(None);
        }
        let session = format!("servers-{}", overrule_engine::ids::session());
        self.confine(&session, level).await?;
        self.means = Means {
            servers: self.means.of_run(),
            ..Means::default()
        };
        Ok(Some(ByHand {
            context: self.clone(),
            session,
        }))
    }
}

/// The private directory of servers that are started without a run; dropping it deletes the directory.
pub struct ByHand {
    context: AppContext,
    session: String,
}

impl Drop for ByHand {
    fn drop(&mut self) {
        delete(&self.context, &self.session);
    }
}

/// Makes a file for its owner alone, with this content.
pub fn make_file(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    overrule_regular_file::create(path)?.write_all(text.as_bytes())
}

/// The failure of a run whose sandbox could not be prepared.
pub fn unprepared(error: &PrepareError) -> Failure {
    match error {
        PrepareError::Store { .. } => {
            let hint = "hint: set XDG_DATA_HOME to a directory that you can write, or run with --sandbox 0 and name a directory \
                        for the session with --sessions";
            Failure::new(Code::Session, format!("{error}; {hint}"))
        }
        PrepareError::Hidden(_)
        | PrepareError::Directory { .. }
        | PrepareError::HiddenDirectory(_)
        | PrepareError::Replaced(_)
        | PrepareError::NotText(_) => Failure::new(Code::Config, format!("{error}")),
    }
}

/// The failure of a run whose settings require what the machine cannot give.
pub fn required(profile: &Profile) -> Failure {
    let list = profile.missing.iter().map(|one: &Missing| {
        let (number, loss) = (one.guarantee.number(), one.guarantee.loss());
        format!("{number} {loss}: {}", visible(&one.why))
    });
    let list: Vec<String> = list.collect();
    let why = format!(
        "cannot start a run: `required` is set in [sandbox], and this machine lacks {} of {} guarantees ({}); hint: overrule \
         doctor",
        list.len(),
        Guarantee::ALL.len(),
        list.join("; ")
    );
    Failure::new(Code::Config, why)
}

/// Returns what a machine lacks that a run had when it was recorded.
fn lost(recorded: &Profile, now: &Profile) -> Vec<Guarantee> {
    let held = Guarantee::ALL.into_iter().filter(|one| recorded.holds(*one));
    held.filter(|one| !now.holds(*one)).collect()
}

/// Prepares the sandbox of a recorded run: a session keeps the level that it began with, unless another one is named.
pub async fn again(
    context: &mut AppContext,
    recorded: &Started,
    (session, named): (&str, Option<Level>),
    headless: bool,
) -> Result<Option<String>, Failure> {
    let had = recorded.sandbox.profile.as_deref().cloned().unwrap_or_default();
    let notice = context.confine(session, named.unwrap_or(had.level)).await?;
    if named.is_none() {
        accept(&had, &context.means.profile, headless)?;
    }
    Ok(notice)
}

/// Asks before a run continues with less than it had; without a terminal it is refused.
pub fn accept(recorded: &Profile, now: &Profile, headless: bool) -> Result<(), Failure> {
    let lost = lost(recorded, now);
    if lost.is_empty() {
        return Ok(());
    }
    let losses: Vec<&str> = lost.iter().map(|one| one.loss()).collect();
    let what = format!(
        "this session had {}, and here it would have {}: {}",
        recorded.label(),
        now.label(),
        losses.join("; ")
    );
    let refused = |why: &str| {
        let hint = "hint: `overrule doctor` tells the remedy; `--sandbox 0` continues without a sandbox";
        Failure::new(Code::Config, format!("cannot continue: {what}{why}; {hint}"))
    };
    if headless || !std::io::stdin().is_terminal() {
        return Err(refused(""));
    }
    print::err(&what);
    print::err("Continue with less? Type `yes`:");
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    if answer.trim() == "yes" {
        Ok(())
    } else {
        Err(refused("; it was not accepted"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(level: Level, missing: &[Guarantee]) -> Profile {
        let missing = missing.iter().map(|guarantee| Missing {
            guarantee: *guarantee,
            why: "no namespaces".into(),
        });
        Profile {
            level,
            missing: missing.collect(),
            ..Profile::default()
        }
    }

    #[test]
    fn a_run_that_would_have_less_is_not_continued_unasked() {
        let full = profile(Level::Workspace, &[]);
        let partial = profile(Level::Workspace, &[Guarantee::Attributes]);
        let none = Profile::default();
        for (recorded, now) in [(&full, &partial), (&full, &none), (&partial, &none)] {
            let failure = accept(recorded, now, true).unwrap_err().to_string();
            assert!(
                failure.contains(&recorded.label()) && failure.contains("overrule doctor"),
                "{failure}"
            );
        }
        for (recorded, now) in [
            (&full, &full),
            (&partial, &full),
            (&partial, &partial),
            (&none, &none),
            (&none, &full),
        ] {
            assert!(accept(recorded, now, true).is_ok());
        }
    }

    #[test]
    fn what_is_required_is_told_with_its_reason() {
        let failure = required(&profile(Level::Workspace, &[Guarantee::Attributes])).to_string();
        assert!(
            failure.contains("lacks 1 of 9") && failure.contains("G2") && failure.contains("no namespaces"),
            "{failure}"
        );
    }
}
