//! Plans a restore for a verb, prints it, and turns what was seen into a choice.
//!
//! Must not know: which verb it is for, how a file is written.

use similar::{ChangeTag, TextDiff};

use super::exit::{Code, Failure};
use super::verbs::Session;
use super::verbs::takes::{CommitArgs, Files};
use super::written_here::{self, Writer};
use super::{print, record};
use overrule_base::text::visible;
use overrule_domain::call::Digest;
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::decide::restore_plan;
use overrule_domain::files::plan::{Plan, Row, RowStatus};
use overrule_domain::files::{FilePath, FileState, RestoreChoice};
use overrule_domain::id::Seq;
use overrule_domain::sandbox::Tracking;
use overrule_files::Tracker;
use overrule_journal::Place;
use overrule_present::restore::{RestorePathView, RestoreView};
use overrule_present::{json, many};

/// Shortest beginning of a digest that stands for it.
const SHORTEST: usize = 12;
/// Most bytes of a content whose lines are counted.
const MOST_COUNTED: u64 = 1 << 20;

/// Which paths of a plan are restored.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths<'a> {
    /// Only these, as written; all if there are none.
    pub only: &'a [String],
    /// True if paths with a conflict are restored, too.
    pub over_conflicts: bool,
}

/// The plan of a restore with what was chosen.
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The choice that leads to it, with its digest.
    pub choice: RestoreChoice,
    tracker: Tracker,
}

impl Planned {
    /// The choice of a person who saw a plan with this digest, or the beginning of one.
    pub fn confirmed(self, digest: &str) -> RestoreChoice {
        let is_it = digest.len() >= SHORTEST && self.plan.digest.0.starts_with(digest);
        RestoreChoice {
            digest: if is_it {
                self.plan.digest
            } else {
                Digest(digest.into())
            },
            ..self.choice
        }
    }
}

/// Plans a restore. `command` makes the command with a choice.
pub fn plan(
    session: &Session<'_>,
    command: &dyn Fn(RestoreChoice) -> Result<FilesCommand, Failure>,
    paths: Paths<'_>,
) -> Result<Planned, Failure> {
    let adviser = record::adviser(session.common, session.context, session.place, session.state)?;
    let tracker = adviser.files.tracker().cloned();
    let tracker = tracker.ok_or_else(|| not_tracked(session, adviser.files.now()))?;
    let of = |choice: RestoreChoice| -> Result<Plan, Failure> {
        Ok(restore_plan(session.state, &adviser, &command(choice)?)?)
    };
    let whole = of(RestoreChoice::all())?;
    let mut choice = chosen(&whole, paths)?;
    let plan = of(choice.clone())?;
    choice.digest = plan.digest.clone();
    Ok(Planned {
        plan,
        choice,
        tracker,
    })
}

/// Why nothing can be restored where no files are tracked.
fn not_tracked(session: &Session<'_>, tracking: &Tracking) -> Failure {
    let why = match tracking {
        Tracking::Not { why } if !session.state.operator.files.log.is_empty() => visible(why),
        _ => "it recorded no change of files; hint: `track = false` in [files] may be set".to_owned(),
    };
    let id = session.place.id();
    Failure::new(
        Code::Session,
        format!("cannot restore files of session {id}: {why}"),
    )
}

/// Which paths are restored in spite of a conflict, and which are left.
fn chosen(plan: &Plan, paths: Paths<'_>) -> Result<RestoreChoice, Failure> {
    let mut choice = RestoreChoice::all();
    let only: Vec<FilePath> = paths
        .only
        .iter()
        .map(|path| read(path))
        .collect::<Result<_, _>>()?;
    if let Some(other) = only
        .iter()
        .find(|path| plan.rows.iter().all(|row| row.path != **path))
    {
        let path = visible(&other.text());
        return Err(refused(
            &path,
            "none of these calls changed it",
            "without --path all paths are shown",
        ));
    }
    for row in &plan.rows {
        let is_named = only.contains(&row.path);
        if !only.is_empty() && !is_named {
            choice.without.push(row.path.clone());
            continue;
        }
        match &row.status {
            RowStatus::Conflict { .. } if paths.over_conflicts => choice.over.push(row.path.clone()),
            RowStatus::Conflict { why } if is_named => {
                let hint = "--over-conflicts saves the present content first";
                return Err(refused(&visible(&row.path.text()), &visible(why), hint));
            }
            RowStatus::NotRestorable { why } if is_named => {
                let hint = "without --path the other paths are restored";
                return Err(refused(&visible(&row.path.text()), &visible(why), hint));
            }
            _ => {}
        }
    }
    Ok(choice)
}

