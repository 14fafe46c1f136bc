//! Tests `[files]`.
//!
//! Must not know: how files are tracked.

use super::World;
use crate::tracking::{FileSettings, OnEdit};

const FILE: &str = "home/.config/overrule/config.toml";
const KEYS: [(&str, &str, &str, &str); 11] = [
    ("track", "true", "false", "false"),
    ("max_file", "8 MiB", "\"16 MiB\"", "16 MiB"),
    ("max_session", "512 MiB", "\"1 GiB\"", "1 GiB"),
    ("max_store", "2 GiB", "\"3 GiB\"", "3 GiB"),
    ("max_files", "200000", "5", "5"),
    ("keep_days", "30", "7", "7"),
    ("scan_ms", "2000", "500", "500"),
    ("include", "none", "[\"data/\"]", "data/"),
    ("exclude", "none", "[\"*.iso\", \"big/\"]", "*.iso, big/"),
    ("rebuildable", "none", "[\"gen\"]", "gen"),
    ("on_edit", "ask", "\"keep\"", "keep"),
];

#[test]
fn every_key_has_a_default_and_the_users_file_sets_it() {
    let default = World::new();
    let text: Vec<String> = KEYS
        .iter()
        .map(|(key, _, set, _)| format!("{key} = {set}"))
        .collect();
    let world = World::new().user(&format!("[files]\n{}\n", text.join("\n")));
    for (line, (key, is_default, _, shown)) in KEYS.into_iter().enumerate() {
        let key = format!("files.{key}");
        assert_eq!(default.why(&key), format!("{is_default} by default"));
        assert_eq!(world.why(&key), format!("{shown} by {FILE}:{}", line + 2));
    }
    assert!(world.notices().is_empty());
}

#[test]
fn a_workspace_adds_what_is_tracked_and_switches_nothing_off() {
    let all = "[files]\ntrack = false\non_edit = \"restore\"\nmax_file = \"1 KiB\"\ninclude = [\"b\"]\nexclude = [\"c\"]\n\
               rebuildable = [\"d\"]\n";
    let world = World::new().user("[files]\ninclude = [\"a\"]\n").theirs(all);
    let settings = world.load().files;
    assert!(settings.track.value);
    assert_eq!(settings.on_edit.value, OnEdit::Ask);
    assert_eq!(settings.max_file.value, 8 << 20);
    assert_eq!(FileSettings::all(&settings.include), ["a", "b"]);
    assert!(settings.exclude.is_empty() && settings.rebuildable.is_empty());
    let notices = world.notices().join("\n");
    for key in ["track", "on_edit", "max_file", "exclude", "rebuildable"] {
        assert!(notices.contains(&format!("files.{key}")), "{key}: {notices}");
    }
    assert!(!notices.contains("files.include"), "{notices}");
}
