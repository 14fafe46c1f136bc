//! Tests of `--window tmux`: the agent in a pane of a real tmux. Without tmux they say so and pass.
//!
//! Must not know: how the pane is made.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::proxy::world::{World, until};

/// A server of tmux with one window of 120 by 40, and nothing of the tester's own.
struct Tmux<'w>(&'w World);

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]).output();
    }
}

impl<'w> Tmux<'w> {
    /// Runs the program in the window, with an agent of this text in its path. None without tmux.
    fn with_agent(world: &'w World, script: &str) -> Option<Self> {
        Self::with_agent_in(world, ("bin", ""), script)
    }

    /// The same with the agent in another directory of the world, and more flags of the proxy.
    fn with_agent_in(world: &'w World, (bin, flags): (&str, &str), script: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: the test of tmux panes: tmux is not installed");
            return None;
        }
        let bin = world.path(bin);
        fs::create_dir(&bin).unwrap();
        // Written by another process: a file that this one has open may be in a child of another test, and does not start.
        let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
        let written = Command::new("/bin/sh")
            .args(["-c", write, "sh", script])
            .arg(bin.join("claude"))
            .status();
        assert!(written.unwrap().success());
        let tmux = Self(world);
        // The server of tmux does not have that path.
        let line = format!(
            "PATH={}:$PATH OVERRULE_PROXY_TOKEN=0123456789abcdefgh {} proxy {flags} --window tmux claude 'fix it'; echo code=$?; sleep 600",
            bin.display(),
            crate::support::program(),
        );
        let begun = tmux
            .tmux(&[
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "120",
                "-y",
                "40",
                &line,
            ])
            .output();
        let begun = begun.unwrap();
        assert!(
            begun.status.success(),
            "{}",
            String::from_utf8_lossy(&begun.stderr)
        );
        Some(tmux)
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        let of_world = self.0.command(&[]);
        let variables = of_world.get_envs();
        command
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))))
            .env("TMUX_TMPDIR", self.0.path(""))
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .current_dir(self.0.ws())
            .stdin(Stdio::null())
            .args(args);
        command
    }

    /// The panes, and which of them is the active one.
    fn panes(&self) -> Vec<(String, bool)> {
        let listed = self.tmux(&["list-panes", "-a", "-F", "#{pane_id} #{pane_active}"]);
        let listed = { listed }.output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let pane = |line: &str| {
            line.split_once(' ')
                .map(|(id, active)| (id.to_owned(), active == "1"))
        };
        listed.lines().filter_map(pane).collect()
    }

    /// Waits until the program has ended; returns the panes that are left.
    fn ended(&self) -> Vec<(String, bool)> {
        until("the program ended", || {
            let panes = self.panes();
            panes
                .first()
                .is_some_and(|(pane, _)| self.text(pane).contains("code="))
        });
        self.panes()
    }

    /// What stands in a pane.
    fn text(&self, pane: &str) -> String {
        let text = self
            .tmux(&["capture-pane", "-p", "-J", "-t", pane])
            .output()
            .unwrap();
        String::from_utf8(text.stdout).unwrap()
    }
}

fn is_written(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.ends_with("end\n"))
}

#[test]
fn an_agent_in_a_pane_has_the_path_and_the_address_and_its_failure_is_told_and_stays_readable() {
    let script = "#!/bin/sh\nprintf '%s\\n%s\\n%s\\n%s\\nend\\n' \"$PATH\" \"$ANTHROPIC_BASE_URL\" \"$*\" \
                  \"${OVERRULE_PROXY_TOKEN-none}\" > asked\nread go\necho the last words >&2\nexit 3\n";
    let world = World::new();
    let Some(tmux) = Tmux::with_agent(&world, script) else {
        return;
    };
    let asked = world.ws().join("asked");
    until("the agent started", || is_written(&asked));
    let asked = fs::read_to_string(asked).unwrap();
    let lines: Vec<&str> = asked.lines().collect();
    let [path, address, own, token, _] = lines.as_slice() else {
        panic!("{asked}");
    };
    assert!(path.starts_with(world.path("bin").to_str().unwrap()), "{path}");
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(own.ends_with("fix it"), "{own}");
    assert_eq!(*token, "none", "the token is in the address alone");
    let panes = tmux.panes();
    assert!(
        matches!(panes.as_slice(), [(_, true), (_, false)]),
        "the console keeps the keys: {panes:?}"
    );
    let (console, agent) = (&panes.first().unwrap().0, &panes.last().unwrap().0);
    let sent = tmux.tmux(&["send-keys", "-t", agent, "Enter"]).status().unwrap();
    assert!(sent.success());
    until("the program ended", || tmux.text(console).contains("code="));
    let told = tmux.text(console);
    assert!(told.contains("code=1"), "{told}");
    assert!(told.contains("the agent ended with exit status 3"), "{told}");
    assert_eq!(tmux.panes().len(), 2, "the pane of the agent stays");
    assert!(
        tmux.text(agent).contains("the last words"),
        "{}",
        tmux.text(agent)
    );
}

