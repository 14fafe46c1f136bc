//! The built-in themes are readable, and errors in themes name their place.
//!
//! Must not know: the screen.

pub(crate) mod background;

use super::colour::{BASIC, COMMON, distance, fixed, nearest};
use super::*;
use ratatui::style::Color;

/// Roles that are lines, not text.
const DRAWN: [Role; 3] = [Role::Border, Role::Focus, Role::Line];
/// Roles whose background is under text of other roles.
const GROUNDS: [Role; 3] = [Role::Selection, Role::Ancestor, Role::Descendant];
/// Roles whose background is under the text of the header and the status line.
const LINES: [Role; 2] = [Role::Header, Role::Status];
/// Roles whose text is in those lines.
const IN_LINES: [Role; 12] = [
    Role::Text,
    Role::Title,
    Role::Accent,
    Role::Dim,
    Role::Key,
    Role::Awaiting,
    Role::Running,
    Role::Ok,
    Role::Edited,
    Role::Unknown,
    Role::Warning,
    Role::Error,
];
/// Roles whose text is in rows that are marked by a background.
const IN_ROWS: [Role; 17] = [
    Role::Text,
    Role::Dim,
    Role::Pending,
    Role::Awaiting,
    Role::Running,
    Role::Ok,
    Role::Failed,
    Role::Danger,
    Role::Denied,
    Role::Edited,
    Role::Stale,
    Role::Superseded,
    Role::Blocked,
    Role::Unknown,
    Role::Warning,
    Role::Fold,
    Role::Line,
];

fn rgb(color: Option<Color>) -> Option<[u8; 3]> {
    match color? {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(index) => Some(fixed(index)),
        _ => None,
    }
}

fn floor(role: Role) -> f64 {
    if DRAWN.contains(&role) {
        3.0
    } else {
        parse::LEGIBLE
    }
}

/// Every theme except the one without colours.
fn coloured() -> impl Iterator<Item = &'static str> {
    Theme::names().filter(|name| *name != "mono")
}

#[test]
fn every_file_of_the_project_is_built_in() {
    let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../themes"))
        .unwrap()
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|end| end == "toml")
        })
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let mut names: Vec<&str> = Theme::names().collect();
    files.sort();
    names.sort_unstable();
    assert_eq!(files, names);
    assert!(names.len() >= 6);
}

