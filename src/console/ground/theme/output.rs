//! Shows colours of tool output where they are readable and differ from those of decisions.
//!
//! Must not know: how the output requests colours.

use ratatui::style::{Modifier, Style};

use super::colour::{TerminalColour, contrast, distance, indexed};
use super::{Colours, Look, Role};
use crate::ground::sgr::{Sgr, Tone};

/// Minimum contrast. Below it, requested colours are ignored.
const FLOOR: f64 = 1.5;
/// Minimum [`distance`] to a colour of a decision.
const NEAR: u32 = 3000;
/// Reserved roles.
const RESERVED: [Role; 2] = [Role::Decision, Role::DecisionKey];
/// Possible extremes of an unknown background.
const EXTREMES: [[u8; 3]; 2] = [[0; 3], [255; 3]];

/// Foreground and background; none for the terminal's own colour, which is unknown.
type Pair = [Option<TerminalColour>; 2];

impl Look {
    /// The style of characters that tool output requests; patch it over the text of the screen.
    pub fn output(&self, sgr: Sgr) -> Style {
        if !self.is_coloured() {
            return self.free(Style::new().add_modifier(weight(sgr)));
        }
        let mut more = weight(sgr);
        more.set(Modifier::ITALIC, sgr.italic);
        more.set(Modifier::CROSSED_OUT, sgr.strike);
        let style = Style::new().add_modifier(more);
        if (sgr.fg, sgr.bg, sgr.reverse, sgr.faint) == (Tone::Own, Tone::Own, false, false) {
            return self.free(style);
        }
        let background_set = sgr.bg != Tone::Own || sgr.reverse;
        let Some(mut pair) = self.legible(self.asked(sgr)) else {
            return Style::new();
        };
        if self.is_reserved(pair, background_set, sgr.bold) && self.palette.colours == Colours::Basic {
            // The sixteen colours have a bright and a dark one of each kind.
            pair[0] = pair[0].map(twin);
        }
        match self.legible(pair) {
            Some([fg, bg]) if !self.is_reserved([fg, bg], background_set, sgr.bold) => self.free(Style {
                fg: fg.map(|fg| fg.color),
                bg: bg.map(|bg| bg.color),
                ..style
            }),
            _ => Style::new(),
        }
    }

    /// True if the look has any colour.
    fn is_coloured(&self) -> bool {
        let mut styles = self.styles.iter();
        self.palette.colours != Colours::None && styles.any(|style| style.fg.is_some() || style.bg.is_some())
    }

    /// The requested colours, or those of the screen.
    fn asked(&self, sgr: Sgr) -> Pair {
        let own = self.pair(Role::Text);
        let [mut fg, mut bg] = [(sgr.fg, own[0]), (sgr.bg, own[1])].map(|(tone, own)| match tone {
            Tone::Own => own,
            Tone::Index(place) if place < 16 && self.palette.colours == Colours::Basic => {
                Some(TerminalColour::basic(place))
            }
            Tone::Index(index) => TerminalColour::of(indexed(index), self.palette.colours),
            Tone::Rgb(rgb) => TerminalColour::of(rgb, self.palette.colours),
        });
        if sgr.reverse {
            (fg, bg) = (bg, fg);
        }
        // A faint colour is the mean of the two. The sixteen colours have none in between.
        if let (true, Some(one), Some(other)) = (sgr.faint && self.palette.colours != Colours::Basic, fg, bg)
        {
            let mean = |at: usize| {
                let part = |rgb: [u8; 3]| u16::from(rgb.get(at).copied().unwrap_or(0));
                ((part(one.rgb) * 2 + part(other.rgb)) / 3) as u8
            };
            fg = TerminalColour::of([mean(0), mean(1), mean(2)], self.palette.colours);
        }
        [fg, bg]
    }

    /// A readable pair of colours. An unknown colour of it is chosen.
    fn legible(&self, [fg, bg]: Pair) -> Option<Pair> {
        match (fg, bg) {
            (Some(one), Some(other)) if contrast(one.rgb, other.rgb) >= FLOOR => Some([fg, bg]),
            // On an unknown background it must be readable in both extremes.
            (Some(one), None)
                if EXTREMES
                    .iter()
                    .all(|background| contrast(one.rgb, *background) >= FLOOR) =>
            {
                Some([fg, bg])
            }
            (None, Some(bg)) => {
                let far = |one: &[u8; 3], other: &[u8; 3]| {
                    contrast(*one, bg.rgb).total_cmp(&contrast(*other, bg.rgb))
                };
                let ink = EXTREMES.into_iter().max_by(far)?;
                Some([TerminalColour::of(ink, self.palette.colours), Some(bg)])
            }
            _ => None,
        }
    }

