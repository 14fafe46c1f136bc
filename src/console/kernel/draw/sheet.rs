//! Makes, draws and measures the document of a surface.
//!
//! Must not know: what is written on it.

use std::ops::Range;

use ratatui::Frame;
use regex::Regex;

use super::dialog;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::kernel::log::LogPane;
use crate::kernel::model::arming::{Arming, Visibility};
use crate::kernel::model::screen::inside;
use crate::kernel::model::{Model, Settings};
use crate::kernel::sheet::Sheet;
use crate::run::cached::Caches;
use crate::run::maker::Maker;
use crate::run::part::RunPart;
use crate::run::question::Question;

/// The source of a document other than the run.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The log.
    pub log: &'a LogPane,
    /// Values computed from the whole run.
    pub cached: &'a mut Caches,
    /// Settings that do not change.
    pub settings: &'a Settings,
    /// What was read.
    pub arming: &'a Arming,
    /// True where the operator chose the exact bytes of decisions.
    pub exact: bool,
}

impl<'a> Parts<'a> {
    /// The keymap, if keys can act on the run: nothing is offered that a recorded or halted run refuses.
    pub fn offered(&self, run: &RunPart) -> Option<&'a Keymap> {
        self.settings.offered().filter(|_| run.halted.is_none())
    }
}

impl Sheet {
    /// True if the rows were made for another event or width.
    pub fn is_stale(&self, model: &Model) -> bool {
        self.made != Some((model.run.state.seq, model.screen.dialog_width())) || self.doc.is_due()
    }

    /// Makes the rows again if they are stale, and keeps the position in them.
    pub fn prepare(&mut self, model: &mut Model, make: impl FnOnce(&mut Maker<'_>, &mut Parts<'_>)) {
        if self.is_stale(model) {
            let width = model.screen.dialog_width();
            self.made = Some((model.run.state.seq, width));
            let mut maker = Maker::new(
                &model.run,
                &mut model.inspector.cache,
                &model.queue.call_groups,
                (width, model.settings.charset),
            );
            let mut parts = Parts {
                log: &model.log,
                cached: &mut model.cached,
                settings: &model.settings,
                arming: &model.arming,
                exact: model.inspector.exact,
            };
            make(&mut maker, &mut parts);
            self.doc = maker.doc;
        }
        self.top = self.top.min(self.doc.last_top(self.height(model)));
    }

    /// Makes the rows of a list again if they are stale. After a step the marked rows are on the screen, and with the first
    /// item everything above it while there is room.
    pub fn prepare_list(
        &mut self,
        model: &mut Model,
        is_first: bool,
        make: impl FnOnce(&mut Maker<'_>, &mut Parts<'_>) -> Range<usize>,
    ) {
        let has_moved = self.made.is_none();
        let mut marked = 0..0;
        self.prepare(model, |maker, parts| marked = make(maker, parts));
        if has_moved {
            let height = self.height(model);
            let top = if is_first { 0 } else { self.top };
            self.top = top.max(marked.end.saturating_sub(height)).min(marked.start);
        }
    }

    /// Draws the rows of a list, with words in the lower edge of its frame.
    pub fn draw_list(&self, model: &Model, frame: &mut Frame<'_>, words: &str) {
        dialog::framed(model, frame, ("", words), &self.doc, (self.top, None));
    }

    /// Draws the rows below a title.
    pub fn draw(&self, model: &Model, frame: &mut Frame<'_>, title: &str, role: Role) {
        dialog::document(model, frame, title, &self.doc, (self.top, self.pattern()), role);
    }

    /// Rows on the screen for it, without its title and its edge.
    pub fn height(&self, model: &Model) -> usize {
        let edge = usize::from(self.doc.title().is_some());
        let area = model.screen.dialog(self.doc.rows() + edge);
        usize::from(inside(area).height).saturating_sub(edge)
    }

    fn pattern(&self) -> Option<&Regex> {
        self.seek.as_ref().map(|seek| &seek.regex)
    }

    /// What a frame shows of a question on it. A document that is still being laid out is no question yet.
    pub fn visible(&self, model: &Model, question: Question) -> Option<Visibility> {
        let doc = &self.doc;
        (!doc.is_waiting()).then(|| Visibility {
            question,
            // What the head of a decision covers is not on screen.
            rows: doc.shown(self.top, self.height(model)),
            total: doc.rows(),
            width: model.screen.dialog_width(),
            stamp: doc.stamp(),
        })
    }
}