fn read(path: &str) -> Result<FilePath, Failure> {
    let plain = path.trim_start_matches("./").trim_end_matches('/');
    FilePath::new(plain)
        .map_err(|error| refused(&visible(path), &error.to_string(), "write it as the preview does"))
}

fn refused(path: &str, why: &str, hint: &str) -> Failure {
    Failure::new(
        Code::Halted,
        format!("cannot restore {path}: {why}; hint: {hint}"),
    )
}

/// Prints a plan.
pub fn print(session: &Session<'_>, planned: &Planned) {
    let view = RestoreView::of(session.state, &planned.plan);
    print::out(&if session.common.json {
        json(&view)
    } else {
        describe(&view, planned).join("\n")
    });
}

/// A line for each path, and for what is not restored; the last one has the digest.
fn describe(view: &RestoreView<'_>, planned: &Planned) -> Vec<String> {
    let mut lines = vec![format!(
        "files              restore {} of {}",
        view.chosen(),
        many(view.paths.len(), "path")
    )];
    let rows = planned.plan.rows.iter().zip(&view.paths);
    lines.extend(rows.map(|(row, view)| path(row, view, &planned.tracker)));
    lines.extend(
        view.ignored
            .iter()
            .map(|one| format!("  not restorable   {} ({}): it is ignored", one.path, one.call)),
    );
    let untracked = view.untracked.iter();
    lines.extend(untracked.map(|one| format!("  not known        {}: {}", one.call, visible(one.why))));
    let heads = view.heads.iter();
    lines.extend(heads.map(|one| {
        format!(
            "  stays            {} moved the checked-out commit; hint: {}",
            one.call,
            visible(one.hint)
        )
    }));
    if !view.also_happened.is_empty() {
        let effects = view.also_happened.iter();
        let effects: Vec<String> = effects
            .map(|one| format!("{} {}", one.call, visible(one.tool)))
            .collect();
        lines.push(format!("also happened      {} (stays)", effects.join(", ")));
    }
    if let Some(call) = view.still_runs {
        lines.push(format!(
            "cannot restore yet {call} still runs; hint: cancel {call}"
        ));
    }
    lines.push(format!("digest             {}", view.digest));
    lines
}

fn path(row: &Row, view: &RestorePathView<'_>, tracker: &Tracker) -> String {
    let calls: Vec<String> = view.calls.iter().map(ToString::to_string).collect();
    let what = match view.what {
        "delete" => "created, is deleted".to_owned(),
        "recreate" => "deleted, is created again".to_owned(),
        _ => lines(row, tracker).unwrap_or_else(|| "changed".to_owned()),
    };
    let mark = match (view.status, view.chosen) {
        (_, true) => "restore",
        ("conflict", _) => "conflict",
        ("not_restorable", _) => "not restorable",
        ("nothing", _) => "unchanged",
        _ => "left",
    };
    let why = view
        .why
        .as_ref()
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    format!("  {mark:<16} {} ({}) {what}{why}", view.path, calls.join(" "))
}

