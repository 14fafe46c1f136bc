//! The built-in themes can be read by people, and bad ones are refused with their place.
//! Must not know: the screen.

use super::colour::{BASIC, fixed};
use super::*;
use ratatui::style::Color;

/// What the sixteen commonly look like.
const COMMON: [[u8; 3]; 16] = [
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

/// Roles that are lines, not words.
const DRAWN: [Role; 3] = [Role::Border, Role::Focus, Role::Line];
/// Roles whose ground lies under words of other roles.
const GROUNDS: [Role; 3] = [Role::Selection, Role::Ancestor, Role::Descendant];
/// Roles whose words stand in rows that are marked by a ground.
const IN_ROWS: [Role; 14] = [
    Role::Text,
    Role::Dim,
    Role::Pending,
    Role::Awaiting,
    Role::Running,
    Role::Ok,
    Role::Failed,
    Role::Edited,
    Role::Stale,
    Role::Superseded,
    Role::Blocked,
    Role::Unknown,
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
    if DRAWN.contains(&role) { 3.0 } else { 4.5 }
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
fn words_stand_out_from_their_ground() {
    for name in ["dark", "light", "high-contrast"] {
        let theme = Theme::built_in(name).unwrap();
        for colours in [Colours::True, Colours::Indexed] {
            let look = theme.look(colours);
            for role in Role::ALL {
                let style = look.full(*role);
                let (fg, bg) = (rgb(style.fg).unwrap(), rgb(style.bg).unwrap());
                let ratio = contrast(fg, bg);
                assert!(ratio >= floor(*role), "{name} {colours:?} {role:?}: {ratio:.2}");
            }
            for ground in GROUNDS {
                let bg = rgb(look.full(ground).bg).unwrap();
                for role in &IN_ROWS {
                    let ratio = contrast(rgb(look.full(*role).fg).unwrap(), bg);
                    assert!(
                        ratio >= floor(*role),
                        "{name} {colours:?} {role:?} on {ground:?}: {ratio:.2}"
                    );
                }
            }
        }
    }
}

#[test]
fn sixteen_colours_can_be_read_too() {
    for name in ["dark", "light", "high-contrast"] {
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
    let fg = |colours| theme.look(colours).style(Role::Ok).fg;
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

fn line_of(text: &str) -> usize {
    1 + BUILT_IN[0]
        .1
        .lines()
        .position(|line| line.starts_with(text))
        .unwrap()
}

#[test]
fn a_bad_theme_is_refused_with_file_line_and_key() {
    let at = |key: &str, line: usize| format!("theme mine.toml, line {line}, key `{key}`: ");
    let text = complaint("rgb = \"#14171c\"", "rgb = \"#14171\"");
    let start = at("palette.ground.rgb", line_of("ground "));
    assert_eq!(
        text,
        format!("{start}`#14171` is no colour: write it as \"#rrggbb\"")
    );
    let text = complaint("basic = \"blue\"", "basic = \"navy\"");
    assert!(
        text.starts_with(&at("palette.marked.basic", line_of("marked "))),
        "{text}"
    );
    let text = complaint("dim          =", "dimm         =");
    assert!(text.starts_with(&at("roles.dimm", line_of("dim "))), "{text}");
    let text = complaint("dim          = { fg = \"faint\" }\n", "");
    assert!(text.starts_with(&at("roles.dim", line_of("[roles]"))), "{text}");
    assert!(text.contains("is missing"), "{text}");
    let text = complaint(
        "line         = { fg = \"rule\"",
        "line         = { fg = \"\\u001b[31m\"",
    );
    assert!(text.starts_with(&at("roles.line.fg", line_of("line "))), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let text = complaint("strike = true", "strike = 1");
    assert!(
        text.starts_with(&at("roles.stale.strike", line_of("stale "))),
        "{text}"
    );
    let text = complaint("name = \"dark\"", "name = ");
    assert!(
        text.starts_with(&format!(
            "theme mine.toml, line {}: this is no TOML",
            line_of("name")
        )),
        "{text}"
    );
    let text = complaint("name = \"dark\"\n", "");
    assert!(text.contains("key `name`: is missing"), "{text}");
}

#[test]
fn a_theme_comes_by_name_or_by_path() {
    let text = Theme::load("solarised").unwrap_err().to_string();
    assert!(text.contains("dark, light, high-contrast, mono"), "{text}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    let path = path.to_str().unwrap();
    assert!(
        Theme::load(path)
            .unwrap_err()
            .to_string()
            .starts_with("failed to read theme /")
    );
    std::fs::write(path, BUILT_IN[1].1).unwrap();
    assert_eq!(Theme::load(path).unwrap().name(), "light");
    std::fs::write(path, vec![b'#'; 300 * 1024]).unwrap();
    assert!(Theme::load(path).unwrap_err().to_string().contains("larger"));
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let here = root.join("console/theme");
    let made = [
        "Color::Rgb",
        "Color::Indexed",
        "Color::from_u32",
        "Color::from_hsl",
    ];
    let wrong: Vec<_> = files
        .iter()
        .filter(|file| !file.starts_with(&here))
        .filter(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            made.iter().any(|word| text.contains(word))
        })
        .collect();
    assert!(files.len() > 10);
    assert!(wrong.is_empty(), "colours outside of themes: {wrong:?}");
}