/// A colour as people with green blindness see it (Machado, Oliveira, Fernandes 2009).
fn without_green(rgb: [u8; 3]) -> [f64; 3] {
    const SEEN: [[f64; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];
    let linear = rgb.map(|part| (f64::from(part) / 255.0).powf(2.2));
    SEEN.map(|row| {
        let sum: f64 = row.iter().zip(linear).map(|(weight, part)| weight * part).sum();
        255.0 * sum.clamp(0.0, 1.0).powf(1.0 / 2.2)
    })
}

#[test]
fn one_theme_is_for_red_green_color_blindness() {
    let look = Theme::built_in("blue-orange").unwrap().look(Colours::True);
    let roles = [
        Role::Failed,
        Role::Denied,
        Role::Awaiting,
        Role::Running,
        Role::Text,
    ];
    for (at, one) in roles.iter().enumerate() {
        for other in &roles[at + 1..] {
            let [a, b] = [one, other].map(|role| without_green(rgb(look.full(*role).fg).unwrap()));
            let far: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(far >= 40.0, "{one:?} and {other:?}: {far:.0}");
        }
    }
}

#[test]
fn every_built_in_theme_can_be_read() {
    for name in Theme::names() {
        let theme = Theme::built_in(name).unwrap();
        assert_eq!(theme.name(), name);
        assert_eq!(theme.looks.len(), Role::ALL.len());
    }
}

#[test]
fn text_contrasts_with_its_background() {
    for name in coloured() {
        let theme = Theme::built_in(name).unwrap();
        for colours in [Colours::True, Colours::Indexed] {
            let look = theme.look(colours);
            for role in Role::ALL {
                let style = look.full(*role);
                let (fg, bg) = (rgb(style.fg).unwrap(), rgb(style.bg).unwrap());
                let ratio = contrast(fg, bg);
                assert!(ratio >= floor(*role), "{name} {colours:?} {role:?}: {ratio:.2}");
            }
            let rows = GROUNDS.map(|background| (background, IN_ROWS.as_slice()));
            let lines = LINES.map(|background| (background, IN_LINES.as_slice()));
            for (background, roles) in rows.into_iter().chain(lines) {
                let bg = rgb(look.full(background).bg).unwrap();
                for role in roles.iter().filter(|role| look.style(**role).bg.is_none()) {
                    let ratio = contrast(rgb(look.full(*role).fg).unwrap(), bg);
                    assert!(
                        ratio >= floor(*role),
                        "{name} {colours:?} {role:?} on {background:?}: {ratio:.2}"
                    );
                }
            }
        }
    }
}

#[test]
fn sixteen_colours_can_be_read_too() {
    for name in coloured() {
        let theme = Theme::built_in(name).unwrap();
        let text = theme.looks[Role::Text as usize];
        for role in Role::ALL {
            let entry = theme.looks[*role as usize];
            let fg = entry.fg.or(text.fg).unwrap().basic;
            let bg = entry.bg.or(text.bg).unwrap().basic;
            let ratio = contrast(COMMON[usize::from(fg)], COMMON[usize::from(bg)]);
            assert!(
                ratio >= floor(*role),
                "{name} {role:?}: {} on {} is {ratio:.2}",
                BASIC[usize::from(fg)],
                BASIC[usize::from(bg)]
            );
        }
        for line in LINES {
            let bg = theme.looks[line as usize].bg.or(text.bg).unwrap().basic;
            for role in IN_LINES {
                let fg = theme.looks[role as usize].fg.or(text.fg).unwrap().basic;
                let ratio = contrast(COMMON[usize::from(fg)], COMMON[usize::from(bg)]);
                assert!(ratio >= floor(role), "{name} {role:?} on {line:?}: {ratio:.2}");
            }
        }
    }
}

#[test]
fn a_decision_looks_like_nothing_else() {
    for name in Theme::names() {
        for colours in [Colours::True, Colours::Indexed, Colours::Basic, Colours::None] {
            let look = Theme::built_in(name).unwrap().look(colours);
            for reserved in [Role::Decision, Role::DecisionKey] {
                for role in Role::ALL.iter().filter(|role| **role != reserved) {
                    assert_ne!(
                        look.full(reserved),
                        look.full(*role),
                        "{name} {colours:?}: {reserved:?} looks like {role:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_marked_is_marked_without_colours() {
    for name in Theme::names() {
        let look = Theme::built_in(name).unwrap().look(Colours::None);
        for role in Role::ALL {
            let style = look.style(*role);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {role:?}");
        }
        let marked = [Role::Selection, Role::Ancestor, Role::Descendant, Role::Escaped];
        for (at, role) in marked.iter().enumerate() {
            assert_ne!(look.style(*role), look.style(Role::Text), "{role:?}");
            for other in &marked[at + 1..] {
                assert_ne!(look.style(*role), look.style(*other), "{role:?} {other:?}");
            }
        }
    }
}

#[test]
fn lesser_terminals_get_lesser_colours() {
    let theme = Theme::built_in("dark").unwrap();
    let fg = |colours| theme.look(colours).style(Role::DiffAdd).fg;
    assert_eq!(fg(Colours::True), Some(Color::Rgb(0x7f, 0xd8, 0x8f)));
    assert_eq!(fg(Colours::Indexed), Some(Color::Indexed(114)));
    assert_eq!(fg(Colours::Basic), Some(Color::LightGreen));
    assert_eq!(fg(Colours::None), None);
}

#[test]
fn a_terminal_is_believed() {
    let detect = Colours::detect;
    assert_eq!(
        detect(Some("1"), Some("truecolor"), Some("xterm-256color")),
        Colours::None
    );
    assert_eq!(detect(Some(""), Some("truecolor"), Some("xterm")), Colours::True);
    assert_eq!(detect(None, None, Some("screen-256color")), Colours::Indexed);
    assert_eq!(detect(None, Some("yes"), Some("xterm")), Colours::Basic);
    assert_eq!(detect(None, None, Some("dumb")), Colours::None);
    assert_eq!(detect(None, None, None), Colours::None);
}

fn complaint(from: &str, to: &str) -> String {
    let dark = BUILT_IN[0].1;
    assert!(dark.contains(from), "{from}");
    Theme::parse(&dark.replacen(from, to, 1), "mine.toml")
        .unwrap_err()
        .to_string()
}

/// The place of an error about a piece of a changed line of the dark theme.
fn at(line: &str, change: (&str, &str), piece: &str, key: &str) -> (String, String) {
    let dark = BUILT_IN[0].1;
    let text = dark.replacen(change.0, change.1, 1);
    let number = 1 + text.lines().position(|one| one.starts_with(line)).unwrap();
    let column = 1 + text.lines().nth(number - 1).unwrap().find(piece).unwrap();
    let start = format!("theme mine.toml:{number}:{column}: `{key}`: ");
    (complaint(change.0, change.1), start)
}

#[test]
fn a_bad_theme_is_refused_with_file_line_column_and_key() {
    let (text, start) = at(
        "ground ",
        ("rgb = \"#14171c\"", "rgb = \"#14171\""),
        "\"#14171\"",
        "palette.ground.rgb",
    );
    assert_eq!(
        text,
        format!("{start}`#14171` is no colour: write it as \"#rrggbb\"")
    );
    for (line, change, piece, key) in [
        (
            "marked ",
            ("basic = \"blue\"", "basic = \"navy\""),
            "\"navy\"",
            "palette.marked.basic",
        ),
        (
            "dimm ",
            ("dim          =", "dimm         ="),
            "dimm",
            "roles.dimm",
        ),
        (
            "[roles]",
            ("dim          = { fg = \"faint\" }\n", ""),
            "[roles]",
            "roles.dim",
        ),
        (
            "stale ",
            ("strike = true", "strike = 1"),
            "1 }",
            "roles.stale.strike",
        ),
        (
            "line ",
            (
                "line         = { fg = \"rule\"",
                "line         = { fg = \"\\u001b[31m\"",
            ),
            "\"\\u001b[31m\"",
            "roles.line.fg",
        ),
    ] {
        let (text, start) = at(line, change, piece, key);
        assert!(text.starts_with(&start), "{start} but {text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    let text = complaint("name = \"dark\"", "name = ");
    assert!(text.contains("not valid TOML"), "{text}");
    let text = complaint("name = \"dark\"\n", "");
    assert!(
        text.contains("`name`: is missing; a theme needs `name`"),
        "{text}"
    );
}

#[test]
fn a_theme_in_which_a_decision_cannot_be_read_is_refused_with_its_place() {
    for key in [
        "decision",
        "escaped",
        "failed",
        "danger",
        "denied",
        "warning",
        "error",
        "unknown",
        "awaiting",
        "text",
        "json_key",
        "json_string",
        "json_number",
        "json_literal",
        "json_punct",
        "reference",
        "diff_add",
        "diff_remove",
    ] {
        let dark = BUILT_IN[0].1;
        let line = dark
            .lines()
            .find(|line| line.split_whitespace().next() == Some(key))
            .unwrap();
        let from = line.to_owned();
        let to = format!("{key} = {{ fg = \"ground\", bg = \"ground\" }}");
        let text = complaint(&from, &to);
        assert!(text.starts_with("theme mine.toml:"), "{text}");
        assert!(
            text.contains(&format!(
                "`roles.{key}`: its contrast with its background is 1.0 to 1"
            )),
            "{text}"
        );
    }
    // A role that only draws a line may be as faint as the author likes.
    let dark = BUILT_IN[0].1;
    let of = |key: &str, to: &str| {
        let line = dark
            .lines()
            .find(|line| line.split_whitespace().next() == Some(key))
            .unwrap();
        Theme::parse(&dark.replacen(line, to, 1), "mine.toml").map(drop)
    };
    assert!(of("border", "border = { fg = \"ground\" }").is_ok());
}

#[test]
fn a_theme_of_before_takes_other_roles_for_those_that_it_does_not_have() {
    let dark = BUILT_IN[0].1;
    let without = |keys: &[&str]| -> Look {
        let is_there = |line: &&str| !keys.contains(&line.split_whitespace().next().unwrap_or_default());
        let text: Vec<&str> = dark.lines().filter(is_there).collect();
        Theme::parse(&text.join("\n"), "mine.toml")
            .unwrap()
            .look(Colours::True)
    };
    let look = without(&["denied"]);
    assert_eq!(look.style(Role::Denied), look.style(Role::Danger));
    let look = without(&["denied", "danger"]);
    assert_eq!(look.style(Role::Denied), look.style(Role::Error));
    assert_eq!(look.style(Role::Danger), look.style(Role::Error));
}

#[test]
fn the_selection_changes_the_background_only() {
    for name in coloured() {
        let look = Theme::built_in(name).unwrap().look(Colours::True);
        assert_eq!(look.style(Role::Selection).fg, None, "{name}");
    }
}

#[test]
fn a_theme_comes_by_name_or_by_path() {
    let text = Theme::load("solarised", None).unwrap_err().to_string();
    assert!(
        text.contains("dark, light, high-contrast, blue-orange, ember"),
        "{text}"
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    let path = path.to_str().unwrap();
    assert!(
        Theme::load(path, None)
            .unwrap_err()
            .to_string()
            .starts_with("failed to read theme /")
    );
    std::fs::write(path, BUILT_IN[1].1).unwrap();
    assert_eq!(Theme::load(path, None).unwrap().name(), "light");
    std::fs::write(path, vec![b'#'; 300 * 1024]).unwrap();
    assert!(
        Theme::load(path, None)
            .unwrap_err()
            .to_string()
            .contains("larger")
    );
}

#[test]
fn the_operators_own_themes_have_names_and_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let own = Some(dir.path());
    assert_eq!(Theme::all(own).len(), 1 + BUILT_IN.len());
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("mine.toml", BUILT_IN[1].1);
    put("dark.toml", BUILT_IN[2].1);
    put("notes.txt", "no theme");
    put("evil\u{1b}[31m.toml", BUILT_IN[1].1);
    let names = Theme::all(own);
    assert_eq!(names.len(), 1 + BUILT_IN.len() + 1, "{names:?}");
    assert_eq!(names.last().unwrap(), "mine");
    assert_eq!(Theme::load("mine", own).unwrap().name(), "light");
    assert_eq!(Theme::load("dark", own).unwrap().name(), "high-contrast");
    assert_eq!(Theme::load("dark", None).unwrap().name(), "dark");
    let text = Theme::load("solarised", own).unwrap_err().to_string();
    assert!(text.contains(", mine, or the path"), "{text}");
    put("mine.toml", "name = 3");
    let text = Theme::load("mine", own).unwrap_err().to_string();
    assert!(text.contains("mine.toml:1:8: `name`: "), "{text}");
}

/// Every Rust file below a directory.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn colours_are_made_here_and_nowhere_else() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let here = root.join("console/ground/theme");
    // These convert colours for the terminal.
    let sent = ["console/ground/terminal/pen.rs", "console/ground/terminal/pen"].map(|name| root.join(name));
    let made = [
        "Color::Rgb",
        "Color::Indexed",
        "Color::from_u32",
        "Color::from_hsl",
    ];
    let wrong: Vec<_> = files
        .iter()
        .filter(|file| !file.starts_with(&here) && !sent.iter().any(|one| file.starts_with(one)))
        .filter(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            made.iter().any(|word| text.contains(word))
        })
        .collect();
    assert!(files.len() > 10);
    assert!(wrong.is_empty(), "colours outside of themes: {wrong:?}");
}

#[test]
fn the_nearest_colour_is_the_one_that_looking_at_all_of_them_finds() {
    let parts = || (0..=255_u8).step_by(5);
    let pairs = parts().flat_map(|red| parts().map(move |green| (red, green)));
    let colours = pairs.flat_map(|(red, green)| parts().map(move |blue| [red, green, blue]));
    for rgb in overrule_testing::sample(colours, 97) {
        let all = (16..=255_u8).min_by_key(|index| distance(rgb, fixed(*index)));
        assert_eq!(Some(nearest(rgb)), all, "{rgb:?}");
    }
}

#[test]
fn a_built_in_theme_is_one_without_a_file_of_the_operator() {
    let own = tempfile::tempdir().unwrap();
    std::fs::write(own.path().join("ember.toml"), "").unwrap();
    let is = |name| Theme::is_built_in(name, Some(own.path()));
    assert!(is("dark") && is("paper") && Theme::is_built_in("ember", None));
    assert!(!is("ember"), "a file replaces it");
    assert!(!is(Theme::AUTO), "it is two");
    assert!(!is("mine") && !is("dark.toml"));
}
