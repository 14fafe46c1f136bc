//! Places a few nodes as boxes in layers, with lines between neighbouring layers.
//!
//! Must not know: ratatui, colours, what a box represents.
//!
//! Layers are given, and boxes of a layer keep their order, so that a new box moves no other.
//! Children with the same parents share one line (a net). A relation that cannot be drawn
//! unambiguously is named in the box instead.

pub(crate) mod nets;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod window;

use super::gutter::Cell;
use nets::{Channel, channel};

/// Direction of the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Flow {
    /// Downwards.
    #[default]
    Down,
    /// To the right.
    Right,
}

/// A node to be placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<K> {
    /// Its key.
    pub key: K,
    /// Its layer, from 0.
    pub layer: usize,
    /// The nodes that it depends on.
    pub parents: Vec<K>,
}

/// Size of boxes and gaps, in columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns of a box, at least; one row high.
    pub width: usize,
    /// Columns that the boxes of a layer downwards share: they are wider where there is room.
    pub room: usize,
    /// Columns between two boxes of a layer downwards.
    pub gap: usize,
    /// Rows from one box of a layer to the next to the right.
    pub pitch: usize,
}

/// The columns of a map downwards: cells of one width. A box starts in a cell and can be several cells wide, so that
/// the lines of all layers are in the same columns.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// Cells next to each other in the room; 0 without a room.
    cells: usize,
    size: Size,
}

impl Grid {
    /// The grid for layers of at most `slots` boxes.
    fn new(slots: usize, size: Size) -> Self {
        let pitch = (size.room + size.gap) / slots.max(1);
        // Half cells let two boxes share the columns of three.
        let halves = slots % 2 == 1 && slots > 1 && pitch / 2 >= LEAST_CELL && pitch - size.gap >= size.width;
        let width = if halves {
            pitch / 2 - size.gap
        } else {
            pitch.saturating_sub(size.gap).max(size.width)
        };
        Self {
            cells: (size.room + size.gap) / (width + size.gap),
            size: Size { width, ..size },
        }
    }

    /// Cells from one box of a layer to the next.
    fn stride(self, boxes: usize) -> usize {
        (self.cells / boxes.max(1)).max(1)
    }

    /// Columns of a box of a layer; the last one takes what is left.
    fn wide(self, slot: usize, boxes: usize) -> usize {
        let stride = self.stride(boxes);
        let cells = if slot + 1 == boxes {
            self.cells.saturating_sub(slot * stride).max(1)
        } else {
            stride
        };
        cells * (self.size.width + self.size.gap) - self.size.gap
    }
}

/// A placed box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeBox<K> {
    /// Key of the node.
    pub key: K,
    /// Its layer.
    pub layer: usize,
    /// Its place in the layer.
    pub slot: usize,
    /// Its first column.
    pub x: usize,
    /// Its row.
    pub y: usize,
    /// Its columns.
    pub width: usize,
    /// The nodes that it depends on.
    pub parents: Vec<K>,
    /// Parents without a line. The box names them.
    pub chips: Vec<K>,
}

/// The drawing: boxes, and the cells of lines between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet<K> {
    /// The boxes, by layer and slot.
    pub boxes: Vec<NodeBox<K>>,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Direction of the layers.
    pub flow: Flow,
    cells: Vec<Cell>,
}

impl<K> Default for Sheet<K> {
    fn default() -> Self {
        Self {
            boxes: Vec::new(),
            width: 0,
            height: 0,
            flow: Flow::Down,
            cells: Vec::new(),
        }
    }
}

/// Fewest columns of a cell of the grid with its gap: the lines of a box leave it in its first cell.
const LEAST_CELL: usize = 8;
/// Column of a box at which its first line leaves below and a line enters above.
const ANCHOR: usize = 1;

impl<K: Copy + Ord> Sheet<K> {
    /// Places nodes and draws the lines between them.
    pub fn new(nodes: &[Node<K>], flow: Flow, size: Size) -> Self {
        let mut layers: Vec<Vec<&Node<K>>> = Vec::new();
        for node in nodes {
            if layers.len() <= node.layer {
                layers.resize_with(node.layer + 1, Vec::new);
            }
            if let Some(layer) = layers.get_mut(node.layer) {
                layer.push(node);
            }
        }
        let slots = layers.iter().map(Vec::len).max().unwrap_or(0);
        let grid = match flow {
            Flow::Down => Grid::new(slots, size),
            Flow::Right => Grid { cells: 0, size },
        };
        let size = grid.size;
        let exits = match flow {
            Flow::Down => (size.width.saturating_sub(ANCHOR + 1) / 2).max(1),
            Flow::Right => 1,
        };
        let channels: Vec<Channel<K>> = (0..layers.len())
            .map(|at| {
                let above = at.checked_sub(1).and_then(|above| layers.get(above));
                let above = above.map_or(&[][..], Vec::as_slice);
                let below = layers.get(at).map_or(&[][..], Vec::as_slice);
                let strides = [above, below].map(|layer| grid.stride(layer.len()));
                channel(above, below, (exits, strides))
            })
            .collect();
        let mut sheet = Self {
            flow,
            ..Self::default()
        };
        let mut edge = 0;
        let mut starts = Vec::new();
        for (at, channel) in channels.iter().enumerate() {
            if at > 0 {
                edge += match flow {
                    Flow::Down => channel.tracks.max(1),
                    // A stroke on both sides separates lines from boxes.
                    Flow::Right => channel.tracks.max(1) + 2,
                };
            }
            starts.push(edge);
            edge += match flow {
                Flow::Down => 1,
                Flow::Right => size.width,
            };
        }
        (sheet.width, sheet.height) = match flow {
            Flow::Down => (slots.max(grid.cells) * (size.width + size.gap), edge),
            Flow::Right => (edge, slots * size.pitch),
        };
        sheet.cells = vec![Cell::default(); sheet.width * sheet.height];
        for (layer, nodes) in layers.iter().enumerate() {
            let start = starts.get(layer).copied().unwrap_or(0);
            for (slot, node) in nodes.iter().enumerate() {
                let (x, y) = match flow {
                    Flow::Down => (grid.stride(nodes.len()) * slot * (size.width + size.gap), start),
                    Flow::Right => (start, slot * size.pitch),
                };
                let width = match flow {
                    Flow::Down => grid.wide(slot, nodes.len()),
                    Flow::Right => size.width,
                };
                let chips = channels.get(layer).and_then(|channel| channel.chips.get(slot));
                sheet.boxes.push(NodeBox {
                    key: node.key,
                    layer,
                    slot,
                    x,
                    y,
                    width,
                    parents: node.parents.clone(),
                    chips: chips.cloned().unwrap_or_default(),
                });
            }
        }
        for (at, channel) in channels.iter().enumerate().skip(1) {
            let end = starts.get(at).copied().unwrap_or(0);
            sheet.draw(channel, end, size);
        }
        sheet
    }

