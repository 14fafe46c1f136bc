//! Sets and resets the modes of the terminal together, from any thread.
//!
//! Must not know: frames, signals.
//!
//! The state is global to the process, because the terminal is.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcsetattr};

use super::Options;

/// Not ours.
const OFF: u8 = 0;
/// Ours.
const ON: u8 = 1;
/// Ours, but lent to the shell or an editor.
const RELEASED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(OFF);
static MOUSE: AtomicBool = AtomicBool::new(false);
static KEYBOARD: AtomicBool = AtomicBool::new(false);
static TITLE: AtomicBool = AtomicBool::new(false);
static SAVED: Mutex<Option<Termios>> = Mutex::new(None);
/// Locked while bytes are written, so that no write is split.
static OUT: Mutex<()> = Mutex::new(());

/// Alternate screen, bracketed paste, focus events, no cursor, and no reordering of right-to-left text: it would
/// show the bytes that run in another order.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[8l";
/// Asks for the colour of the background (OSC 11). The answer comes with the keys, or never.
const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";
/// Resets everything that [`ENTER`], a frame or an event reader may have set.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[0m\x1b[8h\x1b[?1004l\x1b[?2004l\x1b[?1049l\x1b[?25h";
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// Saves and restores the title.
const TITLE_ON: &[u8] = b"\x1b[22;2t";
const TITLE_OFF: &[u8] = b"\x1b[23;2t";
const KEYBOARD_ON: &[u8] = b"\x1b[>1u";
const KEYBOARD_OFF: &[u8] = b"\x1b[<1u";

/// How long the restore waits for a blocked terminal.
const PATIENCE: Duration = Duration::from_millis(300);

pub(crate) fn is_terminal() -> bool {
    isatty(io::stdout())
}

/// The descriptor whose modes are set: standard input if it is the terminal.
pub(crate) fn with_tty<T>(act: impl FnOnce(BorrowedFd<'_>) -> T) -> T {
    let stdin = io::stdin();
    if isatty(&stdin) {
        act(stdin.as_fd())
    } else {
        act(io::stdout().as_fd())
    }
}

/// Opens the terminal for typed input: standard input if it is a terminal, else the terminal of the process.
pub fn open_input() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if isatty(&stdin) {
        return stdin.as_fd().try_clone_to_owned();
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open("/dev/tty", flags, Mode::empty())?)
}

/// True once the terminal was closed.
pub(crate) fn is_gone() -> bool {
    with_tty(|tty| tcgetattr(tty).is_err())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal; false if it is taken already.
pub(crate) fn take(options: Options) -> io::Result<bool> {
    if STATE
        .compare_exchange(OFF, ON, Ordering::SeqCst, Ordering::SeqCst)
        .is_err()
    {
        return Ok(false);
    }
    let set = save().and_then(|()| set(options));
    if set.is_err() {
        restore();
    }
    set.map(|()| true)
}

/// Takes it again after another program had it. The end still restores the first modes: a killed editor may have
/// left raw modes.
pub(crate) fn take_back(options: Options) -> io::Result<()> {
    match STATE.compare_exchange(RELEASED, ON, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) | Err(ON) => set(options),
        Err(_) => Ok(()),
    }
}

/// Takes it again after the process was stopped. Another program may have set other modes meanwhile.
pub(crate) fn retake(options: Options) -> io::Result<()> {
    match STATE.compare_exchange(RELEASED, ON, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => save().and_then(|()| set(options)),
        Err(ON) => set(options),
        // It was restored for good meanwhile: the process is about to end.
        Err(_) => Ok(()),
    }
}

fn save() -> io::Result<()> {
    let modes = with_tty(|tty| tcgetattr(tty))?;
    *lock(&SAVED) = Some(modes);
    Ok(())
}

