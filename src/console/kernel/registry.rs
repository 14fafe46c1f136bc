//! What the console consists of: its surfaces and its verbs.
//!
//! Must not know: which there are.

use std::fmt;

use super::context::Context;
use super::pane::{Pane, Place};
use super::surface::SurfaceId;
use crate::kernel::kind::Kind;
use crate::kernel::verb::{Families, Verb};

/// Verbs in one row of help, and what they do.
pub type Row = (&'static [&'static Verb], &'static str);

/// A task of the operator.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Its heading.
    pub title: &'static str,
    /// The pane that it belongs to: there it comes first.
    pub home: Option<Pane>,
    /// Its rows.
    pub rows: &'static [Row],
}

/// A surface on top of the panes, with its verbs.
#[derive(Debug)]
pub struct Entry {
    /// Which.
    pub id: SurfaceId,
    /// The heading of the family that its verbs belong to.
    pub family: &'static str,
    /// The verbs that work on it alone, and the one that opens it if nothing else does. In the order of help.
    pub verbs: &'static [Verb],
}

/// All surfaces and verbs.
pub struct Registry {
    /// The verbs of no single surface, by family with its heading, in the order of help.
    pub families: Families,
    /// The panes, in the order of their keys.
    pub panes: &'static [&'static dyn Kind],
    /// The other surfaces, in the order of help.
    pub surfaces: &'static [Entry],
    /// The tasks of every run, in the order of help.
    pub tasks: &'static [Task],
    /// The task of a recorded run.
    pub replay: &'static Task,
}

impl Registry {
    /// Every verb by family, in the order of help: first those of no single surface.
    pub fn families(&self) -> impl Iterator<Item = (&'static str, Vec<&'static Verb>)> + use<> {
        let surfaces = self.surfaces;
        self.families.iter().map(move |(heading, verbs)| {
            let entries = surfaces.iter().filter(|entry| entry.family == *heading);
            let own = entries.flat_map(|entry| entry.verbs);
            (*heading, verbs.iter().chain(own).collect())
        })
    }

    /// Every verb, in the order of help.
    pub fn verbs(&self) -> impl Iterator<Item = &'static Verb> + use<> {
        self.families().flat_map(|(_, family)| family)
    }

    /// Every surface, in the order of help.
    pub fn surfaces(&self) -> Vec<SurfaceId> {
        let panes = self.panes.iter().map(|kind| kind.pane().id());
        panes.chain(self.surfaces.iter().map(|entry| entry.id)).collect()
    }

    /// The panes that share the area at the bottom.
    pub fn lower(&self) -> Vec<Pane> {
        let all = self.panes.iter().map(|kind| kind.pane());
        all.filter(|pane| pane.place() == Place::Lower).collect()
    }

    /// How a pane behaves.
    pub fn kind(&self, pane: Pane) -> Option<&'static dyn Kind> {
        self.panes.iter().copied().find(|kind| kind.pane() == pane)
    }

    /// The headings of help: the wide contexts, then every surface.
    pub fn sections(&self) -> Vec<Context> {
        let wide = [Context::Always, Context::Panes, Context::Replay];
        let surfaces = self.surfaces();
        wide.into_iter()
            .chain(surfaces.into_iter().map(Context::On))
            .collect()
    }

    /// Where a verb works: the wide contexts, and surfaces by name.
    pub fn places(&self, verb: &Verb) -> Vec<Context> {
        let all = self.surfaces();
        let places = verb.contexts.iter().flat_map(|context| {
            let named = context.named(&all);
            if named.is_empty() {
                vec![*context]
            } else {
                named.into_iter().map(Context::On).collect()
            }
        });
        places.collect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("surfaces", &self.surfaces())
            .finish_non_exhaustive()
    }
}
