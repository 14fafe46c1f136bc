//! Lets another process of the same user become a confined program: in its own terminal, with the plan of this process.
//!
//! Must not know: what the program is for, how a kernel confines.
//!
//! That process sends its standard input and its parent's number; it gets the words of the command and the channel of the
//! helper, and becomes the helper.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::channel::{MOST, Outside, StartError, receive, send_with};
use crate::start::{Confinement, Helper};

/// What the other process becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables in addition to those of the other process.
    pub environment: BTreeMap<String, String>,
    /// Its working directory.
    pub directory: PathBuf,
}

/// Answers a process that asked: it becomes the helper with this plan. Blocks until that one sends something.
pub fn answer(socket: &UnixStream, words: &Words, confinement: &Confinement) -> Result<Outside, StartError> {
    let lost = |error: io::Error| StartError::set_up("terminal", error);
    let mut parent = [0; 4];
    let (count, input) = receive(socket.as_fd(), &mut parent)
        .map_err(io::Error::from)
        .map_err(lost)?;
    let mut rest = socket;
    rest.read_exact(parent.get_mut(count..).unwrap_or_default())
        .map_err(lost)?;
    let input = input.ok_or_else(|| lost(io::ErrorKind::InvalidData.into()))?;
    let parent = i32::from_le_bytes(parent);
    let (outside, channel) = Outside::order_below(parent, confinement, input.as_fd())?;
    let text = serde_json::to_vec(words)
        .map_err(io::Error::other)
        .map_err(lost)?;
    let length = u32::try_from(text.len()).ok().filter(|_| text.len() <= MOST);
    let length = length.ok_or_else(|| lost(io::Error::other("the command is too long")))?;
    let sent = send_with(socket, &length.to_le_bytes(), channel.as_fd()).map_err(io::Error::from);
    sent.and_then(|()| rest.write_all(&text)).map_err(lost)?;
    Ok(outside)
}

/// Asks at a socket what this process becomes. Returns the command of the helper, which is to be executed in place of this
/// process.
pub fn ask(mut socket: &UnixStream, helper: &Helper) -> io::Result<Command> {
    let parent = rustix::process::Pid::as_raw(rustix::process::getppid());
    send_with(socket, &parent.to_le_bytes(), rustix::stdio::stdin())?;
    let mut length = [0; 4];
    let (count, channel) = receive(socket.as_fd(), &mut length)?;
    socket.read_exact(length.get_mut(count..).unwrap_or_default())?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length];
    socket.read_exact(&mut text)?;
    let channel = channel.ok_or(io::ErrorKind::InvalidData)?;
    let words: Words = serde_json::from_slice(&text)?;
    let mut command = helper.command(channel, words.program.as_ref(), &words.arguments);
    command.envs(&words.environment).current_dir(&words.directory);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use overrule_domain::sandbox::Profile;

    fn confinement(helper: &Helper) -> Confinement {
        let plan = Plan {
            profile: Profile::default(),
            namespaces: false,
            scratch: "/s".into(),
            own: Vec::new(),
            pinned: Vec::new(),
            read_only: Vec::new(),
            linked: Vec::new(),
            caches: Vec::new(),
            layered: Vec::new(),
            home: None,
            keeps_terminal: true,
            port: Some(1),
        };
        Confinement {
            plan,
            helper: helper.clone(),
            layers: None,
        }
    }

    #[test]
    fn a_process_that_asks_becomes_what_the_answer_names() {
        let words = Words {
            program: "agent".into(),
            arguments: vec!["-p".into(), "fix it".into()],
            environment: BTreeMap::from([("TOKEN".to_owned(), "t".to_owned())]),
            directory: "/w".into(),
        };
        let helper = Helper::this_program("/bin/overrule".into());
        let (ours, theirs) = UnixStream::pair().unwrap();
        let asks = std::thread::spawn({
            let helper = helper.clone();
            move || ask(&theirs, &helper).unwrap()
        });
        answer(&ours, &words, &confinement(&helper)).unwrap();
        let command = asks.join().unwrap();
        let args: Vec<_> = command.get_args().collect();
        assert_eq!(args, ["agent", "-p", "fix it"]);
        assert_eq!(command.get_program(), "/proc/self/exe");
        assert_eq!(command.get_current_dir().unwrap(), std::path::Path::new("/w"));
        let all: Vec<_> = command.get_envs().collect();
        assert_eq!(all, [("TOKEN".as_ref(), Some("t".as_ref()))]);
    }

    #[test]
    fn a_process_that_sends_no_input_gets_nothing() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(&[1, 0, 0, 0]).unwrap();
        let words = Words {
            program: "agent".into(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            directory: "/".into(),
        };
        let helper = Helper::this_program("/bin/overrule".into());
        assert!(answer(&ours, &words, &confinement(&helper)).is_err());
        drop(ours);
        let mut rest = Vec::new();
        theirs.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty());
    }
}
