//! Size of the screen, focus, and where the panes stand.
//!
//! Pure geometry of the four panes between header and status line. Must not know: what is in a pane.

use ratatui::layout::Rect;

/// Smallest screen on which something can be decided.
pub const DECIDABLE: (u16, u16) = (40, 10);

/// A pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The graph.
    Graph,
    /// The queue.
    Queue,
    /// The inspector.
    Inspector,
    /// The log.
    Log,
}

/// Where the panes stand. A pane without a place is not on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places {
    /// The line at the top.
    pub header: Rect,
    /// A line below it that cannot be overlooked.
    pub banner: Option<Rect>,
    /// The graph.
    pub graph: Option<Rect>,
    /// The queue.
    pub queue: Option<Rect>,
    /// The inspector.
    pub inspector: Option<Rect>,
    /// The log.
    pub log: Option<Rect>,
    /// The lines at the bottom.
    pub status: Rect,
    /// What is between header and status line.
    pub body: Rect,
}

/// Size, focus, places.
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
    /// The focused pane alone.
    pub zoom: bool,
    /// The log is shown.
    pub log: bool,
    /// What is on top takes the whole width.
    pub broad: bool,
    /// Where everything stands now.
    pub places: Places,
}

impl Screen {
    /// A screen of this size.
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            width,
            height,
            focus: Pane::Graph,
            lead: Pane::Graph,
            zoom: false,
            log: false,
            broad: false,
            places: Places::default(),
        }
    }

    /// True where there is room to decide something.
    pub fn can_decide(&self) -> bool {
        self.width >= DECIDABLE.0 && self.height >= DECIDABLE.1
    }

    /// Puts the focus on a pane.
    pub fn focus(&mut self, pane: Pane) {
        self.focus = pane;
        match pane {
            Pane::Graph | Pane::Queue => self.lead = pane,
            Pane::Log => self.log = true,
            Pane::Inspector => {}
        }
    }

    /// The pane after the focused one, or before it.
    pub fn neighbour(&self, back: bool) -> Pane {
        let mut order = vec![Pane::Graph, Pane::Queue, Pane::Inspector];
        if self.log {
            order.push(Pane::Log);
        }
        let at = order.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let step = if back { order.len() - 1 } else { 1 };
        order
            .get((at + step) % order.len())
            .copied()
            .unwrap_or(Pane::Graph)
    }

    /// Columns of what is on top.
    pub fn overlay_width(&self) -> u16 {
        if self.broad {
            self.width
        } else {
            self.width.min(110)
        }
    }

    /// Where something of so many rows stands on top, its title line included.
    pub fn overlay(&self, rows: usize) -> Rect {
        let body = self.places.body;
        let width = self.overlay_width();
        let height = u16::try_from(rows.saturating_add(1))
            .unwrap_or(u16::MAX)
            .clamp(2, body.height.max(2));
        Rect::new((self.width - width) / 2, body.y, width, height.min(body.height))
    }

    /// Where a list of so many rows stands with more about one of them below: all of it, the rows of
    /// the list, those of the rest.
    pub fn listing(&self, rows: usize, more: usize) -> (Rect, Rect, Rect) {
        let whole = self.overlay(rows + more + 1);
        let area = inside(whole);
        let wanted = u16::try_from(rows).unwrap_or(u16::MAX);
        let most = if more == 0 {
            area.height
        } else {
            (area.height * 3 / 5).max(
                area.height
                    .saturating_sub(u16::try_from(more + 1).unwrap_or(u16::MAX)),
            )
        };
        let (list, rest) = split_rows(area, wanted.min(most.max(1)).min(area.height));
        (whole, list, inside(rest))
    }

    /// Works out where everything stands; `queued` rows want to be seen in the queue.
    pub fn arrange(&mut self, queued: usize, banner: bool) {
        self.places = places(self, queued, banner);
    }
}

