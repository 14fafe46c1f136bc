//! Size of the screen, focus, and the areas of the panes.
//!
//! Must not know: what is in a pane.
//!
//! One arrangement at every size: the graph, then what is looked at. The panes at the bottom share one area: one of them is
//! shown at a time. On a wide screen it is at the right of the graph.

mod arrange;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::layout::Rect;

use crate::kernel::pane::{Pane, Place};

/// Smallest screen on which the operator can decide.
pub const DECIDABLE: (u16, u16) = (40, 10);
/// Fewest rows between header and status line for a graph above what is looked at.
const BOTH: u16 = 14;
/// Fewest rows of the graph above what is looked at.
const GRAPH: u16 = 6;
/// Fewest rows of the frame of a decision.
const FRAME: u16 = 3;
/// Fewest columns for panes and details next to each other.
const WIDE: u16 = 140;
/// Fewest columns of the graph next to a pane.
const BESIDE: u16 = 80;

/// A line between panes that the operator can move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// Below the graph.
    Graph,
    /// Below the queue.
    Queue,
    /// Above the area at the bottom.
    Lower,
}

/// Sizes that the operator set; none where the layout decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Rows of the graph, above the others.
    pub graph: Option<u16>,
    /// Rows of the queue.
    pub queue: Option<u16>,
    /// Rows of the area at the bottom.
    pub lower: Option<u16>,
}

/// Areas of the panes. A pane without an area is not on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places {
    /// The line at the top.
    pub header: Rect,
    /// A warning line below the header.
    pub banner: Option<Rect>,
    /// The graph.
    pub graph: Option<Rect>,
    /// The queue.
    pub queue: Option<Rect>,
    /// The inspector, or the frame of a decision without its lower edge.
    pub inspector: Option<Rect>,
    /// The lower edge of the frame of a decision.
    pub edge: Option<Rect>,
    /// The pane at the bottom.
    pub lower: Option<Rect>,
    /// The bar of a recorded run.
    pub bar: Option<Rect>,
    /// The lines at the bottom.
    pub status: Rect,
    /// The rows between header and status line.
    pub body: Rect,
}

/// What the panes want of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Rows of the queue without its title; none to hide it, unless it has the focus.
    pub queue: Option<usize>,
    /// True for a warning line below the header.
    pub banner: bool,
    /// Rows of the frame of a decision; none where nothing is decided.
    pub frame: Option<usize>,
    /// Rows of a dialog at the place of the frame; none without one.
    pub dialog: Option<u16>,
    /// True while the branch is read as a text: it has the place of what is looked at, too.
    pub reads: bool,
    /// Columns of the pane at the right of the graph; none where it is at the bottom.
    pub beside: Option<u16>,
}

/// Size, focus and areas.
#[derive(Debug, Clone)]
pub struct Screen {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// The pane that keys go to.
    pub focus: Pane,
    /// Whose cursor the inspector follows: the graph's or the queue's.
    pub lead: Pane,
    /// True to show only the focused pane.
    pub zoom: bool,
    /// The pane that is shown at the bottom.
    pub lower: Option<Pane>,
    /// Sizes that the operator set.
    pub sizes: Sizes,
    /// The border that is being moved.
    pub moving: Option<Border>,
    /// True if the terminal's window has the focus; none if the terminal does not report it.
    pub focused: Option<bool>,
    /// Whether the console has the mouse.
    pub mouse: bool,
    /// True if the topmost surface takes the whole width.
    pub broad: bool,
    /// True if it may have the place of the frame: it leaves the graph on the screen.
    pub docks: bool,
    /// True if the bar of a recorded run is shown.
    pub bar: bool,
    /// Rows that the last message needs.
    pub wordy: u16,
    /// Current areas of the panes.
    pub places: Places,
}

