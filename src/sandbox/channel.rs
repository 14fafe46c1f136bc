//! The channel between this program and its helper: one socket, which is the helper's standard input at first.
//!
//! Must not know: how the helper confines itself.
//!
//! Down goes the order, with the descriptor of the command's own standard input. Up come the sockets on which this program is
//! reached, `ready`, or the step that failed. The end of the socket after `ready` means that the command runs.

use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::start::Confinement;
use overrule_domain::sandbox::ReadOnly;

/// The most bytes of an order. More would not fit into the socket before the helper reads.
pub(crate) const MOST: usize = 128 * 1024;

/// The most descriptors of an order, besides that of the standard input.
const MOST_DESCRIPTORS: u8 = 8;

const LISTENS: u8 = b'L';
const USER: u8 = b'U';
const READY: u8 = b'R';
const FAILED: u8 = b'F';
const NOT_FOUND: u8 = b'N';

/// What the helper receives.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// How it confines itself.
    pub(crate) plan: Plan,
    /// Process id of this program, with which the child ends.
    pub(crate) parent: i32,
    /// Path of this program, which a child runs to reach the proxy.
    pub(crate) program: PathBuf,
}

/// Why a child did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The sandbox could not be set up. The command did not run.
    #[error("the sandbox could not be set up: {step}: {why}")]
    SetUp {
        /// The step that failed.
        step: String,
        /// Why.
        why: String,
    },
    /// The command could not be started in it.
    #[error(transparent)]
    Command(io::Error),
}

impl From<StartError> for io::Error {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Command(error) => error,
            error @ StartError::SetUp { .. } => Self::other(error.to_string()),
        }
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Command(error)
    }
}

impl StartError {
    pub(crate) fn set_up(step: &str, why: impl ToString) -> Self {
        Self::SetUp {
            step: step.to_owned(),
            why: why.to_string(),
        }
    }
}

/// The end of this program.
#[derive(Debug)]
pub struct Outside {
    socket: UnixStream,
}

impl Outside {
    /// Creates a channel and writes the order into it. Returns the other end, which becomes the helper's standard input;
    /// `input` becomes that of the command.
    pub fn order(confinement: &Confinement, input: BorrowedFd<'_>) -> Result<(Self, OwnedFd), StartError> {
        let parent = rustix::process::getpid().as_raw_nonzero().get();
        Self::order_below(parent, confinement, input)
    }

    /// Does the same for a helper that is started by another process: the command ends with `parent`.
    pub(crate) fn order_below(
        parent: i32,
        confinement: &Confinement,
        input: BorrowedFd<'_>,
    ) -> Result<(Self, OwnedFd), StartError> {
        let Confinement { plan, helper, layers } = confinement;
        let mut plan = plan.clone();
        if !plan.namespaces && !plan.profile.read_only.is_empty() {
            return Err(StartError::set_up("read-only paths", "there are no namespaces"));
        }
        // The plan itself has these places.
        plan.profile.read_only = ReadOnly::default();
        let order = Order {
            plan,
            parent,
            program: helper.program.clone(),
        };
        let text = serde_json::to_vec(&order).map_err(|error| StartError::set_up("order", error))?;
        if text.len() > MOST {
            let why = format!(
                "it names too many paths: {} bytes, and {MOST} is the most",
                text.len()
            );
            return Err(StartError::set_up("order", why));
        }
        let (ours, theirs) = UnixStream::pair().map_err(|error| StartError::set_up("channel", error))?;
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes();
        let layers: Vec<BorrowedFd<'_>> = layers.iter().flat_map(|layers| layers.descriptors()).collect();
        let sent = send_with(&ours, &length, input)
            .and_then(|()| send_all(&ours, &layers))
            .map_err(io::Error::from);
        sent.and_then(|()| (&ours).write_all(&text))
            .map_err(|error| StartError::set_up("channel", error))?;
        Ok((Self { socket: ours }, theirs.into()))
    }

