//! Tests which paths are admitted, with both means of confinement.
//!
//! Must not know: what a tool does with them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::FileType;

use super::*;

struct Fixture {
    _base: tempfile::TempDir,
    root: PathBuf,
    outside: PathBuf,
}

fn fixture() -> Fixture {
    let base = tempfile::tempdir().unwrap();
    let real = base.path().canonicalize().unwrap();
    let (root, outside) = (real.join("work"), real.join("work-not"));
    std::fs::create_dir_all(root.join("src/deep")).unwrap();
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(root.join("src/main.rs"), "main").unwrap();
    std::fs::write(outside.join("secret"), "secret").unwrap();
    symlink("../work-not", root.join("way-out")).unwrap();
    symlink(outside.join("secret"), root.join("secret-link")).unwrap();
    symlink("src", root.join("inside")).unwrap();
    symlink(root.join("src/main.rs"), root.join("absolute-inside")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink(".git", root.join("harmless")).unwrap();
    let locked = root.join("locked");
    std::fs::write(&locked, "locked").unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::hard_link(outside.join("secret"), root.join("hard")).unwrap();
    Fixture {
        _base: base,
        root,
        outside,
    }
}

fn both(root: &Path) -> Vec<Workspace> {
    let mut all = vec![Workspace::open_by(root, Confinement::Walk).unwrap()];
    if confinement() == Confinement::Kernel {
        all.push(Workspace::open_by(root, Confinement::Kernel).unwrap());
    }
    all
}

#[test]
fn reads_stay_inside() {
    let background = fixture();
    let absolute = background.root.join("src/main.rs");
    let outside = background.outside.join("secret");
    let good = [
        "src/main.rs",
        "./src/../src/main.rs",
        "inside/main.rs",
        "absolute-inside",
        "src/deep/../main.rs",
        absolute.to_str().unwrap(),
    ];
    let bad = [
        ("../work-not/secret", ErrorClass::Auth),
        ("src/../../work-not/secret", ErrorClass::Auth),
        ("way-out/secret", ErrorClass::Auth),
        ("way-out/no-such-thing", ErrorClass::Auth),
        ("../no-such-thing", ErrorClass::Auth),
        ("secret-link", ErrorClass::Auth),
        (outside.to_str().unwrap(), ErrorClass::Auth),
        ("/etc/passwd", ErrorClass::Auth),
        ("/proc/self/root/etc/passwd", ErrorClass::Auth),
        ("dangling", ErrorClass::NotFound),
        ("loop", ErrorClass::Auth),
        ("src/main.rs/x", ErrorClass::NotFound),
        ("src", ErrorClass::Param),
        (".", ErrorClass::Param),
        ("", ErrorClass::Param),
        ("src/main.rs\0", ErrorClass::Param),
    ];
    for workspace in both(&background.root) {
        for path in good {
            let (_, _, place) = workspace
                .file(path)
                .unwrap_or_else(|error| panic!("{path}: {error:?}"));
            assert_eq!(place.path, Path::new("src/main.rs"), "{path}");
        }
        for (path, class) in bad {
            let error = workspace
                .file(path)
                .err()
                .unwrap_or_else(|| panic!("{path} was let in"));
            assert_eq!(error.class, class, "{path}: {error:?}");
            assert!(!error.executed && error.hint.is_some(), "{path}: {error:?}");
        }
    }
}

#[test]
fn a_home_directory_is_refused_before_anything_is_made() {
    let background = fixture();
    std::fs::create_dir(background.root.join("~")).unwrap();
    std::fs::write(background.root.join("~/there"), "").unwrap();
    std::fs::write(background.root.join("~$a.docx"), "a").unwrap();
    let before = walk_count(&background.root);
    for workspace in both(&background.root) {
        for path in [
            "~",
            "~/",
            "~/there",
            "~/notes/todo.txt",
            "~ada/x",
            "~ada/",
            "~+/x",
            "~$a/x",
        ] {
            let refusals = [
                workspace.file(path).map(drop),
                workspace.file_if_any(path).map(drop),
                workspace.directory(path).map(drop),
                workspace.find(path).map(drop),
                workspace.target(path, true).map(drop),
            ];
            for refusal in refusals {
                let error = refusal.unwrap_err();
                assert!(
                    error.message.contains("begins with `~`"),
                    "{path}: {}",
                    error.message
                );
                assert!(!error.executed && error.hint.is_some(), "{path}");
            }
        }
        // These name nothing but a file.
        assert!(workspace.file("~$a.docx").is_ok());
        assert!(workspace.file("./~/there").is_ok());
        assert!(workspace.target("~new", true).is_ok());
    }
    assert_eq!(walk_count(&background.root), before);
}

#[test]
fn a_sibling_with_the_same_prefix_is_outside() {
    let background = fixture();
    let workspace = Workspace::open(&background.root).unwrap();
    let sibling = format!("{}-not/secret", background.root.display());
    assert_eq!(workspace.find(&sibling).unwrap_err().class, ErrorClass::Auth);
}

#[test]
fn writes_are_refused_where_they_could_do_more_than_change_a_file() {
    let background = fixture();
    let table = [
        ("hard", ErrorClass::Auth, "hard links"),
        ("locked", ErrorClass::Auth, "read-only"),
        (".git/config", ErrorClass::Auth, "git"),
        (".git/hooks/pre-commit", ErrorClass::Auth, "git"),
        (".GIT/config", ErrorClass::Auth, "git"),
        (".g\u{200c}it/config", ErrorClass::Auth, "git"),
        ("src/.git", ErrorClass::Auth, "git"),
        ("harmless/config", ErrorClass::Auth, "git"),
        ("src/../.git/config", ErrorClass::Auth, "git"),
        (".overrule/x", ErrorClass::Auth, "this program"),
        (".overrule-1-0.tmp", ErrorClass::Auth, "this program"),
        ("overrule.toml", ErrorClass::Auth, "what tools may do"),
        ("src/overrule.toml", ErrorClass::Auth, "what tools may do"),
        (".bashrc", ErrorClass::Auth, "shell"),
        ("src/.zshenv", ErrorClass::Auth, "shell"),
        (".config/fish/config.fish", ErrorClass::Auth, "shell"),
        (".ssh/authorized_keys", ErrorClass::Auth, "keys"),
        ("way-out/new", ErrorClass::Auth, "outside"),
        ("../new", ErrorClass::Auth, "outside"),
        ("secret-link", ErrorClass::Auth, "outside"),
        ("dangling", ErrorClass::NotFound, "link to nothing"),
        ("dangling/new", ErrorClass::NotFound, "link to nothing"),
        ("src", ErrorClass::Param, "directory"),
        (".", ErrorClass::Param, "directory"),
        ("src/main.rs/new", ErrorClass::NotFound, "not a directory"),
        ("new/../../x", ErrorClass::NotFound, "does not exist"),
    ];
    let count = || walk_count(&background.root) + walk_count(&background.outside);
    let before = count();
    for workspace in both(&background.root) {
        for (path, class, why) in table {
            let error = workspace
                .target(path, true)
                .err()
                .unwrap_or_else(|| panic!("{path} was let in"));
            assert_eq!(error.class, class, "{path}: {error:?}");
            assert!(error.message.contains(why), "{path}: {}", error.message);
            assert!(!error.executed, "{path}");
        }
    }
    assert_eq!(count(), before, "a refused write left a file");
    assert_eq!(
        std::fs::read(background.outside.join("secret")).unwrap(),
        b"secret"
    );
}

fn walk_count(dir: &Path) -> usize {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            1 + if entry.file_type().unwrap().is_dir() {
                walk_count(&entry.path())
            } else {
                0
            }
        })
        .sum()
}

