//! Refuses decisions to processes that a run or an agent started: an agent does not decide on its own calls, and not on
//! those of another run.
//!
//! Must not know: what is decided.
//!
//! What is kept is in the state directory, in small files: `agents/PID-TICKS` for each process of an agent that a
//! proxy supervises, `below/SESSION` names the run or the agent below which a session began.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_config::{Env, OWN};
use overrule_control::agents::Agents;
use overrule_control::operators;
use overrule_control::peer::{self, Ancestor, ProcessId};
use overrule_regular_file as regular_file;
use overrule_tools::child::{Mark, unmarked};
use overrule_tools::workspace;

/// Maximum size of a file, in bytes.
const MOST: u64 = 64;

/// Says why a process above this one does not decide.
fn describe(above: &Ancestor) -> String {
    let pid = above.id.pid;
    if above.is_run {
        format!("process {pid} is a run of this program and started this command")
    } else {
        format!("process {pid} is an agent that a run supervises, and it started this command")
    }
}

/// The runs and the agents above this process, the nearest first.
fn above(env: &Env) -> Vec<Ancestor> {
    let agents = agents(env);
    let found = peer::ancestors()
        .into_iter()
        .filter(|one| one.is_run || agents.is_noted(one.id));
    found.collect()
}

/// Refuses what a tool of a run, or an agent, asks for: it must not widen what it may do.
pub fn only_the_operator(env: &Env, what: &str) -> Result<(), Failure> {
    let above = above(env);
    above.first().map_or(Ok(()), |one| {
        Err(Failure::new(
            Code::Halted,
            format!(
                "cannot {what}: {}, and an agent does not decide what it may use; hint: enter it in a terminal of your own",
                describe(one)
            ),
        ))
    })
}

/// Refuses to decide in a session below a run or an agent, unless the session began below the same one.
pub fn may_decide(env: &Env, session: &str, what: &str) -> Result<(), Failure> {
    let above = above(env);
    let Some(nearest) = above.first() else {
        return Ok(());
    };
    let began_below = below_file(env, session).and_then(|file| read(&file));
    if began_below.is_some_and(|began| above.iter().any(|one| one.id == began)) {
        return Ok(());
    }
    Err(Failure::new(
        Code::Halted,
        format!(
            "cannot {what} in session {}: {}, and the session did not begin below it. An agent does not decide on its own \
             calls, and not on those of another run; hint: enter it in a terminal of your own",
            visible(session),
            describe(nearest)
        ),
    ))
}

/// Notes that a session begins below a run or an agent, which may decide in it then.
pub fn note_beginning(env: &Env, session: &str) -> Result<(), Failure> {
    note(env, session, above(env).first())
}

/// The same for a session of a proxy: its own agent may be above it, and does not decide in it.
pub fn note_beginning_of_agent(env: &Env, session: &str) -> Result<(), Failure> {
    note(env, session, above(env).iter().find(|one| one.is_run))
}

/// What marks the process of a program of the operator, which may decide while it is waited for. Nothing does where the
/// program is one of the workspace, or could become one, or is no plain name: an agent may have written it.
///
/// `directory` is where it starts. `programs` is the search path.
pub fn mark(program: &str, from: (&Path, &Path), programs: &OsStr) -> Mark {
    if is_operators(program, from, programs) {
        |pid| Box::new(operators::wait(pid))
    } else {
        unmarked
    }
}

fn is_operators(program: &str, (directory, workspace): (&Path, &Path), programs: &OsStr) -> bool {
    let is_outside = |path: &Path| !workspace::real(path).starts_with(workspace::real(workspace));
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '/' | '.' | '_' | '-' | '+');
    let found = if program.is_empty() || !program.chars().all(is_plain) {
        None
    } else if program.contains('/') {
        Some(directory.join(program))
    } else {
        let mut places = std::env::split_paths(programs)
            .take_while(|place| place.is_absolute() && is_outside(place))
            .map(|place| place.join(program));
        places.find(|path| path.is_file())
    };
    found.is_some_and(|path| is_outside(&path))
}

fn note(env: &Env, session: &str, above: Option<&Ancestor>) -> Result<(), Failure> {
    match (above, below_file(env, session)) {
        (Some(one), Some(file)) => keep(&file, one.id),
        _ => Ok(()),
    }
}