    /// Waits until the command runs.
    pub async fn started(self) -> Result<Running, StartError> {
        let lost = |error: io::Error| StartError::set_up("channel", error);
        self.socket.set_nonblocking(true).map_err(lost)?;
        let socket = tokio::net::UnixStream::from_std(self.socket).map_err(lost)?;
        let (mut listeners, mut ready, mut rest) = (Vec::new(), None, Vec::new());
        loop {
            socket.readable().await.map_err(lost)?;
            let mut bytes = [0; 4096];
            let read = socket.try_io(tokio::io::Interest::READABLE, || {
                receive(socket.as_fd(), &mut bytes).map_err(io::Error::from)
            });
            let (count, descriptor) = match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                read => read.map_err(lost)?,
            };
            if count == 0 {
                break;
            }
            // A descriptor ends what is read at once: the last byte is what it belongs to.
            match (bytes.get(..count).unwrap_or_default(), descriptor) {
                ([LISTENS], Some(descriptor)) if rest.is_empty() => {
                    listeners.push(TcpListener::from(descriptor));
                }
                // Without a descriptor, the report that there is no such program may come with it.
                ([READY, more @ ..], descriptor) if rest.is_empty() => {
                    ready = Some(descriptor.map(|one| Mounts(Some(one))));
                    rest.extend_from_slice(more);
                }
                (bytes, _) => rest.extend_from_slice(bytes),
            }
        }
        match ready {
            Some(mounts) if rest.is_empty() => Ok(Running { listeners, mounts }),
            _ => Err(failure(&rest)),
        }
    }

    /// Waits for the namespaces in which a helper mounted layers: that of the mounts, and the one that owns it, if there is
    /// one. Blocks until the helper ends, or is silent for longer than `patience`.
    pub(crate) fn namespaces(self, patience: Duration) -> Result<(OwnedFd, Option<OwnedFd>), StartError> {
        let lost = |error: io::Error| StartError::set_up("channel", error);
        self.socket.set_read_timeout(Some(patience)).map_err(lost)?;
        let (mut mounts, mut user, mut rest) = (None, None, Vec::new());
        loop {
            let mut bytes = [0; 4096];
            let read = receive(self.socket.as_fd(), &mut bytes);
            let (count, descriptor) = read.map_err(|error| lost(error.into()))?;
            match (bytes.get(..count).unwrap_or_default(), descriptor) {
                ([], _) => break,
                ([USER], Some(descriptor)) => user = Some(descriptor),
                ([READY], Some(descriptor)) => mounts = Some(descriptor),
                (bytes, _) => rest.extend_from_slice(bytes),
            }
        }
        match mounts {
            Some(mounts) if rest.is_empty() => Ok((mounts, user)),
            _ => Err(failure(&rest)),
        }
    }
}

/// Reads which step of the helper failed.
fn failure(report: &[u8]) -> StartError {
    match report.split_first() {
        None => StartError::set_up("helper", "it was ended"),
        Some((&NOT_FOUND, code)) => {
            let code = String::from_utf8_lossy(code).parse().unwrap_or_default();
            StartError::Command(io::Error::from_raw_os_error(code))
        }
        Some((_, text)) => {
            let text = String::from_utf8_lossy(text);
            let (step, why) = text.split_once('\n').unwrap_or((&text, ""));
            StartError::set_up(step, why)
        }
    }
}

/// A confined child that runs.
#[derive(Debug, Default)]
pub struct Running {
    /// The sockets on which it reaches this program, if it has a network of its own: that of the proxy, then that of
    /// [`Plan::port`].
    pub listeners: Vec<TcpListener>,
    /// What it sees of the file system; none where that is the file system itself.
    pub mounts: Option<Mounts>,
}

/// The mounts of a child. The system takes them down with the last process, which costs several milliseconds: it writes out
/// the file system below each cache. While this value exists they stay, so that the end of a child does not wait for it.
#[derive(Debug)]
pub struct Mounts(Option<OwnedFd>);

impl Mounts {
    /// Returns the device and the number of the namespace, which those of `/proc/PID/ns/mnt` equal for a process in it. No other
    /// namespace has them while this value exists.
    pub fn namespace(&self) -> Option<(u64, u64)> {
        let stat = rustix::fs::fstat(self.0.as_ref()?).ok()?;
        #[allow(
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            trivial_numeric_casts,
            reason = "the types differ between systems"
        )]
        Some((stat.st_dev as u64, stat.st_ino as u64))
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        let descriptor = self.0.take();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => _ = runtime.spawn_blocking(move || drop(descriptor)),
            Err(_) => drop(descriptor),
        }
    }
}

/// The end of the helper.
pub(crate) struct Inside {
    socket: UnixStream,
    /// The namespaces that it enters first: that of the mounts, then the one that owns it.
    pub(crate) layers: Vec<OwnedFd>,
}

impl Inside {
    /// Takes the order, and puts the command's own standard input in place of the channel.
    pub(crate) fn take() -> io::Result<(Self, Order)> {
        // The copy is closed when the command begins.
        let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        let mut socket = UnixStream::from(socket);
        let mut length = [0; 4];
        let (count, input) = receive(socket.as_fd(), &mut length)?;
        socket.read_exact(length.get_mut(count..).unwrap_or_default())?;
        let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let layers = receive_all(&mut socket)?;
        let mut text = vec![0; length];
        socket.read_exact(&mut text)?;
        let input = input.ok_or(io::ErrorKind::InvalidData)?;
        rustix::stdio::dup2_stdin(&input)?;
        Ok((Self { socket, layers }, serde_json::from_slice(&text)?))
    }