fn places(screen: &Screen, queued: usize, banner: bool) -> Places {
    let (width, height) = (screen.width, screen.height);
    let row = |y: u16, rows: u16| Rect::new(0, y.min(height), width, rows.min(height.saturating_sub(y)));
    let header = row(0, 1);
    let status_rows = if height >= 20 { 2 } else { 1 };
    let status = row(height.saturating_sub(status_rows).max(1), status_rows);
    let top = if banner && height >= 5 { 2 } else { 1 };
    let body = row(top, height.saturating_sub(top + status_rows));
    let mut out = Places {
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
        *slot(&mut out, screen.focus) = Some(body);
        return out;
    }
    let mut rest = body;
    if screen.log && rest.height >= 16 {
        let log = if screen.focus == Pane::Log {
            rest.height / 2
        } else {
            (rest.height / 4).max(4)
        };
        let (upper, lower) = split_rows(rest, rest.height - log);
        out.log = Some(lower);
        rest = upper;
    } else if screen.focus == Pane::Log {
        out.log = Some(rest);
        return out;
    }
    let queue_rows = |most: u16| (queued as u16).saturating_add(1).clamp(2, most);
    if width >= 100 {
        let left = width * 9 / 20;
        let (graph, right) = split_columns(rest, left);
        // A blank column keeps the words of the panes apart.
        let graph = Rect {
            width: graph.width - 1,
            ..graph
        };
        let (queue, inspector) = split_rows(right, queue_rows((rest.height / 3).max(3)));
        out.graph = Some(graph);
        out.queue = Some(queue);
        out.inspector = Some(inspector);
    } else if rest.height >= 14 {
        let graph = match screen.focus {
            Pane::Graph => rest.height / 2,
            _ => (rest.height * 3 / 10).max(4),
        };
        let (graph, lower) = split_rows(rest, graph);
        let (queue, inspector) = split_rows(lower, queue_rows((rest.height / 5).max(3)));
        out.graph = Some(graph);
        out.queue = Some(queue);
        out.inspector = Some(inspector);
    } else if screen.focus == Pane::Graph {
        out.graph = Some(rest);
    } else {
        let (queue, inspector) = split_rows(rest, queue_rows(3));
        out.queue = Some(queue);
        out.inspector = Some(inspector);
    }
    out
}

fn slot(places: &mut Places, pane: Pane) -> &mut Option<Rect> {
    match pane {
        Pane::Graph => &mut places.graph,
        Pane::Queue => &mut places.queue,
        Pane::Inspector => &mut places.inspector,
        Pane::Log => &mut places.log,
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

fn split_columns(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    (
        Rect { width: left, ..area },
        Rect {
            x: area.x + left,
            width: area.width - left,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn panes_never_overlap_or_leave_the_screen(
            width in 0u16..300, height in 0u16..120, queued in 0usize..50, banner: bool, zoom: bool, log: bool, pane in 0usize..4,
        ) {
            let mut screen = Screen::new(width, height);
            screen.zoom = zoom;
            screen.log = log;
            let focus = [Pane::Graph, Pane::Queue, Pane::Inspector, Pane::Log];
            screen.focus(focus[pane]);
            screen.arrange(queued, banner);
            let places = screen.places;
            let areas: Vec<Rect> = [places.graph, places.queue, places.inspector, places.log, places.banner]
                .into_iter().flatten().chain([places.header, places.status]).filter(|area| !area.is_empty()).collect();
            for (at, area) in areas.iter().enumerate() {
                prop_assert!(area.right() <= width && area.bottom() <= height, "{area:?}");
                for other in &areas[at + 1..] {
                    prop_assert!(area.intersection(*other).is_empty(), "{area:?} {other:?}");
                }
            }
            if height >= 4 && width > 0 {
                let shown = match screen.focus {
                    Pane::Graph => places.graph,
                    Pane::Queue => places.queue,
                    Pane::Inspector => places.inspector,
                    Pane::Log => places.log,
                };
                prop_assert!(shown.is_some(), "the focused pane is on screen");
            }
        }
    }
}
