//! Sends one command to the process that holds a session.
//!
//! Must not know: how the command came about, how its answer is shown.

use std::future::Future;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use super::error::{Error, shown};
use super::peer;
use super::place::Places;
use super::protocol::{self, Definitions, Greeting, MOST_BYTES, Reply, Request, VERSION};
use overrule_base::text::visible;
use overrule_domain::id::Seq;
use overrule_domain::refusal::Refusal;

/// Time limit for the holder's greeting.
const GREETING: Duration = Duration::from_secs(5);
/// Time limit for its answer, longer than the one it sets itself.
const ANSWER: Duration = Duration::from_secs(45);

/// The session that a command is for.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Where sockets are.
    pub places: &'a Places,
    /// The session's directory.
    pub session: &'a Path,
    /// The process that has it open, if the lock shows it.
    pub holder: Option<u32>,
}

/// The holder's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Decided, and on disk.
    Recorded(Seq),
    /// Not done, for this reason.
    Refused(Refusal),
    /// The definitions of a server.
    Shown(Definitions),
    /// Done, without an event.
    Done,
}

/// Hands over a command and waits for the answer.
pub async fn send(target: Target<'_>, request: &Request) -> Result<Answer, Error> {
    let line = protocol::line(request);
    if line.len() > MOST_BYTES {
        return Err(Error::TooLong {
            bytes: line.len(),
            most: MOST_BYTES,
        });
    }
    let (_, mut from, mut to) = greeted(target).await?;
    // If the line could not be written completely, whether it was read is unknown.
    let unknown = |why: String| Error::NoAnswer { why };
    timeout(GREETING, to.write_all(&line))
        .await
        .map_err(|_| unknown("it does not read the command".into()))?
        .map_err(|error| unknown(error.to_string()))?;
    match hear(ANSWER, protocol::read(&mut from)).await.map_err(unknown)? {
        Reply::Recorded { seq } => Ok(Answer::Recorded(seq)),
        Reply::Refused { refusal } => Ok(Answer::Refused(refusal)),
        Reply::Shown(definitions) => Ok(Answer::Shown(definitions)),
        Reply::Done => Ok(Answer::Done),
        Reply::Error { message } => Err(Error::NotTaken {
            why: visible(&message),
        }),
    }
}

/// Connects and reads the greeting, which must be of this program's version.
async fn greeted(target: Target<'_>) -> Result<(Greeting, BufReader<OwnedReadHalf>, OwnedWriteHalf), Error> {
    let stream = connect(&target).await?;
    let (from, to) = stream.into_split();
    let mut from = BufReader::new(from);
    let greeting: Greeting = hear(GREETING, protocol::read(&mut from))
        .await
        .map_err(|why| Error::NotTaken { why })?;
    if greeting.overrule_control != VERSION {
        return Err(Error::NotTaken {
            why: format!(
                "it speaks version {} and this program version {VERSION}: use the same overrule for both",
                greeting.overrule_control
            ),
        });
    }
    Ok((greeting, from, to))
}

async fn connect(target: &Target<'_>) -> Result<UnixStream, Error> {
    let path = target.places.find(target.session)?;
    let stream = match timeout(GREETING, UnixStream::connect(&path)).await {
        Ok(Ok(stream)) => stream,
        // The socket of a killed process; the present holder has not opened one.
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(Error::NoSocket),
        Ok(Err(error)) => return Err(Error::io("connect to", &path, error)),
        Err(_) => {
            return Err(Error::NotTaken {
                why: "it does not take connections".into(),
            });
        }
    };
    let stranger = |why: String| Error::Stranger {
        path: shown(&path),
        why,
    };
    let (user, pid) = peer::listener(&stream).map_err(|error| stranger(error.to_string()))?;
    let me = rustix::process::geteuid().as_raw();
    if user != me {
        return Err(stranger(format!(
            "user {user} listens there, and you are user {me}"
        )));
    }
    match (target.holder, pid) {
        (Some(holder), Some(pid)) if holder != pid => Err(stranger(format!(
            "process {pid} listens there, and process {holder} has it open"
        ))),
        _ => Ok(stream),
    }
}

/// Waits for a line and parses it; errors are described as text.
async fn hear<T: DeserializeOwned>(
    patience: Duration,
    line: impl Future<Output = io::Result<Vec<u8>>>,
) -> Result<T, String> {
    let line = timeout(patience, line)
        .await
        .map_err(|_| format!("nothing came for {} s", patience.as_secs()))?
        .map_err(|error| error.to_string())?;
    serde_json::from_slice(&line).map_err(|_| {
        // It may be a refusal of the connection itself.
        match serde_json::from_slice(&line) {
            Ok(Reply::Error { message }) => visible(&message),
            _ => "it sent an unknown message".to_owned(),
        }
    })
}