    /// Hands a socket on which this program is reached to it. Returns its port.
    pub(crate) fn listens(&self, listener: &TcpListener) -> Result<u16, Errno> {
        let address = listener.local_addr().map_err(|_| Errno::INVAL)?;
        send_with(&self.socket, &[LISTENS], listener.as_fd())?;
        Ok(address.port())
    }

    /// Reports that nothing is left but to become the command, and hands over its mounts.
    pub(crate) fn ready(&self, mounts: Option<BorrowedFd<'_>>) -> Result<(), Errno> {
        match mounts {
            Some(mounts) => send_with(&self.socket, &[READY], mounts),
            None => (&self.socket).write_all(&[READY]).map_err(|_| Errno::PIPE),
        }
    }

    /// Hands over the user namespace of this process.
    pub(crate) fn user(&self, user: BorrowedFd<'_>) -> Result<(), Errno> {
        send_with(&self.socket, &[USER], user)
    }

    /// Reports which step failed. An error means that no process waits for it.
    pub(crate) fn failed(&self, step: &str, why: &str) {
        let mut text = vec![FAILED];
        text.extend(format!("{step}\n{why}").into_bytes());
        let _ = (&self.socket).write_all(&text);
    }

    /// Reports that the command could not be started.
    pub(crate) fn not_found(&self, error: &io::Error) {
        let mut text = vec![NOT_FOUND];
        text.extend(error.raw_os_error().unwrap_or_default().to_string().into_bytes());
        let _ = (&self.socket).write_all(&text);
    }
}

/// Sends how many descriptors follow, and these.
fn send_all(socket: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let count = u8::try_from(descriptors.len()).unwrap_or(u8::MAX);
    let mut bytes = socket;
    bytes.write_all(&[count]).map_err(|_| Errno::PIPE)?;
    descriptors
        .iter()
        .try_for_each(|one| send_with(socket, &[count], *one))
}

fn receive_all(socket: &mut UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut count = [0];
    socket.read_exact(&mut count)?;
    let [count] = count;
    if count > MOST_DESCRIPTORS {
        return Err(io::ErrorKind::InvalidData.into());
    }
    (0..count)
        .map(|_| {
            let (_, descriptor) = receive(socket.as_fd(), &mut [0])?;
            descriptor.ok_or_else(|| io::ErrorKind::InvalidData.into())
        })
        .collect()
}

/// Sends bytes together with a descriptor.
pub(crate) fn send_with(socket: impl AsFd, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<(), Errno> {
    let descriptors = [descriptor];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives bytes, and a descriptor if one comes with them.
pub(crate) fn receive(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> Result<(usize, Option<OwnedFd>), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    // Closed when another program begins, so that no child inherits it. Where the system has no such flag, children get
    // no open files anyway.
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let received = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut control, flags)?;
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok((received.bytes, descriptor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::Helper;
    use overrule_domain::sandbox::Profile;

    async fn ended_with(report: &[u8]) -> Result<Running, StartError> {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (&theirs).write_all(report).unwrap();
        drop(theirs);
        Outside { socket: ours }.started().await
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_reported_also_with_the_byte_before() {
        for report in [b"RN2".as_slice(), b"N2"] {
            match ended_with(report).await {
                Err(StartError::Command(error)) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
                other => panic!("{report:?}: {other:?}"),
            }
        }
        assert!(ended_with(b"R").await.is_ok());
        for report in [b"".as_slice(), b"FR\nwhy", b"RFmounts\nR", b"RR"] {
            let error = ended_with(report).await.unwrap_err();
            assert!(matches!(error, StartError::SetUp { .. }), "{error:?}");
        }
    }

    #[test]
    fn the_order_of_as_many_read_only_paths_as_there_may_be_fits() {
        let paths: Vec<String> = (0..256).map(|no| format!("/{no:0>300}")).collect();
        let mut plan = Plan::of_layers(&[]);
        plan.read_only = paths.iter().map(PathBuf::from).collect();
        plan.profile = Profile {
            read_only: ReadOnly {
                paths,
                repositories: true,
            },
            ..Profile::default()
        };
        let mut confinement = Confinement {
            plan,
            helper: Helper::this_program("/bin/overrule".into()),
            layers: None,
        };
        let input = overrule_regular_file::null().unwrap();
        assert!(Outside::order(&confinement, input.as_fd()).is_ok());
        // Nothing starts where nothing can be read-only.
        confinement.plan.namespaces = false;
        assert!(Outside::order(&confinement, input.as_fd()).is_err());
    }
}
