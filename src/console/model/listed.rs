//! What is counted over all of a run for lists, as long as they are open, be it below something else.
//!
//! Must not know: how a list is made, how rows are drawn.

use super::count::CountOf;
use super::listing::Kind;
use super::overlay::Overlay;
use crate::console::effects::Effects;
use crate::console::sides::Sides;
use crate::console::work::{Finding, Work};
use crate::domain::id::{Epoch, Seq};
use crate::domain::state::State;

/// What lists show of all of a run.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    /// The two branches that are compared.
    pub sides: CountOf<(Epoch, Epoch), Sides>,
    /// What could change the world.
    pub effects: CountOf<(), Effects>,
}

impl Listed {
    /// Finds out what the open lists show; `now` is in milliseconds.
    pub fn look(&mut self, overlays: &[Overlay], now: (&State, u64)) {
        let kinds = || overlays.iter().rev().filter_map(Overlay::listed);
        let compared = kinds().find_map(|kind| match kind {
            Kind::Compare { a, b, .. } => Some((*a, *b)),
            _ => None,
        });
        let of = |state: &State, two: &(Epoch, Epoch)| Sides::of(state, *two);
        let found = |sides| Finding::Sides(Box::new(sides));
        self.sides.look(compared, now, of, found);
        let effects = kinds().any(|kind| matches!(kind, Kind::Effects { .. }));
        let of = |state: &State, (): &()| Effects::of(state);
        self.effects
            .look(effects.then_some(()), now, of, Finding::Effects);
    }

    /// When something is to be found out again.
    pub fn wake_at(&self, seq: Seq) -> Option<u64> {
        let all = [self.sides.wake_at(seq), self.effects.wake_at(seq)];
        all.into_iter().flatten().min()
    }

    /// What is to be found out since this was asked last.
    pub fn take_work(&mut self) -> impl Iterator<Item = Work> + use<> {
        let all = [self.sides.take_work(), self.effects.take_work()];
        all.into_iter().flatten()
    }
}
