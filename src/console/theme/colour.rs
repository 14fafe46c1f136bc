//! Colours, what is left of them on lesser terminals, and the contrast between two.
//!
//! Must not know: roles, files.

use ratatui::style::Color;

use super::Colours;

/// A colour as a theme names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint {
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// Place among the sixteen.
    pub basic: u8,
}

/// The sixteen, by their place.
pub(super) const BASIC: [&str; 16] = [
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

impl Paint {
    /// What a terminal of so many colours is told; none where it is told nothing.
    pub(super) fn on(self, colours: Colours) -> Option<Color> {
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

/// The nearest of the 240 of the 256 whose looks are the same everywhere.
fn nearest(rgb: [u8; 3]) -> u8 {
    (16..=255_u8)
        .min_by_key(|index| distance(rgb, fixed(*index)))
        .unwrap_or(16)
}

/// A colour of the cube or the grey ramp.
pub(super) fn fixed(index: u8) -> [u8; 3] {
    if index >= 232 {
        let level = 8 + 10 * (index - 232);
        return [level; 3];
    }
    let cube = index.saturating_sub(16);
    let step = |place: u8| STEPS.get(usize::from(place % 6)).copied().unwrap_or(0);
    [step(cube / 36), step(cube / 6), step(cube)]
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    // Weighted, as eyes tell greens apart better than reds and blues.
    one.iter()
        .zip(other)
        .zip([3, 6, 2])
        .map(|((one, other), weight)| {
            let step = u32::from(one.abs_diff(other));
            step * step * weight
        })
        .sum()
}

/// Contrast between two colours by the measure of WCAG 2: 1 is none, 21 is black on white.
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(rgb: [u8; 3]) -> f64 {
    rgb.iter()
        .zip([0.2126, 0.7152, 0.0722])
        .map(|(part, weight)| {
            let part = f64::from(*part) / 255.0;
            let linear = if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            };
            linear * weight
        })
        .sum()
}
