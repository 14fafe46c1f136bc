//! Size of the screen, focus, and the areas of the panes.
//!
//! Must not know: what is in a pane.
//!
//! One arrangement at every size: the graph, then what is looked at. The panes at the bottom share one area: one of them is
//! shown at a time.

#[cfg(test)]
pub(crate) mod tests;

use ratatui::layout::Rect;

use crate::kernel::pane::{Pane, Place};

/// Fewest rows of a screen with a bar and words below it, and with a bar alone.
const LOW_BAR: u16 = 16;
const LOWEST_BAR: u16 = 10;
/// Smallest screen on which the operator can decide.
pub const DECIDABLE: (u16, u16) = (40, 10);
/// Fewest rows between header and status line for a graph above what is looked at.
const BOTH: u16 = 14;
/// Fewest rows of the graph above what is looked at.
const GRAPH: u16 = 6;
/// Fewest rows of the frame of a decision.
const FRAME: u16 = 3;
/// Fewest columns for the inspector at the right of a text, and the columns of that text.
const WIDE: u16 = 140;
const TEXT: u16 = 106;

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

    /// Areas of a dialog with a list of `rows` rows and `more` rows of details: the whole, the
    /// list, the details.
    pub fn listing(&self, rows: usize, more: usize) -> (Rect, Rect, Rect) {
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
        let (list, rest) = split_rows(area, requested.min(most.max(1)).min(area.height));
        (whole, list, inside(rest))
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
        self.places = places(self, wants);
    }

    /// The most rows of the frame of a decision.
    pub const fn most_of_frame(&self) -> u16 {
        self.height * 3 / 5
    }
}

/// A long message gets more rows only if no pane appears or disappears because of it.
fn places(screen: &Screen, wants: Wants) -> Places {
    let usual = laid_out(screen, wants, 0);
    let requested = screen.wordy.saturating_sub(usual.status.height);
    let shown = |places: &Places| {
        [places.graph, places.queue, places.inspector, places.lower].map(|area| area.is_some())
    };
    (1..=requested)
        .rev()
        .map(|further| laid_out(screen, wants, further))
        .find(|places| shown(places) == shown(&usual))
        .unwrap_or(usual)
}

/// Areas with `further` more rows than usual for the message on the status line.
fn laid_out(screen: &Screen, wants: Wants, further: u16) -> Places {
    let (width, height) = (screen.width, screen.height);
    let row = |y: u16, rows: u16| Rect::new(0, y.min(height), width, rows.min(height.saturating_sub(y)));
    let header = row(0, 1);
    let top = if wants.banner && height >= 5 { 2 } else { 1 };
    let status_rows = further + if height >= 20 { 2 } else { 1 };
    let status = row(height.saturating_sub(status_rows).max(1), status_rows);
    let bar_rows = match (screen.bar, height) {
        (true, LOW_BAR..) => 2,
        (true, LOWEST_BAR..) => 1,
        _ => 0,
    };
    let body = row(top, height.saturating_sub(top + status_rows + bar_rows));
    let mut out = Places {
        bar: (bar_rows > 0).then(|| row(body.bottom(), bar_rows)),
        header,
        banner: (top == 2).then(|| row(1, 1)),
        status,
        body,
        ..Places::default()
    };
    if body.is_empty() {
        return out;
    }
    if screen.zoom || width < 40 || body.height < 8 {
        *slot(&mut out, screen.focus.place()) = Some(body);
        open_frame(&mut out, wants);
        return out;
    }
    let mut rest = body;
    let sizes = &screen.sizes;
    if screen.lower.is_some() && rest.height >= 16 {
        let own = if screen.focus.place() == Place::Lower {
            rest.height / 2
        } else {
            (rest.height / 4).max(4)
        };
        let own = sizes.lower.unwrap_or(own).clamp(2, rest.height - 8);
        let (upper, lower) = split_rows(rest, rest.height - own);
        out.lower = Some(lower);
        rest = upper;
    } else if screen.focus.place() == Place::Lower {
        out.lower = Some(rest);
        return out;
    }
    stack_panes(screen, wants, rest, &mut out);
    open_frame(&mut out, wants);
    out
}