#[test]
fn writes_find_their_real_place() {
    let background = fixture();
    for workspace in both(&background.root) {
        let table = [
            ("src/main.rs", "src/main.rs", true),
            ("inside/main.rs", "src/main.rs", true),
            ("absolute-inside", "src/main.rs", true),
            ("inside/new.rs", "src/new.rs", false),
            ("a/b/c.txt", "a/b/c.txt", false),
            (".gitignore", ".gitignore", false),
            ("overrule-report.md", "overrule-report.md", false),
        ];
        for (path, place, exists) in table {
            let target = workspace
                .target(path, true)
                .unwrap_or_else(|error| panic!("{path}: {error:?}"));
            assert_eq!(target.place.path, Path::new(place), "{path}");
            assert_eq!(target.stat.is_some(), exists, "{path}");
        }
        assert!(background.root.join("a/b").is_dir());
        assert_eq!(
            workspace.target("x/y.txt", false).unwrap_err().class,
            ErrorClass::NotFound
        );
        assert!(!background.root.join("x").exists());
    }
}

#[test]
fn what_is_misspelt_finds_a_near_name() {
    let background = fixture();
    let workspace = Workspace::open(&background.root).unwrap();
    let error = workspace.find("src/mian.rs").unwrap_err();
    assert_eq!(error.hint.unwrap(), "there is `src/main.rs`");
    assert_eq!(error.class, ErrorClass::NotFound);
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_are_not_files() {
    let background = fixture();
    let pipe = background.root.join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    for workspace in both(&background.root) {
        // Opening it must not wait for a writer either.
        let error = workspace.file("pipe").unwrap_err();
        assert!(error.message.contains("not a file"), "{}", error.message);
        assert!(workspace.target("pipe", true).is_err());
    }
}

#[test]
fn a_link_put_in_after_the_look_leads_nowhere() {
    let background = fixture();
    let root = &background.root;
    std::fs::write(background.outside.join("main.rs"), "other").unwrap();
    std::fs::write(root.join(".git/main.rs"), "other").unwrap();
    for workspace in both(root) {
        let place = workspace.find("src/main.rs").unwrap();
        // In place of the directory: a link to the outside, or to something protected inside.
        for to in [background.outside.as_path(), Path::new(".git")] {
            std::fs::rename(root.join("src"), root.join("away")).unwrap();
            symlink(to, root.join("src")).unwrap();
            assert!(workspace.found(&place.path).is_err(), "{}", to.display());
            std::fs::remove_file(root.join("src")).unwrap();
            std::fs::rename(root.join("away"), root.join("src")).unwrap();
        }
        // In place of the file.
        for to in [background.outside.join("main.rs"), "../.git/main.rs".into()] {
            std::fs::rename(root.join("src/main.rs"), root.join("away")).unwrap();
            symlink(&to, root.join("src/main.rs")).unwrap();
            assert!(workspace.found(&place.path).is_err(), "{}", to.display());
            std::fs::rename(root.join("away"), root.join("src/main.rs")).unwrap();
        }
        assert!(workspace.found(&place.path).is_ok());
    }
}

#[test]
fn a_workspace_that_is_none_is_an_error() {
    let background = fixture();
    let missing = Workspace::open(&background.root.join("none")).unwrap_err();
    assert_eq!(missing.class, ErrorClass::NotFound);
    let file = Workspace::open(&background.root.join("src/main.rs")).unwrap_err();
    assert!(file.message.contains("cannot open the workspace"));
}

#[test]
fn what_a_path_is_known_by_is_what_a_write_finds_there() {
    let background = fixture();
    symlink("src/deep", background.root.join("jump")).unwrap();
    for (given, place) in [
        ("jump/../new.txt", "src/new.txt"),
        ("jump/../main.rs", "src/main.rs"),
        ("src/deep/../new.txt", "src/new.txt"),
        ("jump/new/dir/x", "src/deep/new/dir/x"),
        ("./jump/./x", "src/deep/x"),
        ("inside/../new.txt", "new.txt"),
    ] {
        assert_eq!(
            real(&background.root.join(given)),
            background.root.join(place),
            "{given}"
        );
        for workspace in both(&background.root) {
            let target = workspace.target(given, false);
            let found = target.map(|target| target.place.path);
            if let Ok(found) = found {
                assert_eq!(found, Path::new(place), "{given}");
            } else {
                assert!(given.contains("new/dir"), "{given}: {found:?}");
            }
        }
    }
    // Nothing resolves a path below a missing directory.
    assert_eq!(real(&background.root.join("no/../x")), background.root.join("x"));
    assert!(both(&background.root)[0].target("no/../x", true).is_err());
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_not_utf8_opens_by_what_it_is_listed_as() {
    use std::os::unix::ffi::OsStrExt as _;

    let background = fixture();
    let name = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let dir = background.root.join(name(b"d\xe9p"));
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join(name(b"caf\xe9.txt")), "inside").unwrap();
    symlink(background.outside.join("secret"), dir.join(name(b"out\xe9"))).unwrap();
    for workspace in both(&background.root) {
        let (_, _, place) = workspace.file("d\u{fffd}p/caf\u{fffd}.txt").unwrap();
        assert_eq!(place.shown(), "d\u{fffd}p/caf\u{fffd}.txt");
        assert!(workspace.directory("d\u{fffd}p").is_ok());
        assert_eq!(
            workspace.find("d\u{fffd}p/out\u{fffd}").unwrap_err().class,
            ErrorClass::Auth
        );
        assert_eq!(
            workspace.find("d\u{fffd}p/caf.txt").unwrap_err().class,
            ErrorClass::NotFound
        );
    }
    // If two entries are listed with the same name, the name opens neither.
    std::fs::write(dir.join(name(b"caf\xe8.txt")), "other").unwrap();
    for workspace in both(&background.root) {
        assert!(workspace.file("d\u{fffd}p/caf\u{fffd}.txt").is_err());
    }
}