/// How many lines a restore adds and removes; none where a content is no text, or not saved.
fn lines(row: &Row, tracker: &Tracker) -> Option<String> {
    let [now, target] = [&row.now, &row.target].map(|state| match state {
        FileState::File { hash, size, .. } if *size <= MOST_COUNTED => {
            String::from_utf8(tracker.content(hash).ok()?).ok()
        }
        _ => None,
    });
    let (now, target) = (now?, target?);
    let difference = TextDiff::from_lines(&now, &target);
    let count = |tag| {
        difference
            .iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    Some(format!(
        "+{} -{}",
        count(ChangeTag::Insert),
        count(ChangeTag::Delete)
    ))
}

/// Lets commands restore the files of what they make inactive, if the operator wants that; else a hint says that they could.
pub fn with_files(
    session: &Session<'_>,
    planned: Option<&CommitArgs>,
    commands: Vec<Command>,
) -> Result<Vec<Command>, Failure> {
    let Some(planned) = planned else {
        return Ok(commands);
    };
    if planned.files != Some(Files::Restore) {
        if planned.files.is_none() {
            commands
                .iter()
                .filter_map(|command| hint(session, command))
                .for_each(|words| print::err(&words));
        }
        return Ok(commands);
    }
    let restoring = commands.into_iter().map(|command| {
        let with = with(&command);
        let choice = plan(session, &with, Paths::default())?.choice;
        Ok(Command::Files(with(choice)?))
    });
    restoring.collect()
}

/// The command with a restore of what it makes inactive, by the choice.
fn with(command: &Command) -> impl Fn(RestoreChoice) -> Result<FilesCommand, Failure> + use<'_> {
    |choice| {
        Ok(FilesCommand::With {
            command: Box::new(command.clone()),
            choice,
        })
    }
}

/// Prints the plan of the restore that goes with a command, if one does.
pub fn print_with(session: &Session<'_>, command: &Command) -> Result<(), Failure> {
    let Command::Files(FilesCommand::With { command, .. }) = command else {
        return Ok(());
    };
    let planned = plan(session, &with(command), Paths::default())?;
    print(session, &planned);
    Ok(())
}

/// True for a command that writes files of the workspace.
pub const fn writes(command: &Command) -> bool {
    matches!(command, Command::Files(command) if !matches!(command, FilesCommand::Seen { .. } | FilesCommand::Leave { .. }))
}

/// Refuses to restore files by a session that this program did not write here: what it says of them is not trusted.
pub fn check_writer(session: &Session<'_>) -> Result<(), Failure> {
    match written_here::writer(&session.context.env, session.place) {
        Writer::Here(_) => Ok(()),
        Writer::Elsewhere => {
            let id = session.place.id();
            Err(Failure::new(
                Code::Halted,
                format!(
                    "cannot restore files of session {id}: it is from elsewhere; hint: `overrule resume {id}` says what it \
                     brings, and asks; its files can be restored then"
                ),
            ))
        }
    }
}

/// Prints how the restore went that ended after this event, if one did.
pub fn print_end(place: &Place, after: Seq) -> Result<(), Failure> {
    let (found, _) = record::up_to_damage(place)?;
    let restores = found.state.operator.files.restores.values();
    let mut ended = restores.filter_map(|one| Some((one, one.end.as_ref()?)));
    let Some((restore, end)) = ended.rfind(|(_, end)| end.seq > after) else {
        return Ok(());
    };
    let done = restore.done().count();
    print::err(&format!(
        "{}: restored {}",
        restore.started.restore,
        many(done, "path")
    ));
    for one in &end.skipped {
        print::err(&format!(
            "not restored: {}: {}",
            visible(&one.path.text()),
            visible(&one.why)
        ));
    }
    Ok(())
}

/// Returns a hint where a command makes calls inactive whose files could be restored.
fn hint(session: &Session<'_>, command: &Command) -> Option<String> {
    if session.state.operator.files.log.is_empty() {
        return None;
    }
    let plan = plan(session, &with(command), Paths::default()).ok()?.plan;
    let count = plan.steps.0.len();
    (count > 0).then(|| {
        format!(
            "{} of what becomes inactive can be restored; hint: --files restore restores what nothing else changed",
            many(count, "file")
        )
    })
}