    /// The cell at a place, blank outside.
    pub fn cell(&self, x: usize, y: usize) -> Cell {
        if x >= self.width {
            return Cell::default();
        }
        self.cells.get(y * self.width + x).copied().unwrap_or_default()
    }

    /// The box of a node.
    pub fn find(&self, key: K) -> Option<&NodeBox<K>> {
        self.boxes.iter().find(|one| one.key == key)
    }

    /// The next box from this one: `layers` layers further, or `slots` slots.
    pub fn step(&self, key: K, layers: isize, slots: isize) -> Option<&NodeBox<K>> {
        let here = self.find(key)?;
        let layer = here.layer.checked_add_signed(layers)?;
        let slot = here.slot.checked_add_signed(slots)?;
        let mut others = self.boxes.iter().filter(|one| one.layer == layer);
        if slots == 0 {
            others.min_by_key(|one| one.slot.abs_diff(slot))
        } else {
            others.find(|one| one.slot == slot)
        }
    }

    /// Position across the layers where the line of an exit leaves a box. The first exit is also
    /// the entry.
    fn across(&self, slot: usize, exit: usize, size: Size) -> usize {
        match self.flow {
            Flow::Down => slot * (size.width + size.gap) + ANCHOR + exit * 2,
            Flow::Right => slot * size.pitch,
        }
    }

    /// Draws the lines into the layer that begins at `end`.
    fn draw(&mut self, channel: &Channel<K>, end: usize, size: Size) {
        let (begin, first) = match self.flow {
            Flow::Down => (end - channel.tracks.max(1), end - channel.tracks.max(1)),
            Flow::Right => (end - channel.tracks.max(1) - 2, end - channel.tracks.max(1) - 1),
        };
        let along = |track: usize| first + track;
        // Lines out of boxes and into them. They pass over the tracks of other nets.
        let mut runs = std::collections::BTreeSet::new();
        for net in &channel.nets {
            for (slot, exit) in &net.from {
                let across = self.across(*slot, *exit, size);
                for at in begin..=along(net.track) {
                    let on = at < along(net.track);
                    self.mark(at, across, Side::Before);
                    if on {
                        self.mark(at, across, Side::After);
                        runs.insert((at, across));
                    }
                }
            }
            for slot in &net.to {
                let across = self.across(*slot, 0, size);
                for at in along(net.track)..end {
                    self.mark(at, across, Side::After);
                    if at > along(net.track) {
                        self.mark(at, across, Side::Before);
                        runs.insert((at, across));
                    }
                }
            }
        }
        for net in &channel.nets {
            let from = net
                .from
                .iter()
                .map(|(slot, exit)| self.across(*slot, *exit, size));
            let to = net.to.iter().map(|slot| self.across(*slot, 0, size));
            let mut all: Vec<usize> = from.chain(to).collect();
            all.sort_unstable();
            let (Some(low), Some(high)) = (all.first().copied(), all.last().copied()) else {
                continue;
            };
            for across in low..=high {
                if runs.contains(&(along(net.track), across)) {
                    continue;
                }
                if across > low {
                    self.mark(along(net.track), across, Side::Low);
                }
                if across < high {
                    self.mark(along(net.track), across, Side::High);
                }
            }
        }
    }

    fn mark(&mut self, along: usize, across: usize, side: Side) {
        let (x, y, bit) = match self.flow {
            Flow::Down => (across, along, side.down()),
            Flow::Right => (along, across, side.right()),
        };
        if x < self.width
            && let Some(cell) = self.cells.get_mut(y * self.width + x)
        {
            cell.0 |= bit;
        }
    }
}

/// A side of a cell in the direction of the layers.
#[derive(Debug, Clone, Copy)]
enum Side {
    Before,
    After,
    Low,
    High,
}

impl Side {
    const fn down(self) -> u16 {
        match self {
            Self::Before => Cell::UP,
            Self::After => Cell::DOWN,
            Self::Low => Cell::LEFT,
            Self::High => Cell::RIGHT,
        }
    }

    const fn right(self) -> u16 {
        match self {
            Self::Before => Cell::LEFT,
            Self::After => Cell::RIGHT,
            Self::Low => Cell::UP,
            Self::High => Cell::DOWN,
        }
    }
}
