//! The terminal's own background: the default theme follows it, and every text is readable on it.
//!
//! Must not know: the screen.

use super::*;

fn on(name: &str, colours: Colours, background: [u8; 3]) -> Look {
    let background = Some(background);
    Theme::load(name, None)
        .unwrap()
        .look(Palette { colours, background })
}

/// Backgrounds of common terminals: dark, light, and in between.
const DARK: [[u8; 3]; 5] = [
    [0; 3],
    [0x1e; 3],
    [0x00, 0x2b, 0x36],
    [0x28, 0x2a, 0x36],
    [0x2e, 0x34, 0x40],
];
const LIGHT: [[u8; 3]; 4] = [[255; 3], [0xfd, 0xf6, 0xe3], [0xfa; 3], [0xef, 0xf1, 0xf5]];
const BETWEEN: [[u8; 3]; 3] = [[0x80; 3], [0x60, 0x60, 0x70], [0xc0, 0x40, 0x40]];

#[test]
fn the_default_theme_is_the_one_for_the_background_and_uses_it() {
    for colours in [Colours::True, Colours::Indexed] {
        for (backgrounds, name) in [(&DARK[..], "dark"), (&LIGHT[..], "light")] {
            for background in backgrounds {
                let look = on(Theme::AUTO, colours, *background);
                assert_eq!(look, on(name, colours, *background), "{background:?}");
                assert_eq!(look.style(Role::Text).bg, None, "{name} on {background:?}");
                let painted = Theme::built_in(name).unwrap().look(colours);
                assert_eq!(look.style(Role::Text).fg, painted.style(Role::Text).fg);
                assert_eq!(look.style(Role::Decision), painted.style(Role::Decision));
            }
        }
    }
    let unknown = Theme::load(Theme::AUTO, None).unwrap().look(Colours::True);
    assert_eq!(unknown, Theme::built_in("dark").unwrap().look(Colours::True));
    assert!(unknown.style(Role::Text).bg.is_some());
}

#[test]
fn a_background_that_a_theme_is_not_readable_on_is_painted_over() {
    let wrong = |name: &str| {
        if name == "dark" {
            LIGHT.to_vec()
        } else {
            DARK.to_vec()
        }
    };
    for name in ["dark", "light"] {
        for background in wrong(name).into_iter().chain(BETWEEN) {
            let look = on(name, Colours::True, background);
            assert!(look.style(Role::Text).bg.is_some(), "{name} on {background:?}");
        }
    }
    // Each terminal has its own sixteen colours, and the other themes have a background of their own.
    assert!(on("dark", Colours::Basic, [0; 3]).style(Role::Text).bg.is_some());
    for name in ["ember", "paper", "blue-orange", "high-contrast"] {
        for background in DARK.into_iter().chain(LIGHT) {
            let painted = Theme::built_in(name).unwrap().look(Colours::True);
            let look = on(name, Colours::True, background);
            assert_eq!(look.style(Role::Text), painted.style(Role::Text), "{name}");
        }
    }
}

#[test]
fn text_has_the_contrast_on_the_terminals_own_background() {
    for background in DARK.into_iter().chain(LIGHT).chain(BETWEEN) {
        let look = on(Theme::AUTO, Colours::True, background);
        if look.style(Role::Text).bg.is_some() {
            continue;
        }
        for role in Role::ALL {
            let style = look.full(*role);
            let least = if DRAWN.contains(role) { 3.0 } else { 4.5 };
            if let (Some(Color::Rgb(red, green, blue)), None) = (style.fg, style.bg) {
                let ratio = contrast([red, green, blue], background);
                assert!(ratio >= least, "{role:?} on {background:?}: {ratio}");
            }
        }
    }
}
