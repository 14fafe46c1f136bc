//! Colours, their nearest match on terminals with fewer colours, and contrast.
//!
//! Must not know: roles, files.

use std::sync::LazyLock;

use ratatui::style::Color;

use super::Colours;

/// A colour as a theme names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// Index among the sixteen.
    pub basic: u8,
}

/// The sixteen by index.
pub(crate) const BASIC: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// Common appearance of the sixteen.
pub(crate) const COMMON: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// A colour as sent to the terminal, and as displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalColour {
    /// The colour for the terminal.
    pub color: Color,
    /// Red, green, blue.
    pub rgb: [u8; 3],
}

impl TerminalColour {
    /// One of the sixteen.
    pub(crate) fn basic(place: u8) -> Self {
        Self {
            color: basic(place),
            rgb: COMMON.get(usize::from(place)).copied().unwrap_or([255; 3]),
        }
    }

    /// The terminal's own background, of this colour.
    pub(crate) const fn background(rgb: [u8; 3]) -> Self {
        Self {
            color: Color::Reset,
            rgb,
        }
    }

    /// A colour on a terminal with this number of colours; none without colours. The sent colour is
    /// the one that was checked: a terminal's own palette is used only if it has no other.
    pub(crate) fn of(rgb: [u8; 3], colours: Colours) -> Option<Self> {
        let [red, green, blue] = rgb;
        match colours {
            Colours::None => None,
            Colours::Basic => {
                let place = (0..16_u8).min_by_key(|place| distance(rgb, Self::basic(*place).rgb))?;
                Some(Self::basic(place))
            }
            Colours::Indexed => {
                let index = nearest(rgb);
                Some(Self {
                    color: Color::Indexed(index),
                    rgb: fixed(index),
                })
            }
            Colours::True => Some(Self {
                color: Color::Rgb(red, green, blue),
                rgb,
            }),
        }
    }

    /// A colour of a theme's style; none for the terminal's default.
    pub(crate) fn seen(color: Color) -> Option<Self> {
        let rgb = match color {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(index) => indexed(index),
            color => return (0..16).map(Self::basic).find(|drawn| drawn.color == color),
        };
        Some(Self { color, rgb })
    }
}

/// Appearance of one of the 256.
pub(crate) fn indexed(index: u8) -> [u8; 3] {
    COMMON
        .get(usize::from(index))
        .copied()
        .unwrap_or_else(|| fixed(index))
}

impl Paint {
    /// The colour for a terminal with this number of colours; none for its default.
    pub(crate) fn on(self, colours: Colours) -> Option<Color> {
        let [red, green, blue] = self.rgb;
        match colours {
            Colours::None => None,
            Colours::Basic => Some(basic(self.basic)),
            Colours::Indexed => Some(Color::Indexed(nearest(self.rgb))),
            Colours::True => Some(Color::Rgb(red, green, blue)),
        }
    }
}

const fn basic(place: u8) -> Color {
    match place {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        8 => Color::DarkGray,
        9 => Color::LightRed,
        10 => Color::LightGreen,
        11 => Color::LightYellow,
        12 => Color::LightBlue,
        13 => Color::LightMagenta,
        14 => Color::LightCyan,
        _ => Color::White,
    }
}

/// The steps of the colour cube among the 256.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the 240 of the 256 that look the same everywhere; the first of several.
pub(crate) fn nearest(rgb: [u8; 3]) -> u8 {
    // Distances add up per channel, so the nearest colour of the cube has the nearest step in each
    // channel.
    let step = |part: u8| {
        let far = |at: &u8| STEPS.get(usize::from(*at)).map_or(0, |step| step.abs_diff(part));
        (0..6_u8).min_by_key(far).unwrap_or(0)
    };
    let [red, green, blue] = rgb.map(step);
    std::iter::once(16 + 36 * red + 6 * green + blue)
        .chain(232..=255)
        .min_by_key(|index| distance(rgb, fixed(*index)))
        .unwrap_or(16)
}

/// A colour of the cube or the grey ramp.
pub(crate) fn fixed(index: u8) -> [u8; 3] {
    if index >= 232 {
        let level = 8 + 10 * (index - 232);
        return [level; 3];
    }
    let cube = index.saturating_sub(16);
    let step = |place: u8| STEPS.get(usize::from(place % 6)).copied().unwrap_or(0);
    [step(cube / 36), step(cube / 6), step(cube)]
}

pub(crate) fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    // Weighted, as eyes distinguish greens better than reds and blues.
    one.iter()
        .zip(other)
        .zip([3, 6, 2])
        .map(|((one, other), weight)| {
            let step = u32::from(one.abs_diff(other));
            step * step * weight
        })
        .sum()
}

/// Contrast between two colours as WCAG 2 defines it: 1 is none, 21 is black on white.
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Linear light of each of the 256 steps of a channel. A page of output has thousands to compare.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let part = part as f64 / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    })
});

fn luminance(rgb: [u8; 3]) -> f64 {
    rgb.iter()
        .zip([0.2126, 0.7152, 0.0722])
        .map(|(part, weight)| LINEAR.get(usize::from(*part)).copied().unwrap_or(0.0) * weight)
        .sum()
}
