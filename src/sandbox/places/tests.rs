//! Tests which paths are hidden, which caches are found, and that stores stay below their bound.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use rustix::fs::{FileType, Mode, Timespec, Timestamps, mknodat, utimensat};
use tempfile::TempDir;

use super::*;
use crate::Cache;

/// A machine with a home, another one, and that of root.
struct Machine {
    dir: TempDir,
    root: PathBuf,
    home: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for directory in [
            "home/me/work",
            "home/other/work/sub",
            "home/other/mail",
            "home/linuxbrew",
            "root",
            "etc/ssh",
        ] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        let home = root.join("home/me");
        Self { dir, root, home }
    }

    fn at(&self, place: &str) -> PathBuf {
        assert!(self.dir.path().exists());
        self.root.join(place)
    }

    fn file(&self, place: &str) -> PathBuf {
        let path = self.at(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        path
    }

    /// The hidden paths, relative to the root.
    fn hidden<'a>(&'a self, change: impl FnOnce(&mut HideRequest<'a>)) -> Result<Vec<String>, HideError> {
        let mut request = HideRequest {
            root: &self.root,
            home: Some(&self.home),
            own: &[],
            hide: &[],
            show: &[],
            keep: &[],
        };
        change(&mut request);
        let paths = hidden(&request)?.into_iter();
        Ok(paths
            .map(|path| {
                path.strip_prefix(&self.root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect())
    }
}

#[test]
fn each_row_is_hidden_where_it_exists_and_nothing_else_is() {
    let machine = Machine::new();
    let bare = machine.hidden(|_| {}).unwrap();
    assert_eq!(bare, ["home/other", "root"]);
    for row in table::AT_HOME {
        assert!(!row.by.is_empty() && !row.place.starts_with('/') && !row.place.ends_with('/'));
        machine.file(&format!("home/me/{}", row.place));
    }
    for row in table::IN_SYSTEM {
        machine.file(&row.place.replace('*', "ed25519"));
    }
    machine.file("home/me/.config/pip/pip.conf");
    machine.file("etc/ssh/ssh_host_ed25519_key.pub");
    machine.file("etc/passwd");
    let all = machine.hidden(|_| {}).unwrap();
    let mut expected: Vec<String> = table::AT_HOME
        .iter()
        .map(|row| format!("home/me/{}", row.place))
        .collect();
    expected.extend(
        table::IN_SYSTEM
            .iter()
            .map(|row| row.place.replace('*', "ed25519")),
    );
    expected.extend(bare);
    expected.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
    // Without a home, there are still those of others.
    let without = machine.hidden(|request| request.home = None).unwrap();
    assert!(without.contains(&"home/me".to_owned()) && without.contains(&"etc/shadow".to_owned()));
}

#[test]
fn a_link_hides_its_target_and_one_to_the_root_hides_nothing() {
    let machine = Machine::new();
    machine.file("data/keys/id");
    symlink(machine.at("data/keys"), machine.at("home/me/.ssh")).unwrap();
    symlink("/", machine.at("home/me/.aws")).unwrap();
    symlink(machine.at("nowhere"), machine.at("home/me/.azure")).unwrap();
    symlink(machine.at("home/me/.kube"), machine.at("home/me/.kube")).unwrap();
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(
        rustix::fs::CWD,
        machine.at("home/me/.netrc"),
        FileType::Fifo,
        mode,
        0,
    )
    .unwrap();
    let hidden = machine.hidden(|_| {}).unwrap();
    assert_eq!(hidden, ["data/keys", "home/me/.netrc", "home/other", "root"]);
}

#[test]
fn settings_hide_more_and_take_off_whole_entries() {
    let machine = Machine::new();
    for place in [
        ".ssh/config",
        ".config/gh/hosts.yml",
        ".config/gcloud/a",
        "secret/a/b",
    ] {
        machine.file(&format!("home/me/{place}"));
    }
    let me = |place: &str| machine.at("home/me").join(place);
    let (hide, own) = (
        [me("secret/a"), me("secret"), me("gone")],
        [me(".config/gh/hosts.yml")],
    );
    let hidden = machine
        .hidden(|request| (request.hide, request.own) = (&hide, &own))
        .unwrap();
    let expected = [
        "home/me/.config/gcloud",
        "home/me/.config/gh",
        "home/me/.ssh",
        "home/me/secret",
        "home/other",
        "root",
    ];
    assert_eq!(hidden, expected);

    // Everything below a shown path is shown, but for what is always hidden.
    let show = [me(".config"), me(".ssh"), machine.at("home/other"), me("gone")];
    let hidden = machine
        .hidden(|request| (request.hide, request.own, request.show) = (&hide, &own, &show))
        .unwrap();
    assert_eq!(hidden, ["home/me/.config/gh/hosts.yml", "home/me/secret", "root"]);

    let show = [me(".ssh/config")];
    let error = machine.hidden(|request| request.show = &show).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("/home/me/.ssh`; show the directory itself"),
        "{error}"
    );
    for show in [own[0].clone(), me("secret"), me("secret/a/b")] {
        let shown = [show.clone()];
        let error =
            machine.hidden(|request| (request.hide, request.own, request.show) = (&hide, &own, &shown));
        assert_eq!(error, Err(HideError::AlwaysHidden(show)));
    }
    // The directory and a part of it: the directory counts.
    let show = [me(".ssh/config"), me(".ssh")];
    let hidden = machine.hidden(|request| request.show = &show).unwrap();
    assert!(!hidden.iter().any(|path| path.contains(".ssh")));
}

#[test]
fn a_workspace_below_a_hidden_directory_stays_and_the_rest_is_hidden() {
    let machine = Machine::new();
    machine.file("home/other/notes");
    symlink(machine.at("home/me"), machine.at("home/other/link")).unwrap();
    let workspace = machine.at("home/other/work/sub");
    fs::create_dir_all(machine.at("home/other/work/beside")).unwrap();
    let keep = [workspace.as_path()];
    let hidden = machine.hidden(|request| request.keep = &keep).unwrap();
    assert_eq!(
        hidden,
        [
            "home/other/mail",
            "home/other/notes",
            "home/other/work/beside",
            "root"
        ]
    );
    // A hidden directory as the workspace.
    let whole = machine.at("home/other");
    let keep = [whole.as_path()];
    assert_eq!(machine.hidden(|request| request.keep = &keep).unwrap(), ["root"]);
    // A hidden path below the workspace stays hidden.
    machine.file("home/me/.ssh/id");
    let home = machine.at("home/me");
    let keep = [home.as_path()];
    assert_eq!(
        machine.hidden(|request| request.keep = &keep).unwrap(),
        ["home/me/.ssh", "home/other", "root"]
    );
}

#[test]
fn too_much_beside_the_workspace_is_an_error_and_not_left_readable() {
    let machine = Machine::new();
    for i in 0..=MOST_SIBLINGS {
        fs::write(machine.at("home/other").join(format!("f{i}")), "").unwrap();
    }
    let workspace = machine.at("home/other/work");
    let keep = [workspace.as_path()];
    let error = machine.hidden(|request| request.keep = &keep).unwrap_err();
    assert_eq!(error, HideError::TooMany(machine.at("home/other")));
    let show = [machine.at("home/other")];
    assert_eq!(
        machine
            .hidden(|request| (request.keep, request.show) = (&keep, &show))
            .unwrap(),
        ["root"]
    );
}

#[test]
fn what_lies_beside_a_home_is_hidden_only_among_homes() {
    let machine = Machine::new();
    for directory in [
        "var/lib/jenkins",
        "var/lib/dpkg",
        "export/homes/me",
        "export/homes/you",
        "home/domain/me",
        "home/domain/you",
    ] {
        fs::create_dir_all(machine.at(directory)).unwrap();
    }
    let of = |home: &str| {
        let machine = Machine {
            home: machine.at(home),
            root: machine.root.clone(),
            dir: tempfile::tempdir().unwrap(),
        };
        machine.hidden(|_| {}).unwrap()
    };
    assert_eq!(
        of("var/lib/jenkins"),
        ["home/domain", "home/me", "home/other", "root"]
    );
    assert_eq!(of("root"), ["home/domain", "home/me", "home/other"]);
    assert_eq!(
        of("export/homes/me"),
        ["export/homes/you", "home/domain", "home/me", "home/other", "root"]
    );
    assert_eq!(
        of("home/domain/me"),
        ["home/domain/you", "home/me", "home/other", "root"]
    );
}

#[test]
fn a_name_that_is_no_text_is_shown_escaped_in_the_error() {
    let machine = Machine::new();
    machine.file("home/me/.ssh/a\nb\u{202e}c");
    let show = [machine.at("home/me/.ssh/a\nb\u{202e}c")];
    let error = machine
        .hidden(|request| request.show = &show)
        .unwrap_err()
        .to_string();
    assert!(
        !error.contains(['\n', '\u{202e}']) && error.contains("⟨LF⟩"),
        "{error}"
    );
}

#[test]
fn caches_that_exist_are_found_and_their_layers_made() {
    let machine = Machine::new();
    let (home, store) = (machine.at("home/me"), machine.at("data/sandbox/caches/w1"));
    assert_eq!(caches(&home, &store, &[]), []);
    for (place, _) in table::CACHES {
        fs::create_dir_all(home.join(place)).unwrap();
    }
    fs::remove_dir(home.join(".bun")).unwrap();
    machine.file("home/me/.bun");
    fs::remove_dir(home.join(".npm")).unwrap();
    fs::create_dir_all(machine.at("data/npm")).unwrap();
    symlink(machine.at("data/npm"), home.join(".npm")).unwrap();
    let found = caches(&home, &store, &[&machine.at("home/me/work")]);
    assert_eq!(found.len(), table::CACHES.len() - 1);
    assert_eq!(found[1].lower, machine.at("data/npm"));
    assert_eq!(
        (&found[1].upper, &found[1].work),
        (&store.join("npm/upper"), &store.join("npm/work"))
    );
    assert!(!store.exists());
    prepare(&store, &found).unwrap();
    prepare(&store, &found).unwrap();
    for path in found
        .iter()
        .flat_map(|cache| [&cache.upper, &cache.work])
        .chain([&store])
    {
        assert_eq!(
            path.metadata().unwrap().mode() & 0o777,
            0o700,
            "{}",
            path.display()
        );
    }
    fs::write(store.join("file"), "").unwrap();
    let broken = Cache {
        upper: store.join("file"),
        ..found[0].clone()
    };
    let error = prepare(&store, &[broken]).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot create `") && error.contains("/w1/file`"),
        "{error}"
    );
}

#[test]
fn a_cache_around_the_workspace_or_the_store_is_left_out() {
    let machine = Machine::new();
    let home = machine.at("home/me");
    for place in [".cache/worktree", ".npm", ".m2"] {
        fs::create_dir_all(home.join(place)).unwrap();
    }
    let store = home.join(".npm/not/yet");
    let lower: Vec<PathBuf> = caches(&home, &store, &[&home.join(".cache/worktree")])
        .into_iter()
        .map(|cache| cache.lower)
        .collect();
    assert_eq!(lower, [home.join(".m2")]);
}

#[test]
fn private_caches_lie_in_the_store() {
    let variables = private_caches(Path::new("/s"));
    assert!(variables.iter().all(|(_, path)| path.starts_with("/s/private")));
    assert!(variables.contains(&("XDG_CACHE_HOME", PathBuf::from("/s/private/cache"))));
    assert!(!variables.iter().any(|(name, _)| *name == "GOMODCACHE"));
}

#[test]
fn the_oldest_stores_go_first_and_those_in_use_stay() {
    let dir = tempfile::tempdir().unwrap();
    let stores = dir.path().join("stores");
    let outside = dir.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("big"), vec![1; 1 << 20]).unwrap();
    for (age, name) in ["d", "a", "c", "b"].into_iter().enumerate() {
        let store = stores.join(name);
        fs::create_dir_all(store.join("npm/work/work")).unwrap();
        fs::write(store.join("npm/f"), vec![1; 200_000]).unwrap();
        // Links count as nothing, and lead nowhere.
        symlink(&outside, store.join("npm/link")).unwrap();
        // As the kernel and Go leave them.
        fs::set_permissions(store.join("npm/work/work"), fs::Permissions::from_mode(0o000)).unwrap();
        let time = Timespec {
            tv_sec: 1_000_000 + age as i64,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        utimensat(CWD, &store, &times, AtFlags::empty()).unwrap();
    }
    symlink(&outside, stores.join("0")).unwrap();
    fs::write(stores.join("file"), "").unwrap();
    let names = |used: &[&Path], most| -> Vec<String> {
        let removals = trim(&stores, used, most).into_iter();
        removals
            .map(|one| {
                assert!(one.error.is_none());
                one.store.file_name().unwrap().to_str().unwrap().to_owned()
            })
            .collect()
    };
    assert!(names(&[], 4 << 20).is_empty());
    let used = stores.join("d");
    assert_eq!(names(&[&used], 700_000), ["a"]);
    assert!(used.exists() && stores.join("b").exists() && !stores.join("a").exists());
    // A use makes a store the newest one.
    prepare(&stores.join("c"), &[]).unwrap();
    assert_eq!(names(&[&used.join("npm")], 500_000), ["b"]);
    assert_eq!(names(&[], 0), ["d", "c"]);
    assert!(outside.join("big").exists() && stores.join("file").exists() && stores.join("0").is_symlink());
}

#[test]
fn the_root_is_never_hidden_and_what_the_kernel_protects_needs_no_entry() {
    let machine = Machine::new();
    let hide = [PathBuf::from("/")];
    assert_eq!(
        machine.hidden(|request| request.hide = &hide).unwrap(),
        ["home/other", "root"]
    );
    let shadow = machine.file("etc/shadow");
    fs::set_permissions(&shadow, fs::Permissions::from_mode(0o000)).unwrap();
    let is_hidden = machine.hidden(|_| {}).unwrap().contains(&"etc/shadow".to_owned());
    assert_eq!(is_hidden, rustix::process::geteuid().is_root());
}