    /// True for the colours of decisions: their pair, and their background unless it is that of the
    /// screen.
    fn is_reserved(&self, [fg, bg]: Pair, background_set: bool, bold: bool) -> bool {
        let near = |one: Option<TerminalColour>, other: Option<TerminalColour>| match (one, other) {
            (Some(one), Some(other)) => distance(one.rgb, other.rgb) < NEAR,
            (one, other) => one == other,
        };
        let own = self.pair(Role::Text)[1];
        // Many terminals with sixteen colours show bold text in the brighter colour of its kind.
        let brighter = fg
            .filter(|_| bold && self.palette.colours == Colours::Basic)
            .map(twin);
        RESERVED.into_iter().any(|role| {
            let [ink, background] = self.pair(role);
            let is_ink = near(fg, ink) || (brighter.is_some() && near(brighter, ink));
            let whole = is_ink && near(bg, background);
            whole || (background_set && background != own && near(bg, background))
        })
    }

    /// The colours of a role.
    fn pair(&self, role: Role) -> Pair {
        let style = self.full(role);
        let [fg, bg] = [style.fg, style.bg].map(|color| color.and_then(TerminalColour::seen));
        let terminal = self.palette.background.filter(|_| style.bg.is_none());
        [fg, bg.or_else(|| terminal.map(TerminalColour::background))]
    }

    /// A style, or none if it would equal that of a decision.
    fn free(&self, style: Style) -> Style {
        let whole = self.style(Role::Text).patch(style);
        if RESERVED.into_iter().any(|role| self.full(role) == whole) {
            return Style::new();
        }
        style
    }
}

/// The attributes that every terminal shows, whatever its colours.
fn weight(sgr: Sgr) -> Modifier {
    let mut weight = Modifier::empty();
    weight.set(Modifier::BOLD, sgr.bold);
    weight.set(Modifier::UNDERLINED, sgr.underline);
    weight
}

