//! Where the API key comes from, and obtaining it when it is needed. It is never shown.
//!
//! Must not know: whom the key is for.

use std::fmt;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::text::visible;

use super::error::{Error, shown};
use super::files;

/// Interval at which a key command is checked, for 30 seconds in all.
const STEP: Duration = Duration::from_millis(20);
const STEPS: u32 = 1500;

/// Where the API key comes from.
#[derive(Clone, Default)]
pub enum Key {
    /// There is no key; local servers need none.
    #[default]
    None,
    /// The key itself.
    Value(SecretString),
    /// The first line that this shell command prints.
    Command(String),
    /// The first line of this file.
    File(PathBuf),
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}

impl Key {
    /// Describes the key without showing it.
    pub fn summary(&self) -> String {
        match self {
            Self::None => "none".into(),
            Self::Value(_) => "set, not shown".into(),
            Self::Command(command) => format!("from the command `{}`", visible(command)),
            Self::File(path) => format!("from {}", shown(path)),
        }
    }

    /// Obtains the key by reading the file or running the command. Returns `None` if there is none.
    pub fn get(&self) -> Result<Option<SecretString>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Value(secret) => clean(secret.expose_secret(), "the settings").map(Some),
            Self::File(path) => {
                let text = SecretString::from(files::read_named(path)?.text);
                clean(text.expose_secret(), &shown(path)).map(Some)
            }
            Self::Command(command) => {
                let from = format!("the command `{}`", visible(command));
                let text = run(command, &from)?;
                clean(text.expose_secret(), &from).map(Some)
            }
        }
    }
}

/// Returns the first line, if it can be sent as a key.
fn clean(text: &str, from: &str) -> Result<SecretString, Error> {
    let line = text.lines().next().unwrap_or("").trim();
    if line.is_empty() {
        return Err(Error::key(
            from,
            "its first line is empty",
            "put the key there, alone on the line",
        ));
    }
    if !line.chars().all(|c| c.is_ascii_graphic()) {
        let why = "it holds a space or a character that no key has";
        return Err(Error::key(from, why, "put the key there, alone on the line"));
    }
    Ok(SecretString::from(line))
}

fn run(command: &str, from: &str) -> Result<SecretString, Error> {
    let failed = |why: String| Error::key(from, why, "run it in a shell and correct api_key_cmd");
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let result = wait(&mut child).and_then(|()| {
        let mut text = String::new();
        let pipe = child.stdout.take().ok_or("it has no output")?;
        pipe.take(1 << 16)
            .read_to_string(&mut text)
            .map_err(|_| "its output is not text")?;
        Ok(SecretString::from(text))
    });
    if result.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    result.map_err(|why| failed(why.into()))
}

fn wait(child: &mut Child) -> Result<(), &'static str> {
    for _ in 0..STEPS {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err("it failed"),
            Ok(None) => std::thread::sleep(STEP),
            Err(_) => return Err("it cannot be waited for"),
        }
    }
    Err("it did not end within 30 seconds")
}
