//! Finds where the API key comes from, and obtains it when needed.
//!
//! Must not know: whom the key is for.
//!
//! The key is never shown.

use std::fmt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use overrule_base::text::visible;
use overrule_model::wire::Wire;

use super::error::{Error, shown};
use super::files;
use super::settings::{Origin, Setting};

/// Interval at which a key command is checked, for 30 seconds in all.
const STEP: Duration = Duration::from_millis(20);
const STEPS: u32 = 1500;
/// How long its output may stay open after its end: a process that it started may hold it open forever.
const OUTPUT: Duration = Duration::from_secs(5);
/// Maximum bytes of its output that are read.
const MOST: usize = 1 << 16;

/// A key with the server that it was set with: it is sent to no other.
#[derive(Debug, Clone)]
pub struct KeyOf {
    /// The key.
    pub key: Key,
    /// Its origin.
    pub origin: Origin,
    /// Base URL of its server.
    pub home: String,
    /// True if it is sent as a token.
    pub is_token: bool,
    /// True for a variable of a provider with another wire format than the one that is set.
    pub is_of_other: bool,
}

impl KeyOf {
    /// True if this base URL is equal to that of the key's server. The client decides what to send by the parsed
    /// address.
    pub fn is_of(&self, base_url: &str) -> bool {
        let server = |url: &str| {
            let end = url.match_indices('/').nth(2).map_or(url.len(), |(at, _)| at);
            url.get(..end).unwrap_or(url).to_ascii_lowercase()
        };
        server(&self.home) == server(base_url)
    }

    /// The key with its origin.
    pub fn setting(&self) -> Setting<Key> {
        Setting {
            value: self.key.clone(),
            origin: self.origin.clone(),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::Environment(name) => (*name).to_owned(),
            origin => format!("the api_key of {origin}"),
        }
    }
}

/// A shell command that prints a key, and the cached key: the command may ask for a passphrase.
#[derive(Clone)]
pub struct KeyCommand {
    line: String,
    /// Variables with keys of others, which it does not get.
    without: Arc<[String]>,
    got: Arc<OnceLock<SecretString>>,
}

impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", visible(&self.line))
    }
}

impl<T: Into<String>> From<T> for KeyCommand {
    fn from(line: T) -> Self {
        Self {
            line: line.into(),
            without: Arc::default(),
            got: Arc::default(),
        }
    }
}

/// Where the API key comes from.
#[derive(Clone, Default)]
pub enum Key {
    /// There is no key; local servers need none.
    #[default]
    None,
    /// The key itself.
    Value(SecretString),
    /// The first line that this shell command prints; it is run once.
    Command(KeyCommand),
    /// The first line of this file.
    File(PathBuf),
    /// The value of a variable of the environment, which may be unset.
    Variable {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<SecretString>,
    },
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}

impl Key {
    /// Keeps these variables from a command that prints the key.
    pub fn withhold(&mut self, variables: &Arc<[String]>) {
        if let Self::Command(asked) = self {
            asked.without = Arc::clone(variables);
        }
    }

    /// Describes the key without showing it.
    pub fn summary(&self) -> String {
        match self {
            Self::None => "none".into(),
            Self::Value(_) => "set, not shown".into(),
            Self::Command(asked) => format!("from the command `{}`", visible(&asked.line)),
            Self::File(path) => format!("from {}", shown(path)),
            Self::Variable { name, value: None } => format!("from {name}, which is not set"),
            Self::Variable { name, .. } => format!("from {name}, not shown"),
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
            Self::Variable { name, value } => {
                let value = value.as_ref().ok_or_else(|| {
                    Error::key(name.as_str(), "the variable is not set", "set it to the key")
                })?;
                clean(value.expose_secret(), name).map(Some)
            }
            Self::Command(asked) => {
                if let Some(key) = asked.got.get() {
                    return Ok(Some(key.clone()));
                }
                let from = format!("the command `{}`", visible(&asked.line));
                let text = run(asked, &from)?;
                let key = clean(text.expose_secret(), &from)?;
                Ok(Some(asked.got.get_or_init(|| key).clone()))
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

fn run(command: &KeyCommand, from: &str) -> Result<SecretString, Error> {
    let failed = |why: String| Error::key(from, why, "run it in a shell and correct the command");
    let mut shell = Command::new("sh");
    // A command gets no key of a provider, and none that the settings name.
    for variable in Wire::all().flat_map(|wire| wire.key_env()) {
        shell.env_remove(variable.name);
    }
    for variable in &*command.without {
        shell.env_remove(variable);
    }
    let mut child = shell
        .arg("-c")
        .arg(&command.line)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    // Read while it runs: a full pipe would block it.
    let lines = child.stdout.take().map(first_line);
    let result = wait(&mut child).and_then(|()| {
        lines
            .ok_or("it has no output")?
            .recv_timeout(OUTPUT)
            .map_err(|_| "it ended, but something that it started keeps its output open")?
    });
    if result.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    result.map_err(|why| failed(why.into()))
}

/// Returns the first line of an output, as soon as it is complete. A thread reads it, because a read has no time
/// limit; the thread ends with the output at the latest.
fn first_line(
    mut pipe: impl std::io::Read + Send + 'static,
) -> mpsc::Receiver<Result<SecretString, &'static str>> {
    let (sender, line) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut piece = [0; 1024];
        let mut message = false;
        loop {
            let read = match pipe.read(&mut piece) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) | Ok(0) => break,
                Ok(read) => read,
            };
            if message {
                // Read the rest too, so that the command does not fail on a closed pipe.
                continue;
            }
            bytes.extend(piece.iter().take(read));
            if bytes.contains(&b'\n') || bytes.len() >= MOST {
                message = true;
                let _ = sender.send(text(std::mem::take(&mut bytes)));
            }
        }
        if !message {
            let _ = sender.send(text(bytes));
        }
    });
    line
}

fn text(bytes: Vec<u8>) -> Result<SecretString, &'static str> {
    String::from_utf8(bytes)
        .map(SecretString::from)
        .map_err(|_| "its output is not text")
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