/// The agents that this process supervises, and those that others of this user noted.
pub fn agents(env: &Env) -> Agents {
    Agents::noted_in(own_dir(env, "agents"))
}

fn own_dir(env: &Env, name: &str) -> Option<PathBuf> {
    Some(env.state_dir.as_ref()?.join(OWN).join(name))
}

fn below_file(env: &Env, session: &str) -> Option<PathBuf> {
    let is_name = session
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    Some(own_dir(env, "below")?.join(session)).filter(|_| is_name)
}

fn keep(file: &Path, process: ProcessId) -> Result<(), Failure> {
    let write = || {
        if let Some(dir) = file.parent() {
            std::fs::create_dir_all(dir)?;
        }
        regular_file::replace(file, process.name().as_bytes())
    };
    write().map_err(|error| {
        let path = visible(&file.display().to_string());
        Failure::new(Code::Other, format!("cannot note the process in {path}: {error}"))
    })
}

/// The process that a file names; none for a file that cannot be read.
fn read(file: &Path) -> Option<ProcessId> {
    ProcessId::from_name(&regular_file::read_text(file, MOST).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(dir: &Path) -> Env {
        Env {
            state_dir: Some(dir.to_owned()),
            ..Env::default()
        }
    }

    #[test]
    fn what_descends_from_an_agent_decides_only_in_sessions_that_began_below_it() {
        let dir = tempfile::tempdir().unwrap();
        let env = env(dir.path());
        only_the_operator(&env, "trust").unwrap();
        let parent = peer::ancestors().first().unwrap().id;
        let dir = own_dir(&env, "agents").unwrap();
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(parent.name()), "").unwrap();
        let refused = only_the_operator(&env, "trust").unwrap_err();
        assert!(
            refused.to_string().contains("is an agent that a run supervises"),
            "{refused}"
        );
        // A session that begins now began below it; the agent's own session did not.
        note_beginning(&env, "a-1").unwrap();
        note_beginning_of_agent(&env, "a-2").unwrap();
        assert_eq!(read(&below_file(&env, "a-1").unwrap()), Some(parent));
        assert!(!below_file(&env, "a-2").unwrap().exists());
        assert_eq!(below_file(&env, "../x"), None);
        std::fs::remove_file(dir.join(parent.name())).unwrap();
        only_the_operator(&env, "trust").unwrap();
    }

    #[test]
    fn a_program_of_the_workspace_is_not_the_operators() {
        let root = tempfile::tempdir().unwrap();
        let (work, own) = (root.path().join("work"), root.path().join("own"));
        for (dir, name) in [(&work, "vi"), (&own, "vi"), (&own, "ed")] {
            std::fs::create_dir_all(dir).unwrap();
            std::fs::write(dir.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(work.join("vi"), own.join("linked")).unwrap();
        let all = |places: &[&Path]| std::env::join_paths(places).unwrap();
        let good = all(&[&own, &work]);
        let is_marked =
            |program: &str, from: &Path, programs: &OsStr| is_operators(program, (from, &work), programs);
        assert!(is_marked("vi", &work, &good));
        assert!(is_marked(&own.join("vi").to_string_lossy(), &work, &good));
        assert!(is_marked("../own/vi", &work, &good) && is_marked("./vi", &own, &good));
        // One could be put before it.
        assert!(!is_marked("ed", &work, &all(&[&work, &own])));
        assert!(!is_marked("vi", &work, &all(&[Path::new("."), &own])));
        for program in [
            "./vi",
            "vi/../vi",
            "../work/vi",
            "absent",
            "",
            "FOO=1",
            "'vi'",
            "$(vi)",
            "linked",
            "~/vi",
            &work.join("vi").to_string_lossy(),
        ] {
            assert!(!is_marked(program, &work, &good), "{program}");
        }
    }

    #[test]
    fn nothing_is_noted_where_nobody_is_above() {
        let dir = tempfile::tempdir().unwrap();
        let env = env(dir.path());
        if above(&env).is_empty() {
            note_beginning(&env, "a-1").unwrap();
            assert!(!dir.path().join(OWN).exists());
        }
    }
}
