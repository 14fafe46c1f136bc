//! The page of help: terms of the marked row, keys of this place by task and the signs, then every key.
//!
//! Must not know: how it is drawn, what a key does.

use super::legend;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::context::Context;
use crate::kernel::keymap::Keymap;
use crate::kernel::registry::{Row, Task};
use crate::kernel::surface::SurfaceId;
use crate::kernel::verb::{Access, HELP_HERE, MOVES, Verb};
use crate::run::maker::Maker;
use overrule_present::terms::Term;

/// Columns of keys and name before the doc of a command.
const BEFORE: usize = 34;
/// With fewer columns after them, the doc gets its own row.
const NARROW: usize = 24;
/// Indent of a doc on its own row.
const INDENT: usize = 4;

/// The kind of run that help is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpMode {
    /// A live run: everything works.
    Live,
    /// A run that is only read: changes are refused.
    Read,
    /// A run that is replayed.
    Replayed,
    /// A halted run: what must be recorded is refused.
    Halted {
        /// True if something is running, which can be ended.
        busy: bool,
    },
}

impl HelpMode {
    /// What such a run lets verbs do.
    const fn access(self) -> Access {
        match self {
            Self::Live => Access::All,
            Self::Read | Self::Replayed => Access::Read,
            Self::Halted { busy } => Access::End { busy },
        }
    }

    const fn is_recorded(self) -> bool {
        matches!(self, Self::Read | Self::Replayed)
    }

    /// The reason why keys are omitted; `None` if all are listed.
    const fn describe(self) -> Option<&'static str> {
        match self {
            Self::Live => None,
            Self::Read | Self::Replayed => Some(
                "This run is recorded: keys that would decide or change something do nothing, and are not listed.",
            ),
            Self::Halted { .. } => Some(
                "This run is halted, and nothing can be recorded: keys that would decide or change something are \
                 refused, and are not listed.",
            ),
        }
    }
}

/// Rows of a screen of 80x24 for the keys by task.
const SCREEN: usize = 20;
/// The fewest columns of a task.
const COLUMN: usize = 28;
/// Columns of the keys of a row, unless they are longer.
const KEYS: usize = 7;

/// The keys that help lists: those of a place, in a kind of run.
struct Listed<'a> {
    keymap: &'a Keymap,
    mode: HelpMode,
    here: SurfaceId,
}

/// The terms that help explains.
#[derive(Debug, Clone, Default)]
pub struct HelpTerms {
    /// Those of the marked row.
    pub on_row: Vec<&'static Term>,
    /// Those of the header.
    pub in_header: Vec<&'static Term>,
}

/// Adds the terms of the marked row; the keys of a place by task, next to them the signs; then every key, those of the
/// place first, and the terms of the header. A recorded or halted run does not list refused keys.
pub fn help(maker: &mut Maker<'_>, keymap: &Keymap, (mode, here): (HelpMode, SurfaceId), terms: &HelpTerms) {
    if !terms.on_row.is_empty() {
        explain(maker, &terms.on_row);
        maker.doc.line(Styled::new());
    }
    if let Some(words) = mode.describe() {
        maker.own(Role::Dim, words);
    }
    let listed = Listed { keymap, mode, here };
    by_task(maker, &listed.groups());
    maker.doc.line(Styled::new());
    listed.every(maker);
    if !terms.in_header.is_empty() {
        maker.own(Role::Title, "header");
        explain(maker, &terms.in_header);
    }
}

/// Adds terms with their explanations.
fn explain(maker: &mut Maker<'_>, terms: &[&Term]) {
    for term in terms {
        let line = Styled::new()
            .own(Role::Accent, term.word)
            .own(Role::Text, format!(": {}", term.meaning));
        maker.over(line, 0);
    }
}

/// Adds groups of rows in columns, screen by screen, with the signs at the right, or below on a narrow screen.
fn by_task(maker: &mut Maker<'_>, groups: &[Vec<Styled>]) {
    let width = usize::from(maker.width);
    let signs = legend::rows(maker.charset);
    let beside = width >= COLUMN + legend::COLUMNS;
    let room = if beside { width - legend::COLUMNS } else { width };
    let count = (room / COLUMN).max(1);
    let wide = room / count;
    let mut columns: Vec<Vec<Styled>> = vec![Vec::new()];
    for group in groups.iter().flat_map(|group| group.chunks(SCREEN)) {
        let last = columns.last_mut();
        match last.filter(|column| column.len() + 1 + group.len() <= SCREEN || column.is_empty()) {
            Some(column) => {
                if !column.is_empty() {
                    column.push(Styled::new());
                }
                column.extend(group.iter().cloned());
            }
            None => columns.push(group.to_vec()),
        }
    }
    let mut signs = signs.into_iter();
    for screen in columns.chunks(count) {
        for at in 0..screen.iter().map(Vec::len).max().unwrap_or(0) {
            let mut row = Styled::new();
            for (no, column) in screen.iter().enumerate() {
                row.0.extend(column.get(at).cloned().unwrap_or_default().0);
                row = padded(row, wide * (no + 1));
            }
            maker
                .doc
                .line(with_sign(row, room, beside.then(|| signs.next()).flatten()));
        }
        maker.doc.line(with_sign(
            Styled::new(),
            room,
            beside.then(|| signs.next()).flatten(),
        ));
    }
    let at = if beside { room } else { 0 };
    for sign in signs {
        maker.doc.line(with_sign(Styled::new(), at, Some(sign)));
    }
}

/// A row, followed by a sign in the columns after `room`.
fn with_sign(row: Styled, room: usize, sign: Option<Styled>) -> Styled {
    let Some(sign) = sign else { return row };
    let mut row = padded(row, room);
    row.0.extend(sign.0);
    row
}

