//! Tests of the place of the socket and of who can access it.
//!
//! Must not know: what is sent through it.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use super::holder::{Holder, directory, sockets};
use crate::cli::decisions::refused;
use crate::cli::playbooks::{HELLO, STEPS};
use crate::cli::world::World;

fn bits(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o777
}

#[test]
fn only_the_user_can_get_at_the_socket() {
    let world = World::new();
    // A directory that is open to others is closed first.
    std::fs::create_dir_all(directory(&world)).unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(directory(&world), open).unwrap();
    let holder = Holder::play(&world, STEPS, &[]);
    assert_eq!(bits(&directory(&world)), 0o700);
    let socket = sockets(&world).pop().unwrap();
    assert_eq!(bits(&socket), 0o600);
    // If its permissions are widened meanwhile, nothing is sent through it.
    holder.waiting("start");
    std::fs::set_permissions(directory(&world), std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = world.run(&["pause", &holder.id]).ends(7);
    assert!(output.err.contains("others can access it"), "{}", output.err);
}

#[test]
fn the_runtime_directory_is_used_where_there_is_one() {
    let world = World::new();
    let runtime = world.path("runtime");
    std::fs::create_dir(&runtime).unwrap();
    let mut command = world.playing(STEPS, &["--control"]);
    command.env("XDG_RUNTIME_DIR", &runtime);
    let holder = Holder::start(&world, command);
    assert_eq!(bits(&runtime.join("overrule")), 0o700);
    assert!(sockets(&world)[0].starts_with(&runtime));
    assert!(!directory(&world).exists());
    let (start, _) = holder.waiting("start");
    let mut reject = world.command(&["reject", &holder.id, &start]);
    reject.env("XDG_RUNTIME_DIR", &runtime);
    crate::cli::world::finish(reject).ends(0);
    assert_eq!(holder.end().ends(0).out, "without start\n");
}

#[test]
fn a_place_that_leads_elsewhere_is_refused_before_anything_is_written() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/.local/state/overrule")).unwrap();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere"), directory(&world)).unwrap();
    let file = world.aside("playbook.toml", HELLO);
    let args = [
        "run",
        "--headless",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "go",
    ];
    let output = refused_but_for_sessions(&world, &[&args[..], &["--control"]].concat());
    assert!(output.contains("it is not a directory"), "{output}");
    assert_eq!(std::fs::read_dir(world.path("elsewhere")).unwrap().count(), 0);
}

fn refused_but_for_sessions(world: &World, args: &[&str]) -> String {
    std::fs::create_dir_all(world.sessions()).unwrap();
    refused(world, args, 3).err
}

#[test]
fn no_tool_writes_where_sockets_are() {
    let world = World::new();
    let home = world.path("home");
    let writes = |path: &str| {
        format!(
            "[[rule.call]]\ntool = \"write_file\"\nas = \"w\"\nargs = {{ path = \"{path}\", content = \"x\" }}\n"
        )
    };
    let playbook = format!(
        "[meta]\nname = \"w\"\n[[rule]]\nwhen = {{ seen_call = \"w\" }}\nanswer = \"{{{{ failed | join(' ') }}}}\"\n\
         [[rule]]\n{}{}{}",
        writes(".local/state/overrule/run/0.sock"),
        writes("run/overrule/0.sock").replace("\"w\"", "\"v\""),
        writes("run/other").replace("\"w\"", "\"o\"")
    );
    std::fs::create_dir(home.join("run")).unwrap();
    let file = world.aside("playbook.toml", &playbook);
    let workspace = home.to_str().unwrap();
    let mut command = world.command(&[
        "run",
        "--headless",
        "--policy",
        "auto",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "go",
        "--workspace",
        workspace,
        "--control",
    ]);
    command.env("XDG_RUNTIME_DIR", home.join("run"));
    let output = crate::cli::world::finish(command).ends(0);
    assert_eq!(output.out, "w v\n", "{}", output.err);
    assert!(!home.join(".local/state/overrule/run/0.sock").exists());
    assert!(!home.join("run/overrule/0.sock").exists());
    assert!(home.join("run/other").exists());
}