#[test]
fn an_agent_in_a_pane_that_ends_well_closes_it() {
    let world = World::new();
    let Some(tmux) = Tmux::with_agent(&world, "#!/bin/sh\nexit 0\n") else {
        return;
    };
    let panes = tmux.ended();
    let texts: Vec<String> = panes.iter().map(|(pane, _)| tmux.text(pane)).collect();
    assert_eq!(panes.len(), 1, "{texts:?}");
    let told = tmux.text(&panes.first().unwrap().0);
    assert!(told.contains("code=1"), "{told}");
    assert!(
        told.contains("the agent ended, or its tmux pane was closed"),
        "{told}"
    );
}

#[test]
fn an_agent_that_is_not_there_is_told_in_its_pane() {
    let world = World::new();
    let Some(tmux) = Tmux::with_agent(&world, "#!/nowhere/interpreter\n") else {
        return;
    };
    let panes = tmux.ended();
    let [(console, _), (agent, _)] = panes.as_slice() else {
        panic!("{panes:?}");
    };
    let told = tmux.text(console);
    assert!(told.contains("the agent ended with exit status 127"), "{told}");
    assert!(tmux.text(agent).contains("No such file"), "{}", tmux.text(agent));
}

#[test]
fn a_confined_agent_in_a_pane_keeps_its_terminal_and_writes_nothing_outside() {
    let script = "#!/bin/sh\n{ test -t 0 && echo terminal; stty size < /dev/tty > /dev/null && echo opened; \
                  echo \"$ANTHROPIC_BASE_URL\"; echo \"$*\"; } > asked 2>&1\n\
                  echo out > \"$HOME/outside.txt\"\necho key > .mcp.json\ncat \"$HOME/.ssh/id\" > key.txt\n\
                  echo end >> asked\nread go\necho done >> asked\n";
    let world = World::new();
    fs::create_dir_all(world.path("home/.ssh")).unwrap();
    fs::write(world.path("home/.ssh/id"), "the key").unwrap();
    let Some(tmux) = Tmux::with_agent_in(&world, ("home/bin", "--sandbox=1"), script) else {
        return;
    };
    let asked = world.ws().join("asked");
    until("the agent started, or cannot", || {
        let panes = tmux.panes();
        let lacks = panes
            .first()
            .is_some_and(|(pane, _)| tmux.text(pane).contains("network of its own"));
        lacks || is_written(&asked)
    });
    if !asked.exists() {
        eprintln!("SKIPPED: this machine has no namespaces");
        return;
    }
    let text = fs::read_to_string(&asked).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let ["terminal", "opened", address, own, "end"] = lines.as_slice() else {
        panic!("{text}");
    };
    assert!(
        address.starts_with("http://127.0.0.1:") && own.ends_with("fix it"),
        "{text}"
    );
    assert!(!world.path("home/outside.txt").exists());
    assert_eq!(world.read("key.txt"), "");
    let panes = tmux.panes();
    let [(console, true), (agent, false)] = panes.as_slice() else {
        panic!("{panes:?}");
    };
    assert!(
        tmux.text(console).contains("sandbox 1 partial"),
        "{}",
        tmux.text(console)
    );
    // Its keys are its own.
    tmux.tmux(&["send-keys", "-t", agent, "go", "Enter"])
        .status()
        .unwrap();
    until("it read a line", || {
        fs::read_to_string(&asked).is_ok_and(|text| text.ends_with("done\n"))
    });
    tmux.ended();
    let text = tmux.text(console);
    assert!(text.contains("without a request"), "{text}");
    let left = fs::read_dir(world.path("home/.local/share/overrule/sandbox/sessions"));
    assert_eq!(left.unwrap().count(), 0);
}
