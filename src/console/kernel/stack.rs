//! What is open on top of the panes: surfaces above each other, the topmost gets the keys.
//!
//! Must not know: which surfaces there are.

use std::any::Any;
use std::fmt;

use ratatui::Frame;

use super::keymap::Keymap;
use super::listing::Listing;
use super::model::Model;
use super::model::arming::Visibility;
use super::model::screen::Screen;
use super::prompt::Prompt;
use super::sheet::{Sheet, scroll};
use super::surface::SurfaceId;
use crate::ground::doc::Doc;
use crate::ground::field::{Field, TextVerb};
use crate::ground::motion::Move;
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::run::restore_preview::RestorePreview;
use overrule_domain::command::Command;
use overrule_domain::id::NodeId;

/// What a surface erases of the panes, so that no other decision, and no older revision, is shown next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erases {
    /// Nothing.
    Nothing,
    /// The decision frame.
    Frame,
    /// All panes.
    Panes,
}

/// A copy of a surface whose type is not known.
pub trait CloneSurface {
    /// Copies it.
    fn boxed(&self) -> Box<dyn Surface>;
}

impl<T: Surface + Clone> CloneSurface for T {
    fn boxed(&self) -> Box<dyn Surface> {
        Box::new(self.clone())
    }
}

/// A page, a dialog, a list or a text on top of the panes. Most of it has an answer that fits most surfaces.
pub trait Surface: Any + fmt::Debug + CloneSurface + Send {
    /// Which it is.
    fn id(&self) -> SurfaceId;

    /// Brings it up to date before it is drawn. The model is without it meanwhile.
    fn prepare(&mut self, _model: &mut Model) {}

    /// Draws it.
    fn draw(&self, model: &Model, frame: &mut Frame<'_>);

    /// What it erases of the panes.
    fn erases(&self, _model: &Model) -> Erases {
        Erases::Nothing
    }

    /// Its rows at the bottom, if the panes end above it; none for a surface that covers them.
    fn rows(&self, _model: &Model) -> Option<u16> {
        None
    }

    /// True if the surface below stays on the screen.
    fn is_over(&self) -> bool {
        false
    }

    /// True for the list of commands, which act on the surface below.
    fn is_palette(&self) -> bool {
        false
    }

    /// True if it takes the whole width.
    fn is_broad(&self) -> bool {
        false
    }

    /// Its document.
    fn sheet(&self) -> Option<&Sheet> {
        None
    }

    /// Its document, to scroll it.
    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        None
    }

    /// Its list.
    fn listing(&self) -> Option<&Listing> {
        None
    }

    /// Its list, to move in it.
    fn listing_mut(&mut self) -> Option<&mut Listing> {
        None
    }

    /// The text of each entry of its list, for a search in them.
    fn entries(&mut self, _model: &mut Model) -> Vec<String> {
        // The rows of most lists are all made.
        self.listing()
            .map(|list| list.texts(|_| Vec::new()))
            .unwrap_or_default()
    }

    /// Carries out a move. `page` is the height of the screen.
    fn step(&mut self, to: Move, page: usize) {
        if let Some(list) = self.listing_mut() {
            if let Some(to) = list.step(to) {
                scroll(&mut list.top, &list.doc, to, page / 2);
            }
        } else if let Some(sheet) = self.sheet_mut() {
            scroll(&mut sheet.top, &sheet.doc, to, page);
        }
    }

    /// Moves its cursor to a row of the screen. Choosing needs a key.
    fn point(&mut self, screen: &Screen, y: u16) {
        if let Some(list) = self.listing_mut() {
            list.point_on(screen, y);
        }
    }

    /// Makes its content again before the next frame.
    fn renew(&mut self) {
        if let Some(sheet) = self.sheet_mut() {
            sheet.made = None;
        }
        if let Some(list) = self.listing_mut() {
            list.made = None;
        }
    }

    /// What a frame showed of its question.
    fn visible(&self, _model: &Model) -> Option<Visibility> {
        None
    }

    /// The question of a waiting entry that it asks.
    fn question(&self) -> Option<&Question> {
        None
    }

    /// The text that is typed in it.
    fn field(&self) -> Option<&Field> {
        None
    }

    /// The text that is typed in it, to change it.
    fn field_mut(&mut self) -> Option<&mut Field> {
        None
    }

    /// Follows a change of its text.
    fn changed(&mut self) {}

    /// Pastes a text into it; none if it takes no text.
    fn paste(&mut self, text: &str, _keymap: &Keymap) -> Option<Result<(), String>> {
        let pasted = self.field_mut()?.paste(text);
        self.changed();
        Some(pasted)
    }

    /// Handles a change of a text that is too long to be edited: the message that it was taken back, or why it is
    /// refused. None if it can be edited.
    fn too_long(&mut self, _verb: Option<TextVerb>, _keymap: &Keymap) -> Option<Result<String, String>> {
        None
    }

    /// Why what was typed cannot be sent in a halted run, and how to keep it.
    fn unsendable(&self, _keymap: &Keymap) -> Option<Refusal> {
        None
    }

    /// What is lost of it when the console closes, as a sentence.
    fn lost(&self) -> Option<String> {
        None
    }

