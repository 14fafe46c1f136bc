//! Tests what one call leaves for the next ones, and what calls at the same time share.
//!
//! Must not know: how a tool calls the sandbox.

use std::fs;
use std::path::{Path, PathBuf};

use overrule::domain::sandbox::{Level, Profile};
use overrule::sandbox::session::{PrepareError, Request, Sandbox};
use overrule::tools::child::{self, Environment, Start, Started};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use super::machine::helper;

/// A home with a cache and hidden files, and a workspace.
struct World {
    _root: tempfile::TempDir,
    root: PathBuf,
    sandbox: Sandbox,
    profile: Profile,
}

impl World {
    /// None where the machine has no namespaces.
    async fn new(place: &Path, change: impl FnOnce(&Path, &mut Request)) -> Option<Self> {
        let kept = tempfile::tempdir_in(place).unwrap();
        let root = kept.path().canonicalize().unwrap();
        for path in ["home/.cache", "home/.config/gh", "deep/w", "outside", "store"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        fs::write(root.join("home/.config/gh/hosts.yml"), "TOKEN").unwrap();
        let mut request = Request {
            level: Level::Workspace,
            workspace: root.join("deep/w"),
            write: Vec::new(),
            hide: Vec::new(),
            show: Vec::new(),
            network: Vec::new(),
            unix_sockets: false,
            home: Some(root.join("home")),
            own: vec![root.join("store"), root.join("home/.config/overrule")],
            store: root.join("store"),
            session: "s".to_owned(),
            namespaces: true,
        };
        change(&root, &mut request);
        let (sandbox, profile) = Sandbox::prepare(helper(), &request).await.unwrap();
        if !sandbox.machine().namespaces {
            println!("SKIPPED: {:?}", sandbox.machine().missing);
            return None;
        }
        Some(Self {
            _root: kept,
            root,
            sandbox,
            profile,
        })
    }

    async fn start(&self, line: &str) -> Started {
        let planned = self.sandbox.plan(&self.profile);
        let variables = planned.variables.iter();
        let variables = variables.map(|(name, value)| ((*name).into(), value.clone().into_os_string()));
        let what = Start {
            program: "sh".as_ref(),
            args: &["-c", line],
            cwd: &self.root.join("deep/w"),
            environment: &Environment::default().with(variables),
            confinement: Some(&planned.confinement),
        };
        child::start_fed(what).await.unwrap()
    }

    /// What a line prints, both outputs.
    async fn run(&self, line: &str) -> String {
        let mut started = self.start(&format!("exec 2>&1; {line}")).await;
        drop(started.child.stdin.take());
        let mut text = String::new();
        let mut output = started.child.stdout.take().unwrap();
        output.read_to_string(&mut text).await.unwrap();
        started.child.wait().await.unwrap();
        text
    }
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

#[tokio::test]
async fn a_hidden_path_cannot_be_moved_with_its_directory_to_be_read_there() {
    let everything = |root: &Path, request: &mut Request| request.write.push(root.join("home"));
    let Some(world) = World::new(target(), everything).await else {
        return;
    };
    let home = world.root.join("home");
    let said = world
        .run(&format!("mv {0}/.config {0}/moved; echo $?", home.display()))
        .await;
    assert!(said.contains("busy") && said.ends_with("1\n"), "{said}");
    let read = world
        .run(&format!(
            "cat {0}/.config/gh/hosts.yml {0}/moved/gh/hosts.yml",
            home.display()
        ))
        .await;
    assert!(!read.contains("TOKEN"), "{read}");
    assert!(home.join(".config/gh/hosts.yml").exists());
}

#[tokio::test]
async fn a_missing_directory_of_this_program_cannot_be_made_in_a_writable_one() {
    let everything = |root: &Path, request: &mut Request| request.write.push(root.join("home"));
    let Some(world) = World::new(target(), everything).await else {
        return;
    };
    let own = world.root.join("home/.config/overrule");
    world
        .run(&format!(
            "mkdir -p {0}; echo level=0 > {0}/config.toml",
            own.display()
        ))
        .await;
    assert!(!own.join("config.toml").exists());
}

#[tokio::test]
async fn a_hidden_path_that_comes_later_is_hidden_from_the_next_call() {
    let Some(world) = World::new(target(), |_, _| {}).await else {
        return;
    };
    let keys = world.root.join("home/.aws");
    fs::create_dir(&keys).unwrap();
    fs::write(keys.join("credentials"), "TOKEN").unwrap();
    let read = world.run(&format!("cat {}/credentials", keys.display())).await;
    assert!(!read.contains("TOKEN"), "{read}");
}

#[tokio::test]
async fn a_link_that_a_call_leaves_in_its_temporary_directory_is_not_followed() {
    let Some(world) = World::new(Path::new("/tmp"), |_, _| {}).await else {
        return;
    };
    let (deep, outside) = (world.root.join("deep"), world.root.join("outside"));
    let said = world.run("echo one > file; cat file").await;
    assert_eq!(said, "one\n");
    let (deep, outside) = (deep.display(), outside.display());
    world
        .run(&format!(
            "mv {deep} {deep}2; mkdir -p {outside}; ln -s {outside} {deep}; ls -l {deep}"
        ))
        .await;
    let planned = world.sandbox.plan(&world.profile);
    let what = Start {
        program: "true".as_ref(),
        args: &[""; 0],
        cwd: &world.root.join("deep/w"),
        environment: &Environment::default(),
        confinement: Some(&planned.confinement),
    };
    if let Err(error) = child::start(what).await {
        assert!(error.to_string().contains("private directory"), "{error}");
    }
    let inside: Vec<_> = fs::read_dir(world.root.join("outside")).unwrap().collect();
    assert!(inside.is_empty(), "{inside:?}");
}

#[tokio::test]
async fn calls_at_the_same_time_share_their_caches() {
    let Some(world) = World::new(target(), |_, _| {}).await else {
        return;
    };
    if !world.sandbox.machine().overlays {
        println!("SKIPPED: there are no layers over caches");
        return;
    }
    let cache = world.root.join("home/.cache");
    let cache = cache.display();
    let line = format!(
        "mkdir {cache}/d && echo a > {cache}/d/first && echo ready; read word; echo b >> {cache}/d/first"
    );
    let mut first = world.start(&line).await;
    let mut lines = BufReader::new(first.child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("ready"));
    let second = world
        .run(&format!(
            "cat {cache}/d/first && echo c > {cache}/d/second && echo done"
        ))
        .await;
    assert_eq!(second, "a\ndone\n");
    drop(first.child.stdin.take());
    assert!(first.child.wait().await.unwrap().success());
    let third = world.run(&format!("cat {cache}/d/first {cache}/d/second")).await;
    assert_eq!(third, "a\nb\nc\n");
    let real: Vec<_> = fs::read_dir(world.root.join("home/.cache")).unwrap().collect();
    assert!(real.is_empty(), "the real cache was written: {real:?}");
}

#[tokio::test]
async fn another_process_with_the_workspace_has_layers_of_its_own() {
    let Some(world) = World::new(target(), |_, _| {}).await else {
        return;
    };
    if !world.sandbox.machine().overlays {
        println!("SKIPPED: there are no layers over caches");
        return;
    }
    let cache = world.root.join("home/.cache");
    let cache = cache.display();
    world.run(&format!("echo a > {cache}/one")).await;
    let mut request = Request {
        session: "other".to_owned(),
        ..request_of(&world)
    };
    request.home = Some(world.root.join("home"));
    let (sandbox, profile) = Sandbox::prepare(helper(), &request).await.unwrap();
    let planned = sandbox.plan(&profile);
    let upper = &planned.confinement.plan.caches.first().unwrap().upper;
    let own = world.sandbox.plan(&world.profile);
    assert_ne!(*upper, own.confinement.plan.caches.first().unwrap().upper);
}

fn request_of(world: &World) -> Request {
    Request {
        level: Level::Workspace,
        workspace: world.root.join("deep/w"),
        write: Vec::new(),
        hide: Vec::new(),
        show: Vec::new(),
        network: Vec::new(),
        unix_sockets: false,
        home: None,
        own: vec![world.root.join("store")],
        store: world.root.join("store"),
        session: "s".to_owned(),
        namespaces: true,
    }
}

#[tokio::test]
async fn a_workspace_that_commands_would_not_see_is_refused() {
    let Some(world) = World::new(target(), |_, _| {}).await else {
        return;
    };
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        if !Path::new(place).is_dir() || fs::symlink_metadata(place).unwrap().is_symlink() {
            continue;
        }
        let request = Request {
            workspace: place.into(),
            ..request_of(&world)
        };
        let error = Sandbox::prepare(helper(), &request).await.unwrap_err();
        assert!(matches!(error, PrepareError::Replaced(_)), "{place}: {error}");
        assert!(error.to_string().contains(place) && error.to_string().contains("--sandbox 0"));
    }
}

#[tokio::test]
async fn a_writable_directory_at_or_in_a_cache_is_the_real_one() {
    let caches = |root: &Path, _: &mut Request| {
        for path in ["home/.npm", "home/.cache/tool", "home/.cargo/registry"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
    };
    let Some(mut world) = World::new(target(), caches).await else {
        return;
    };
    if !world.sandbox.machine().overlays {
        println!("SKIPPED: there are no layers over caches");
        return;
    }
    world.run("true").await;
    let home = world.root.join("home");
    let write = |world: &mut World, path: &Path| {
        world.profile.write.push(path.to_str().unwrap().to_owned());
    };
    for place in [".npm", ".cache/tool"] {
        let place = home.join(place);
        let line = format!("echo one > {}/made", place.display());
        write(&mut world, &place);
        assert_eq!(world.run(&line).await, "");
        assert_eq!(fs::read_to_string(place.join("made")).unwrap(), "one\n");
    }
    // Next to it nothing is written.
    let said = world
        .run(&format!("echo one > {}/.cache/other", home.display()))
        .await;
    assert!(said.contains("Read-only file system"), "{said}");
    // A cache inside of a writable directory keeps its layer.
    write(&mut world, &home);
    let line = format!(
        "cd {} && echo two > .cargo/registry/made && echo two > file",
        home.display()
    );
    assert_eq!(world.run(&line).await, "");
    assert!(!home.join(".cargo/registry/made").exists());
    assert_eq!(fs::read_to_string(home.join("file")).unwrap(), "two\n");
    let said = world
        .run(&format!("cat {}/.cargo/registry/made", home.display()))
        .await;
    assert_eq!(said, "two\n");
}

#[tokio::test]
async fn a_search_for_repositories_that_is_cut_is_known_at_the_start_and_after_each_call() {
    let many = |root: &Path, from: usize| {
        for number in from..from + 10_100 {
            fs::write(root.join(format!("deep/w/f{number}")), "").unwrap();
        }
    };
    let Some(world) = World::new(target(), |root, _| many(root, 0)).await else {
        return;
    };
    assert!(!world.sandbox.is_searched());
    let Some(world) = World::new(target(), |_, _| {}).await else {
        return;
    };
    assert!(world.sandbox.is_searched());
    let mut begun = world.sandbox.begin(&world.profile);
    assert!(world.sandbox.is_searched());
    many(&world.root, 0);
    assert_eq!(begun.end().len(), 1);
    assert!(!world.sandbox.is_searched());
    fs::remove_dir_all(world.root.join("deep/w")).unwrap();
    fs::create_dir(world.root.join("deep/w")).unwrap();
    assert!(world.sandbox.begin(&world.profile).end().is_empty());
    assert!(world.sandbox.is_searched());
}