fn set(options: Options) -> io::Result<()> {
    let raw = lock(&SAVED).clone().map(|mut modes| {
        modes.make_raw();
        modes
    });
    if let Some(raw) = raw {
        with_tty(|tty| tcsetattr(tty, OptionalActions::Now, &raw))?;
    }
    MOUSE.store(options.mouse, Ordering::SeqCst);
    KEYBOARD.store(options.keyboard, Ordering::SeqCst);
    let mut bytes = Vec::new();
    // Taken again, the title was not given back meanwhile: it is kept once.
    if options.title && !TITLE.swap(true, Ordering::SeqCst) {
        bytes.extend_from_slice(TITLE_ON);
    }
    bytes.extend_from_slice(ENTER);
    bytes.extend_from_slice(ASK_BACKGROUND);
    if options.keyboard {
        bytes.extend_from_slice(KEYBOARD_ON);
    }
    if options.mouse {
        bytes.extend_from_slice(MOUSE_ON);
    }
    present(&bytes)
}

pub(crate) fn set_mouse(on: bool) -> io::Result<()> {
    MOUSE.store(on, Ordering::SeqCst);
    present(if on { MOUSE_ON } else { MOUSE_OFF })
}

pub(crate) fn ask_background() -> io::Result<()> {
    present(ASK_BACKGROUND)
}

/// Restores the terminal for a while.
pub(crate) fn release() {
    if STATE
        .compare_exchange(ON, RELEASED, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok()
    {
        give_back();
    }
}

/// True while the console has the terminal, or lends it.
pub(crate) fn is_ours() -> bool {
    STATE.load(Ordering::SeqCst) != OFF
}

/// Restores the terminal. May be called from anywhere, any number of times; nothing is drawn afterwards.
pub fn restore() {
    if STATE.swap(OFF, Ordering::SeqCst) == ON {
        give_back();
    }
}

fn give_back() {
    // Waits for a frame that is being written, but not for a blocked terminal.
    let mut waited = Duration::ZERO;
    let step = Duration::from_millis(5);
    let guard = loop {
        match OUT.try_lock() {
            Ok(guard) => break Some(guard),
            Err(TryLockError::Poisoned(guard)) => break Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) if waited < PATIENCE => {
                std::thread::sleep(step);
                waited += step;
            }
            Err(TryLockError::WouldBlock) => break None,
        }
    };
    let mut bytes = MOUSE_OFF.to_vec();
    if KEYBOARD.load(Ordering::SeqCst) {
        bytes.extend_from_slice(KEYBOARD_OFF);
    }
    bytes.extend_from_slice(LEAVE);
    if TITLE.swap(false, Ordering::SeqCst) {
        bytes.extend_from_slice(TITLE_OFF);
    }
    // Nothing can be done about a terminal that is gone.
    let _ = write_all(&bytes, Some(PATIENCE));
    drop(guard);
    with_tty(|tty| {
        // From the background this would stop the process; the shell has set its own modes then.
        let foreground =
            rustix::termios::tcgetpgrp(tty).is_ok_and(|group| group == rustix::process::getpgrp());
        if foreground && let Some(modes) = lock(&SAVED).as_ref() {
            // The shell must not get unread mouse reports.
            let _ = tcflush(tty, QueueSelector::IFlush);
            let _ = tcsetattr(tty, OptionalActions::Now, modes);
        }
    });
}

/// Sends bytes, if the terminal is ours now.
pub(crate) fn present(bytes: &[u8]) -> io::Result<()> {
    let _guard = lock(&OUT);
    if STATE.load(Ordering::SeqCst) != ON {
        return Ok(());
    }
    write_all(bytes, None)
}

/// Writes without the lock of standard output, which a panicking thread may hold.
fn write_all(mut bytes: &[u8], patience: Option<Duration>) -> io::Result<()> {
    let out = io::stdout();
    while !bytes.is_empty() {
        if let Some(patience) = patience
            && !is_writable(out.as_fd(), patience)
        {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match rustix::io::write(&out, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                is_writable(out.as_fd(), PATIENCE);
            }
            Err(error) => return Err(error.into()),
        }
        if patience.is_none() && STATE.load(Ordering::SeqCst) != ON {
            // Given back while the terminal was slow: the rest of the frame is not for the shell.
            return Ok(());
        }
    }
    Ok(())
}

fn is_writable(fd: BorrowedFd<'_>, patience: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(patience.subsec_nanos()),
    };
    poll(&mut fds, Some(&patience)).is_ok_and(|ready| ready > 0)
}
