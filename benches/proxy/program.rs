//! The real program as a proxy, in directories of its own.
//!
//! Must not know: what is sent to it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::server::Server;

/// A proxy that allows every call.
pub struct Program {
    child: Child,
    /// The address for agents.
    pub base: String,
    _directory: TempDir,
}

impl Program {
    /// Starts it in front of a server.
    pub fn begin(server: &Server) -> Self {
        let directory = TempDir::new().unwrap();
        let path = |name: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path
        };
        #[expect(clippy::disallowed_methods, reason = "a measurement has no settings")]
        let other = std::env::var_os("OVERRULE_BENCH_PROGRAM");
        let program = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_overrule").into());
        let mut child = Command::new(program)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", path("home"))
            .env("USER", "bench")
            .env("OVERRULE_SESSIONS", path("sessions"))
            .current_dir(path("workspace"))
            .args([
                "proxy",
                "--headless",
                "--policy",
                "auto",
                "--listen",
                "127.0.0.1:0",
            ])
            .args(["--wire", "anthropic", "--upstream", &server.base()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let base = lines.find_map(|line| line.unwrap().strip_prefix("the proxy serves ").map(str::to_owned));
        // The program must not wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            base: base.unwrap(),
            _directory: directory,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