/// The brighter or darker twin among the sixteen.
fn twin(drawn: TerminalColour) -> TerminalColour {
    let place = (0..16).find(|place| TerminalColour::basic(*place) == drawn);
    place.map_or(drawn, |place| TerminalColour::basic(place ^ 8))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Color;

    use super::*;
    use crate::ground::theme::Theme;

    const ALL: [Colours; 4] = [Colours::True, Colours::Indexed, Colours::Basic, Colours::None];

    fn look(name: &str, colours: Colours) -> Look {
        Theme::built_in(name).unwrap().look(colours)
    }

    /// The dark theme on the terminal's own two colours.
    fn bare(colours: Colours) -> Look {
        let dark = include_str!("../../../../themes/dark.toml");
        let own = dark.replacen(r#"{ fg = "ink", bg = "ground" }"#, "{}", 1);
        assert_ne!(own, dark);
        Theme::parse(&own, "bare").unwrap().look(colours)
    }

    fn asked(fg: Tone, bg: Tone) -> Sgr {
        Sgr {
            fg,
            bg,
            ..Sgr::default()
        }
    }

    #[test]
    fn each_terminal_gets_what_it_can_show() {
        let red = asked(Tone::Index(9), Tone::Own);
        let orange = asked(Tone::Rgb([255, 135, 0]), Tone::Own);
        let fg = |colours, sgr| look("dark", colours).output(sgr).fg;
        assert_eq!(fg(Colours::True, red), Some(Color::Rgb(255, 0, 0)));
        assert_eq!(fg(Colours::Indexed, red), Some(Color::Indexed(196)));
        assert_eq!(fg(Colours::Basic, red), Some(Color::LightRed));
        assert_eq!(fg(Colours::None, red), None);
        assert_eq!(fg(Colours::True, orange), Some(Color::Rgb(255, 135, 0)));
        assert_eq!(fg(Colours::Indexed, orange), Some(Color::Indexed(208)));
    }

    #[test]
    fn what_could_not_be_read_is_drawn_as_if_nothing_were_asked_for() {
        for colours in ALL {
            for sgr in [
                asked(Tone::Index(2), Tone::Index(2)),
                asked(Tone::Rgb([9, 9, 9]), Tone::Rgb([10, 9, 9])),
                asked(Tone::Index(0), Tone::Own),
                Sgr {
                    reverse: true,
                    ..asked(Tone::Index(0), Tone::Own)
                },
                Sgr {
                    reverse: true,
                    ..asked(Tone::Index(5), Tone::Index(5))
                },
            ] {
                assert_eq!(
                    look("dark", colours).output(sgr),
                    Style::new(),
                    "{colours:?} {sgr:?}"
                );
            }
        }
    }

    #[test]
    fn the_colours_of_a_decision_are_not_to_be_had() {
        for name in Theme::names().filter(|name| *name != "mono") {
            let look = look(name, Colours::True);
            for role in RESERVED {
                let [Some(fg), Some(bg)] = look.pair(role) else {
                    panic!("{name} {role:?}");
                };
                for bold in [false, true] {
                    let sgr = asked(Tone::Rgb(fg.rgb), Tone::Rgb(bg.rgb));
                    let reversed = asked(Tone::Rgb(bg.rgb), Tone::Rgb(fg.rgb));
                    for sgr in [
                        Sgr { bold, ..sgr },
                        Sgr {
                            bold,
                            reverse: true,
                            ..reversed
                        },
                    ] {
                        assert_eq!(look.output(sgr), Style::new(), "{name} {role:?} {sgr:?}");
                    }
                }
            }
        }
        // The sixteen colours have another yellow.
        let look = look("dark", Colours::Basic);
        assert_eq!(look.full(Role::Decision).fg, Some(Color::Yellow));
        assert_eq!(
            look.output(asked(Tone::Index(3), Tone::Own)).fg,
            Some(Color::LightYellow)
        );
        for place in [3, 11] {
            let bold = Sgr {
                bold: true,
                ..asked(Tone::Index(place), Tone::Own)
            };
            assert_eq!(
                look.output(bold),
                Style::new(),
                "bold makes one of the other: {place}"
            );
        }
    }

    #[test]
    fn without_colours_only_weight_and_lines_are_left() {
        let everything = Sgr {
            fg: Tone::Index(1),
            bg: Tone::Index(4),
            bold: true,
            faint: true,
            italic: true,
            underline: true,
            strike: true,
            reverse: true,
        };
        let requested = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        for look in [look("dark", Colours::None), look("mono", Colours::True)] {
            assert_eq!(look.output(everything), requested);
        }
    }

    fn tone() -> impl Strategy<Value = Tone> {
        prop_oneof![
            Just(Tone::Own),
            (0..16_u8).prop_map(Tone::Index),
            any::<u8>().prop_map(Tone::Index),
            any::<[u8; 3]>().prop_map(Tone::Rgb),
            (20..60_u8).prop_map(|grey| Tone::Rgb([grey; 3])),
        ]
    }

    fn sgr() -> impl Strategy<Value = Sgr> {
        (tone(), tone(), any::<[bool; 6]>()).prop_map(
            |(fg, bg, [bold, faint, italic, underline, strike, reverse])| Sgr {
                fg,
                bg,
                bold,
                faint,
                italic,
                underline,
                strike,
                reverse,
            },
        )
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn whatever_is_asked_for_can_be_read_and_is_no_decision(
            sgr in sgr(), name in 0..Theme::names().count(), colours in 0..4_usize, own: bool,
        ) {
            let look = if own { bare(ALL[colours]) } else { look(Theme::names().nth(name).unwrap(), ALL[colours]) };
            let style = look.output(sgr);
            let whole = look.style(Role::Text).patch(style);
            for role in RESERVED {
                prop_assert_ne!(look.full(role), whole);
            }
            prop_assert!(!whole.add_modifier.intersects(
                Modifier::HIDDEN | Modifier::REVERSED | Modifier::DIM | Modifier::SLOW_BLINK | Modifier::RAPID_BLINK
            ));
            let grounds = |color: Option<Color>| color.and_then(TerminalColour::seen).map_or(EXTREMES.to_vec(), |one| vec![one.rgb]);
            if (style.fg, style.bg) != (None, None) {
                prop_assert!(whole.fg.is_some(), "{:?}", whole);
                for fg in grounds(whole.fg) {
                    for bg in grounds(whole.bg) {
                        prop_assert!(contrast(fg, bg) >= FLOOR, "{:?}", whole);
                    }
                }
            }
        }
    }
}