fn padded(row: Styled, columns: usize) -> Styled {
    let rest = columns.saturating_sub(row.columns());
    if rest == 0 {
        row
    } else {
        row.own(Role::Text, " ".repeat(rest))
    }
}

impl Listed<'_> {
    /// The keys of this place by task, each task as rows: first its own keys, and the task that belongs to it.
    fn groups(&self) -> Vec<Vec<Styled>> {
        let here = self.here;
        let registry = self.keymap.registry();
        let mut first = vec![Styled::new().own(Role::Title, self.here.heading)];
        first.extend(self.own().filter_map(|verb| self.row(&[verb], &label(verb))));
        let home = |task: &&Task| task.home.is_some_and(|home| home.id() == here);
        let rows = |task: &Task| -> Vec<Styled> {
            let row = |(verbs, label): &Row| self.row(verbs, label);
            task.rows.iter().filter_map(row).collect()
        };
        first.extend(registry.tasks.iter().filter(home).flat_map(rows));
        let group = |task: &Task| {
            let title = Styled::new().own(Role::Title, task.title);
            let rows = rows(task);
            (!rows.is_empty()).then(|| std::iter::once(title).chain(rows).collect())
        };
        if !here.is_pane {
            return vec![first];
        }
        // A replay begins with its own keys.
        let replay = (self.mode == HelpMode::Replayed)
            .then_some(registry.replay)
            .and_then(group);
        let others = registry.tasks.iter().filter(|task| !home(task)).filter_map(group);
        replay.into_iter().chain([first]).chain(others).collect()
    }

    /// The verbs of this place alone. Everyone knows how to move.
    fn own(&self) -> impl Iterator<Item = &'static Verb> {
        let (here, keymap) = (self.here, self.keymap);
        let is_own =
            move |verb: &&Verb| verb.is_of(here) && !keymap.is_of(MOVES, verb) && verb.name != HELP_HERE;
        keymap.registry().verbs().filter(is_own)
    }

    /// A row of the first screen; none without a key, or if the run refuses all of it.
    fn row(&self, verbs: &[&'static Verb], label: &str) -> Option<Styled> {
        let verbs = verbs
            .iter()
            .filter(|verb| verb.effect.is_allowed(self.mode.access()));
        let keys: Vec<String> = verbs
            .map(|verb| self.keymap.first(verb.name))
            .filter(|key| !key.is_empty())
            .collect();
        let keys = keys.join(" ");
        if keys.is_empty() {
            return None;
        }
        let wide = KEYS.max(keys.columns() + 1);
        let room = COLUMN.saturating_sub(wide + 2);
        let label: String = label.chars().take(room).collect();
        let row = Styled::new().own(Role::Key, format!(" {keys:<wide$}"));
        Some(row.own(Role::Text, label))
    }

    /// Adds every key by context, the context of the help first.
    fn every(&self, maker: &mut Maker<'_>) {
        let (stored, here) = (self.mode, self.here);
        // Replay keys come first in a replay.
        let first = (stored == HelpMode::Replayed && here.is_pane).then_some(Context::Replay);
        let here = Context::On(here);
        let all = self.keymap.registry().sections().into_iter();
        let others = all.filter(|context| *context != here && Some(*context) != first);
        for context in first.into_iter().chain(std::iter::once(here)).chain(others) {
            if context == Context::Replay && stored != HelpMode::Replayed {
                continue;
            }
            // A recorded run never opens these.
            let closed = matches!(context, Context::On(surface) if surface.changes);
            if closed && stored.is_recorded() {
                continue;
            }
            self.of_context(maker, context);
        }
    }

    /// Adds every key of a context. Those of any pane are by task.
    fn of_context(&self, maker: &mut Maker<'_>, context: Context) {
        let registry = self.keymap.registry();
        let is_listed = |verb: &&'static Verb| {
            let places = registry.places(verb);
            let first = places.first() == Some(&context);
            let is_here = context == Context::On(self.here) && places.contains(&context);
            (first || is_here) && verb.effect.is_allowed(self.mode.access())
        };
        let mut last = None;
        for (task, family) in registry.families() {
            for verb in family.into_iter().filter(is_listed) {
                let heading = match context {
                    Context::Panes => format!("{}: {task}", context.heading()),
                    _ => context.heading().to_owned(),
                };
                if last.as_ref() != Some(&heading) {
                    maker.own(Role::Title, heading.as_str());
                    last = Some(heading);
                }
                self.entry(maker, verb);
            }
        }
    }

    /// Adds a verb with all of its keys, its name and what it does.
    fn entry(&self, maker: &mut Maker<'_>, verb: &Verb) {
        let keys = self.keymap.keys_of(verb.name).iter().map(ToString::to_string);
        let keys: Vec<String> = keys.collect();
        let keys = if keys.is_empty() {
            "palette".to_owned()
        } else {
            keys.join(" ")
        };
        let line = Styled::new()
            .own(Role::Key, format!("  {keys:<14} "))
            .own(Role::Accent, format!("{:<16} ", verb.name));
        let room = usize::from(maker.width).saturating_sub(BEFORE);
        if room < NARROW {
            maker.doc.line(line);
            maker.over(Styled::new().own(Role::Text, format!("    {}", verb.doc)), INDENT);
        } else {
            maker.over(line.own(Role::Text, verb.doc), BEFORE);
        }
    }
}

/// The label of a verb: that of its hint, else its name.
fn label(verb: &Verb) -> String {
    if verb.hint.is_empty() {
        verb.name.replace('-', " ")
    } else {
        verb.hint.to_owned()
    }
}