    /// The restore of files that it previews.
    fn files(&self) -> Option<&RestorePreview> {
        None
    }

    /// The restore of files that it previews, to change what is chosen.
    fn restore(&mut self) -> Option<&mut RestorePreview> {
        None
    }

    /// The node whose dependants are suspended while it is open.
    fn holds(&self) -> Option<NodeId> {
        None
    }

    /// True if this command was sent from it, and its reply closes it.
    fn has_sent(&self, _command: &Command) -> bool {
        false
    }

    /// Follows the refusal of a command that closes what it was sent from.
    fn refused(&mut self) {}

    /// True if nothing is left to do in it once a command was carried out.
    fn is_moot(&self, _model: &Model, _command: &Command) -> bool {
        false
    }
}

/// Surfaces above each other.
#[derive(Debug, Default)]
pub struct Stack {
    open: Vec<Box<dyn Surface>>,
    /// The line whose command is not answered yet. A refusal opens it again with its text.
    pub sent_line: Option<Prompt>,
}

impl Clone for Stack {
    fn clone(&self) -> Self {
        Self {
            open: self.open.iter().map(|surface| (**surface).boxed()).collect(),
            sent_line: self.sent_line.clone(),
        }
    }
}

fn is<T: Surface>(surface: &dyn Surface) -> Option<&T> {
    let any: &dyn Any = surface;
    any.downcast_ref()
}

fn is_mut<T: Surface>(surface: &mut dyn Surface) -> Option<&mut T> {
    let any: &mut dyn Any = surface;
    any.downcast_mut()
}

impl Stack {
    /// True if nothing is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Number of open surfaces.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Opens a surface on top.
    pub fn push(&mut self, surface: impl Surface) {
        self.open.push(Box::new(surface));
    }

    /// Puts a surface back on top.
    pub fn put(&mut self, surface: Box<dyn Surface>) {
        self.open.push(surface);
    }

    /// Closes the topmost surface.
    pub fn pop(&mut self) -> Option<Box<dyn Surface>> {
        self.open.pop()
    }

    /// Closes the topmost surface if it is such a one.
    pub fn pop_if<T: Surface>(&mut self, fits: impl FnOnce(&T) -> bool) -> Option<Box<dyn Surface>> {
        self.open.pop_if(|surface| is::<T>(&**surface).is_some_and(fits))
    }

    /// Takes the topmost surface if it is such a one.
    pub fn take<T: Surface>(&mut self) -> Option<T> {
        let surface: Box<dyn Any> = self.pop_if::<T>(|_| true)?;
        surface.downcast().ok().map(|surface| *surface)
    }

    /// The topmost surface.
    pub fn last(&self) -> Option<&dyn Surface> {
        self.open.last().map(|surface| &**surface)
    }

    /// The topmost surface, to change it.
    pub fn last_mut(&mut self) -> Option<&mut dyn Surface> {
        self.open.last_mut().map(|surface| &mut **surface)
    }

    /// The surface below the topmost one.
    pub fn below(&self) -> Option<&dyn Surface> {
        let at = self.open.len().checked_sub(2)?;
        self.open.get(at).map(|surface| &**surface)
    }

    /// The topmost surface, if it is such a one.
    pub fn top<T: Surface>(&self) -> Option<&T> {
        is(self.last()?)
    }

    /// The topmost surface to change it, if it is such a one.
    pub fn top_mut<T: Surface>(&mut self) -> Option<&mut T> {
        is_mut(self.last_mut()?)
    }

    /// True if the topmost surface is such a one.
    pub fn is_top<T: Surface>(&self) -> bool {
        self.top::<T>().is_some()
    }

    /// The topmost surface of a type, whatever is above it.
    pub fn find<T: Surface>(&self) -> Option<&T> {
        self.open.iter().rev().find_map(|surface| is(&**surface))
    }

    /// The topmost surface of a type to change it, whatever is above it.
    pub fn find_mut<T: Surface>(&mut self) -> Option<&mut T> {
        self.open
            .iter_mut()
            .rev()
            .find_map(|surface| is_mut(&mut **surface))
    }

    /// The surface at a place, counted from below, if it is such a one.
    pub fn at<T: Surface>(&self, at: usize) -> Option<&T> {
        is(&**self.open.get(at)?)
    }

    /// All surfaces from below.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &dyn Surface> + ExactSizeIterator {
        self.open.iter().map(|surface| &**surface)
    }

    /// All surfaces from below, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Surface>> {
        self.open.iter_mut()
    }

    /// Closes all surfaces of a type.
    pub fn close<T: Surface>(&mut self) {
        self.open.retain(|surface| is::<T>(&**surface).is_none());
    }

    /// Closes the surfaces of a range, counted from below.
    pub fn close_range(&mut self, range: std::ops::RangeInclusive<usize>) {
        let mut at = 0;
        self.open.retain(|_| {
            at += 1;
            !range.contains(&(at - 1))
        });
    }

    /// Closes everything.
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// The document of the topmost surface.
    pub fn doc(&self) -> Option<&Doc> {
        let top = self.last()?;
        let listed = || top.listing().map(|list| &list.doc);
        top.sheet().map(|sheet| &sheet.doc).or_else(listed)
    }
}