impl Screen {
    /// A screen of this size.
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            width,
            height,
            focus: Pane::GRAPH,
            lead: Pane::GRAPH,
            zoom: false,
            lower: None,
            sizes: Sizes::default(),
            moving: None,
            focused: None,
            mouse: false,
            broad: false,
            docks: false,
            bar: false,
            wordy: 1,
            places: Places::default(),
        }
    }

    /// True if there is room for a decision.
    pub fn can_decide(&self) -> bool {
        self.width >= DECIDABLE.0 && self.height >= DECIDABLE.1
    }

    /// True if only the focused pane is shown.
    pub fn is_single(&self) -> bool {
        self.zoom || self.width < 40 || self.places.body.height < 8
    }

    /// Puts the focus on a pane.
    pub fn focus(&mut self, pane: Pane) {
        self.focus = pane;
        match pane.place() {
            Place::Graph | Place::Queue => self.lead = pane,
            Place::Inspector => {}
            Place::Lower => self.lower = Some(pane),
        }
    }

    /// The panes that are not hidden, in their order.
    pub fn panes(&self) -> impl Iterator<Item = Pane> + use<> {
        [Pane::GRAPH, Pane::QUEUE, Pane::INSPECTOR]
            .into_iter()
            .chain(self.lower)
    }

    /// The pane after the focused one, or before it.
    pub fn neighbour(&self, back: bool) -> Pane {
        let order: Vec<Pane> = self.panes().collect();
        let at = order.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let step = if back { order.len() - 1 } else { 1 };
        order
            .get((at + step) % order.len())
            .copied()
            .unwrap_or(Pane::GRAPH)
    }

    /// The most columns of a pane at the right of the graph; none on a screen that is not wide.
    pub fn room_beside(&self) -> Option<u16> {
        (self.width >= WIDE && !self.zoom).then(|| self.width - BESIDE)
    }

    /// Columns of a list, and of its details, which are next to it on a wide screen.
    pub fn list_width(&self) -> u16 {
        if self.has_details_beside() {
            // A line separates them.
            (self.width - 1) / 2
        } else {
            self.dialog_width()
        }
    }

    /// True if the details of a list are next to it. A list that takes the whole width has them below it.
    const fn has_details_beside(&self) -> bool {
        self.width >= WIDE && !self.broad
    }

    /// Columns of a dialog.
    pub fn dialog_width(&self) -> u16 {
        if self.broad {
            self.width
        } else {
            self.width.min(110)
        }
    }

    /// Rows of a dialog of `rows` rows with its title line, if it has the place of the frame of a decision: the graph stays
    /// visible above it. None for a longer one, and on a screen without room for both: it has the whole body.
    pub fn docked(&self, rows: usize) -> Option<u16> {
        let height = u16::try_from(rows.saturating_add(1))
            .unwrap_or(u16::MAX)
            .max(FRAME);
        let fits = height <= self.most_of_frame() && self.places.body.height >= height + GRAPH;
        (self.docks && fits && self.width >= 40 && self.places.body.height >= BOTH).then_some(height)
    }

    /// True if the panes have room above some rows at the bottom.
    pub const fn has_room_above(&self, rows: u16) -> bool {
        self.width >= 40 && self.places.body.height >= BOTH && self.places.body.height >= rows + GRAPH
    }

    /// Area of a dialog of `rows` rows, including its title line.
    pub fn dialog(&self, rows: usize) -> Rect {
        let body = self.places.body;
        let width = self.dialog_width();
        let height = u16::try_from(rows.saturating_add(1))
            .unwrap_or(u16::MAX)
            .clamp(2, body.height.max(2));
        if let Some(height) = self.docked(rows) {
            return Rect::new(body.x, body.bottom() - height, body.width, height);
        }
        Rect::new((self.width - width) / 2, body.y, width, height.min(body.height))
    }

    /// Areas of a dialog with a list of `rows` rows and `more` rows of details: the whole, the list, the details. On a wide
    /// screen they are next to each other.
    pub fn listing(&self, rows: usize, more: usize) -> (Rect, Rect, Rect) {
        if self.has_details_beside() && more > 0 {
            return self.listing_beside(rows, more);
        }
        let whole = self.dialog(rows + more + 1);
        let area = inside(whole);
        let requested = u16::try_from(rows).unwrap_or(u16::MAX);
        let most = if more == 0 {
            area.height
        } else {
            (area.height * 3 / 5).max(
                area.height
                    .saturating_sub(u16::try_from(more + 1).unwrap_or(u16::MAX)),
            )
        };
        let (list, rest) = arrange::split_rows(area, requested.min(most.max(1)).min(area.height));
        (whole, list, inside(rest))
    }

    fn listing_beside(&self, rows: usize, more: usize) -> (Rect, Rect, Rect) {
        let whole = Rect {
            x: 0,
            width: self.width,
            ..self.dialog(rows.max(more))
        };
        let area = inside(whole);
        let left = self.list_width();
        let list = Rect { width: left, ..area };
        let details = Rect {
            x: area.x + left + 1,
            width: area.width - left - 1,
            ..area
        };
        (whole, list, details)
    }

    /// Rows of a dialog with a list and its details, without its title line.
    pub fn listing_rows(&self, rows: usize, more: usize) -> usize {
        if self.has_details_beside() && more > 0 {
            rows.max(more)
        } else {
            rows + more + 1
        }
    }

    /// The border at a place of the screen: a title line below a pane.
    pub fn border_at(&self, x: u16, y: u16) -> Option<Border> {
        let places = &self.places;
        let title = |area: Option<Rect>| {
            area.is_some_and(|area| {
                area.y == y && area.y > places.body.y && area.left() <= x && x < area.right()
            })
        };
        if title(places.lower) {
            return Some(Border::Lower);
        }
        places.graph?;
        if title(places.queue) {
            return Some(Border::Graph);
        }
        let above = match places.queue {
            Some(queue) if queue.height > 1 => Border::Queue,
            _ => Border::Graph,
        };
        title(places.inspector).then_some(above)
    }

    /// Moves a border to a place of the screen; the layout keeps every pane usable.
    pub fn move_border(&mut self, border: Border, y: u16) {
        let places = self.places;
        let below = |area: Option<Rect>| area.map_or(0, |area| y.saturating_sub(area.y)).max(1);
        match border {
            Border::Graph => self.sizes.graph = Some(below(places.graph)),
            Border::Queue => self.sizes.queue = Some(below(places.queue)),
            Border::Lower => self.sizes.lower = Some(places.body.bottom().saturating_sub(y).max(1)),
        }
    }

    /// The pane at a place of the screen.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        let here = |pane: Pane| {
            let area = self.places.of(pane);
            area.is_some_and(|area| area.contains(ratatui::layout::Position { x, y }))
        };
        self.panes().find(|pane| here(*pane))
    }

    /// The line of the bar of a recorded run.
    pub fn bar_line(&self) -> Rect {
        let bar = self.places.bar.unwrap_or_default();
        Rect {
            x: bar.x + 1.min(bar.width),
            width: bar.width.saturating_sub(2),
            height: bar.height.min(1),
            ..bar
        }
    }

    /// Computes the areas of the panes.
    pub fn arrange(&mut self, wants: Wants) {
        self.places = arrange::places(self, wants);
    }

    /// The most rows of the frame of a decision.
    pub const fn most_of_frame(&self) -> u16 {
        self.height * 3 / 5
    }
}

impl Places {
    /// Area of a pane.
    pub fn of(&self, pane: Pane) -> Option<Rect> {
        *arrange::slot(&mut self.clone(), pane.place())
    }
}

/// The rows of a pane below its title line.
pub fn inside(area: Rect) -> Rect {
    Rect {
        y: area.y.saturating_add(1).min(area.bottom()),
        height: area.height.saturating_sub(1),
        ..area
    }
}