/// Puts the graph, the queue and what is looked at above each other.
fn stack_panes(screen: &Screen, wants: Wants, rest: Rect, out: &mut Places) {
    let (sizes, focus) = (&screen.sizes, screen.focus.place());
    if rest.height < BOTH && focus == Place::Graph {
        out.graph = Some(rest);
        return;
    }
    let is_read = wants.reads && wants.frame.is_none() && wants.dialog.is_none();
    if is_read && focus != Place::Queue {
        return stack_text(screen, rest, out);
    }
    let has_graph = rest.height >= BOTH;
    let queue = match wants.queue {
        _ if focus == Place::Queue => {
            let rows = u16::try_from(wants.queue.unwrap_or(0)).unwrap_or(u16::MAX);
            let most = if has_graph { rest.height / 4 } else { 3 };
            let own = rows.saturating_add(1).clamp(2, most.max(3));
            let room = rest
                .height
                .saturating_sub(if has_graph { GRAPH + FRAME } else { FRAME });
            sizes.queue.unwrap_or(own).clamp(2, room.max(2))
        }
        Some(_) => 1,
        None => 0,
    };
    let room = rest.height - queue;
    let below = if has_graph {
        let wanted = match wants.frame {
            Some(rows) => u16::try_from(rows).unwrap_or(u16::MAX),
            None if focus == Place::Inspector => u16::MAX,
            None => rest.height / 2,
        };
        if let Some(dialog) = wants.dialog {
            return stack_dialog(rest, dialog, out);
        }
        let usual = wanted.min(screen.most_of_frame()).min(room.saturating_sub(GRAPH));
        let by_graph = sizes.graph.map(|graph| room.saturating_sub(graph));
        by_graph.unwrap_or(usual).clamp(FRAME, room - FRAME)
    } else {
        room
    };
    let (upper, below) = split_rows(rest, rest.height - below);
    let (graph, line) = split_rows(upper, upper.height - queue);
    out.graph = has_graph.then_some(graph);
    out.queue = (queue > 0).then_some(line);
    out.inspector = Some(below);
}

/// A text alone; with the inspector at its right on a wide screen, or in its place while that has the focus.
fn stack_text(screen: &Screen, rest: Rect, out: &mut Places) {
    if screen.width >= WIDE {
        let right = rest.width - TEXT;
        out.graph = Some(Rect { width: TEXT, ..rest });
        out.inspector = Some(Rect {
            x: rest.x + TEXT,
            width: right,
            ..rest
        });
    } else if screen.focus.place() == Place::Inspector {
        out.inspector = Some(rest);
    } else {
        out.graph = Some(rest);
    }
}

/// The graph above a dialog.
fn stack_dialog(rest: Rect, dialog: u16, out: &mut Places) {
    let (graph, below) = split_rows(rest, rest.height - dialog.min(rest.height));
    (out.graph, out.inspector) = (Some(graph), Some(below));
}

/// Takes the last row of what is looked at for the lower edge of a frame.
fn open_frame(out: &mut Places, wants: Wants) {
    let Some(area) = out
        .inspector
        .filter(|area| wants.frame.is_some() && area.height >= FRAME)
    else {
        return;
    };
    let (area, edge) = split_rows(area, area.height - 1);
    (out.inspector, out.edge) = (Some(area), Some(edge));
}

fn slot(places: &mut Places, place: Place) -> &mut Option<Rect> {
    match place {
        Place::Graph => &mut places.graph,
        Place::Queue => &mut places.queue,
        Place::Inspector => &mut places.inspector,
        Place::Lower => &mut places.lower,
    }
}

impl Places {
    /// Area of a pane.
    pub fn of(&self, pane: Pane) -> Option<Rect> {
        *slot(&mut self.clone(), pane.place())
    }
}

fn split_rows(area: Rect, upper: u16) -> (Rect, Rect) {
    let upper = upper.min(area.height);
    (
        Rect {
            height: upper,
            ..area
        },
        Rect {
            y: area.y + upper,
            height: area.height - upper,
            ..area
        },
    )
}

/// The rows of a pane below its title line.
pub fn inside(area: Rect) -> Rect {
    Rect {
        y: area.y.saturating_add(1).min(area.bottom()),
        height: area.height.saturating_sub(1),
        ..area
    }
}
