//! Reads the file that a call would replace, in the background, while its decision is shown.
//!
//! Must not know: how a decision is shown, which tools replace something.
//!
//! It reads the file again every few seconds, so that a change is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::task::AbortHandle;

use overrule_base::text::survey;
use overrule_console::ground::diff;
use overrule_console::ground::json;
use overrule_console::run::link::{LoadRequest, LoadTarget, Replaced, Update};
use overrule_console::{run::readable, run::readable::Readable};
use overrule_domain::call::{Shown, ShownForm};
use overrule_engine::advise::parse_args;
use overrule_tools::registry::Registry;
use overrule_tools::{Replacement, known};

/// Interval between two reads. It is above one second, to keep an idle program asleep.
const AGAIN: Duration = Duration::from_secs(3);
/// Maximum bytes of arguments that are compared with the file.
const COMPARED: usize = 256 * 1024;

/// The word for the hash of a file that does not exist.
pub const NO_FILE: &str = "none";

/// Follows one call at a time.
pub struct Looker {
    registry: Arc<Registry>,
    workspace: Arc<PathBuf>,
    answers: Sender<Update>,
    looking: Option<AbortHandle>,
}

impl Looker {
    /// Creates a looker for these tools and this directory, which reports to `answers`.
    pub const fn new(registry: Arc<Registry>, workspace: Arc<PathBuf>, answers: Sender<Update>) -> Self {
        Self {
            registry,
            workspace,
            answers,
            looking: None,
        }
    }

    /// Follows this call instead of the previous one.
    pub fn look(&mut self, at: Option<LoadTarget>) {
        self.end();
        let Some((look, tool, args)) = at else { return };
        let (registry, workspace) = (Arc::clone(&self.registry), Arc::clone(&self.workspace));
        let is_long = args.len() > COMPARED;
        let found = move || {
            let tool = registry.get(&tool)?;
            let found = tool.replaces(&parse_args(&args), &workspace, registry.private())?;
            Some(if is_long { too_long() } else { found })
        };
        let following = follow(look, Arc::new(found), self.answers.clone(), !is_long);
        self.looking = Some(tokio::spawn(following).abort_handle());
    }

    fn end(&mut self) {
        if let Some(looking) = self.looking.take() {
            looking.abort();
        }
    }
}

impl Drop for Looker {
    fn drop(&mut self) {
        self.end();
    }
}

/// The result instead of a comparison that would take too long.
fn too_long() -> Replacement {
    Replacement {
        now: Err(format!("the arguments are longer than {} KiB", COMPARED >> 10)),
        then: String::new(),
    }
}

/// Reports what is found, and with `changes` again after each change.
async fn follow<F>(look: LoadRequest, find: Arc<F>, answers: Sender<Update>, changes: bool)
where
    F: Fn() -> Option<Replacement> + Send + Sync + 'static,
{
    let mut last: Option<Replacement> = None;
    loop {
        let (find, before) = (Arc::clone(&find), last.clone());
        let seen = tokio::task::spawn_blocking(move || {
            let now = find()?;
            let message = (before.as_ref() != Some(&now)).then(|| (to_replaced(&now), now.base()));
            Some((now, message))
        });
        // A tool that replaces nothing is not checked again.
        let Ok(Some((now, message))) = seen.await else {
            return;
        };
        if let Some((found, base)) = message {
            let look = look.clone();
            let base = base.map(Arc::from);
            if answers
                .send(Update::Replaces { look, found, base })
                .await
                .is_err()
            {
                return;
            }
        }
        if !changes {
            return;
        }
        last = Some(now);
        tokio::time::sleep(AGAIN).await;
    }
}

/// The readable form of a call of a stored session, with the files as they are now; or why the exact bytes come first.
pub fn readable_of_stored(tool: &str, args: &str, workspace: &Path) -> Result<Readable, String> {
    if let Some(why) = readable::why_exact(args, &survey(args)) {
        return Err(why);
    }
    let members = json::members(args).into_iter();
    let members: Vec<(String, Arc<str>)> = members.map(|(name, value)| (name, Arc::from(value))).collect();
    let found = of_stored(tool, args, workspace);
    let found = found.as_ref().map(|(found, base)| (found, base.as_ref()));
    Ok(readable::of(tool, &members, found))
}

/// What is recorded with an approval of this form.
pub fn shown_form(form: Result<Readable, String>) -> Shown {
    let exact = Shown {
        form: ShownForm::Exact,
        base: None,
    };
    form.map_or(exact, |form| form.shown)
}

/// What a call of a known tool would replace now, with the hash of the file; for a stored session.
fn of_stored(tool: &str, args: &str, workspace: &Path) -> Option<(Replaced, Option<Arc<str>>)> {
    let found = known::replaces(tool, &parse_args(args), workspace, &[])?;
    Some((to_replaced(&found), found.base().map(Arc::from)))
}

fn to_replaced(found: &Replacement) -> Replaced {
    match &found.now {
        Ok(None) => Replaced::Nothing,
        Ok(Some(now)) if now.len().max(found.then.len()) > diff::LIMIT => {
            Replaced::Unreadable("the difference is too long".to_owned())
        }
        Ok(Some(now)) => Replaced::Text(diff::lines_around(now, &found.then, diff::AROUND_DECIDED).into()),
        Err(why) => Replaced::Unreadable(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;

    use super::*;
    use overrule_console::ground::diff::Change;
    use overrule_domain::id::Rev;
    use overrule_tools::builtin::{Setup, all};
    use overrule_tools::child::Environment;

    fn look(rev: u32) -> LoadRequest {
        LoadRequest {
            call: "c3".parse().unwrap(),
            rev: Rev(rev),
            digest: None,
        }
    }

    fn tools() -> Arc<Registry> {
        let setup = Setup {
            environment: Environment::allowed([]),
            answer: None,
            proxy: false,
        };
        Arc::new(Registry::new(all(&setup)).unwrap())
    }

    fn marks(update: Option<Update>) -> Vec<(Change, String)> {
        let Some(Update::Replaces {
            found: Replaced::Text(lines),
            ..
        }) = update
        else {
            panic!("{update:?}");
        };
        lines
            .iter()
            .map(|line| (line.change, line.text.to_string()))
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_replacement_is_reported_again_when_the_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let (answers, mut received) = channel(64);
        let mut looker = Looker::new(tools(), Arc::new(dir.path().to_owned()), answers);
        let args: Arc<str> = r#"{"path":"a.md","content":"new\n"}"#.into();
        looker.look(Some((look(1), "write_file".into(), Arc::clone(&args))));
        let first = received.recv().await;
        assert!(
            matches!(&first, Some(Update::Replaces { look: of, found: Replaced::Nothing, .. }) if *of == look(1)),
            "{first:?}"
        );
        let file = dir.path().join("a.md");
        std::fs::write(&file, "old\n").unwrap();
        let both = [
            (Change::Removed, "old".to_owned()),
            (Change::Added, "new".to_owned()),
        ];
        assert_eq!(marks(received.recv().await), both);
        std::fs::write(&file, [0u8, 1, 2]).unwrap();
        let untold = received.recv().await;
        assert!(
            matches!(&untold, Some(Update::Replaces { found: Replaced::Unreadable(why), .. }) if why.contains("is no text")),
            "{untold:?}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), [0, 1, 2], "nothing was written");
        // The call is no longer shown: changes are not reported.
        looker.look(None);
        std::fs::write(&file, "else").unwrap();
        tokio::time::sleep(AGAIN * 5).await;
        assert!(received.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn arguments_too_long_to_compare_are_reported_once() {
        let dir = tempfile::tempdir().unwrap();
        let (answers, mut received) = channel(64);
        let mut looker = Looker::new(tools(), Arc::new(dir.path().to_owned()), answers);
        let of = |bytes: usize| -> Arc<str> {
            let around = r#"{"path":"a.md","content":""}"#.len();
            format!(r#"{{"path":"a.md","content":"{}"}}"#, "x".repeat(bytes - around)).into()
        };
        looker.look(Some((look(1), "write_file".into(), of(COMPARED))));
        let whole = received.recv().await;
        let new = matches!(
            &whole,
            Some(Update::Replaces {
                found: Replaced::Nothing,
                ..
            })
        );
        assert!(new, "{whole:?}");
        looker.look(Some((look(2), "write_file".into(), of(COMPARED + 1))));
        let Some(Update::Replaces {
            look: of_it,
            found: Replaced::Unreadable(why),
            ..
        }) = received.recv().await
        else {
            panic!("long arguments are not reported");
        };
        assert_eq!(
            (of_it, why.as_str()),
            (look(2), "the arguments are longer than 256 KiB")
        );
        std::fs::write(dir.path().join("a.md"), "old").unwrap();
        tokio::time::sleep(AGAIN * 5).await;
        assert!(received.try_recv().is_err(), "they stay as long as they are");
        looker.look(Some((look(3), "shell".into(), of(COMPARED + 1))));
        drop(looker.looking.take());
        tokio::time::sleep(AGAIN * 3).await;
        assert!(received.try_recv().is_err(), "a tool that replaces nothing");
    }

    #[test]
    fn a_difference_that_is_too_long_hides_no_text() {
        let found = Replacement {
            now: Ok(Some("x".repeat(diff::LIMIT + 1))),
            then: "y".to_owned(),
        };
        let found = to_replaced(&found);
        assert!(
            matches!(&found, Replaced::Unreadable(why) if why == "the difference is too long"),
            "{found:?}"
        );
        let members = [
            ("new".to_owned(), Arc::from("\"y\"")),
            ("old".to_owned(), Arc::from("\"x\"")),
        ];
        let base = Arc::from("h");
        let form = readable::of("edit_file", &members, Some((&found, Some(&base))));
        let lines = readable::lines(&form);
        assert_eq!(lines, ["no difference: the difference is too long", "- x", "+ y"]);
        assert_eq!(
            form.shown.base.as_deref(),
            Some("h"),
            "the file is known, and must not change"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn tools_that_replace_nothing_are_not_reported() {
        let dir = tempfile::tempdir().unwrap();
        let (answers, mut received) = channel(64);
        let mut looker = Looker::new(tools(), Arc::new(dir.path().to_owned()), answers);
        looker.look(Some((look(1), "shell".into(), r#"{"command":"ls"}"#.into())));
        drop(looker.looking.take());
        tokio::time::sleep(AGAIN * 3).await;
        looker.look(Some((look(2), "no_such_tool".into(), "{}".into())));
        tokio::time::sleep(AGAIN * 3).await;
        assert!(received.try_recv().is_err());
    }
}
