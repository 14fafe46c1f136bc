//! Tracks a child, its descendants and what left them: whether any is alive, and how to end them.
//!
//! Must not know: how a child is started.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use overrule_domain::orphan_process::OrphanProcess;
use overrule_sandbox::Mounts;

/// How often what is left of a confined child is killed when nobody waits for its end.
const ROUNDS: u32 = 50;
/// Time between the request to end and the kill.
const GRACE: Duration = Duration::from_secs(2);
/// Interval at which the tree is examined while it ends.
const LOOK: Duration = Duration::from_millis(10);

/// The number of children that are being ended, in this process.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// Returns true while a child was asked to end and may still do so by itself.
pub fn is_any_ending() -> bool {
    ENDING.load(Ordering::Relaxed) > 0
}

/// Counts a child as being ended until it is dropped.
struct Ending;

impl Ending {
    fn begin() -> Self {
        ENDING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        ENDING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A child and all its descendants. Dropping this kills them all.
#[derive(Debug)]
pub struct Tree {
    pid: u32,
    ticks: u64,
    ended: bool,
    /// What a confined child sees of the file system.
    mounts: Option<Mounts>,
}

impl Tree {
    pub(super) fn of(pid: u32) -> Self {
        Self {
            pid,
            ticks: start_of(pid).unwrap_or(0),
            ended: false,
            mounts: None,
        }
    }

    /// Retains the mounts of a confined child until the tree is dropped, so that its end does not wait for them.
    pub(super) fn hold(&mut self, mounts: Option<Mounts>) {
        self.mounts = mounts;
    }

    /// Returns the process id of the child, which is also that of its group and session.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns its start time in clock ticks since boot; 0 if the system does not tell.
    pub const fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Asks all processes to end, and kills those that remain after two seconds. The caller must wait for the
    /// child meanwhile. Returns true if any had to be ended.
    pub async fn end(&mut self) -> bool {
        let any = end(&self.whole()).await;
        self.ended = true;
        any
    }
}

impl Tree {
    const fn whole(&self) -> Whole<'_> {
        Whole {
            pid: self.pid,
            ticks: self.ticks,
            mounts: self.mounts.as_ref(),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let whole = self.whole();
        signal(&whole.members(), Signal::KILL);
        // What a confined child changed is undone next: none of its processes may be left then.
        for _ in 0..ROUNDS {
            let left = whole.confined();
            if left.is_empty() {
                break;
            }
            signal(&left, Signal::KILL);
            std::thread::sleep(LOOK);
        }
    }
}

/// What belongs to a child: its family, and every process with the mounts of a confined one. Such a process may have left the
/// session and its parents, and cannot leave the mounts.
#[derive(Clone, Copy)]
struct Whole<'a> {
    pid: u32,
    ticks: u64,
    mounts: Option<&'a Mounts>,
}

impl Whole<'_> {
    fn members(&self) -> Vec<Member> {
        let mut members = family(self.pid, self.ticks);
        for member in self.confined() {
            if !members.contains(&member) {
                members.push(member);
            }
        }
        members
    }

    /// The living processes with its mounts.
    #[cfg(target_os = "linux")]
    fn confined(&self) -> Vec<Member> {
        let Some(namespace) = self.mounts.and_then(Mounts::namespace) else {
            return Vec::new();
        };
        let all = linux::all().into_iter();
        let inside = all.filter(|(pid, _)| linux::mounts(*pid) == Some(namespace));
        let members = inside.filter(|(_, stat)| !stat.dead).map(|(pid, stat)| Member {
            pid,
            start: stat.start,
            group: false,
        });
        members.collect()
    }

    #[cfg(not(target_os = "linux"))]
    fn confined(&self) -> Vec<Member> {
        Vec::new()
    }
}

/// Returns true if the process that had this id and start time, or a descendant of it, still runs.
pub fn still_running(pid: u32, ticks: u64) -> bool {
    orphan_process(pid, ticks).is_some()
}

/// Returns what still runs of the process that had this id and start time (clock ticks since boot), or of what it
/// started; `None` if nothing is found.
pub fn orphan_process(pid: u32, ticks: u64) -> Option<OrphanProcess> {
    let family = family(pid, ticks);
    if family.iter().any(|member| is_first(member, pid)) {
        Some(OrphanProcess::Process)
    } else if family.iter().any(|member| member.group) {
        Some(OrphanProcess::Group)
    } else {
        (!family.is_empty()).then_some(OrphanProcess::Session)
    }
}

#[cfg(target_os = "linux")]
const fn is_first(member: &Member, pid: u32) -> bool {
    !member.group && member.pid == pid
}

/// While the group has a member, the system gives its id to no other process: a process with it is the first one.
#[cfg(not(target_os = "linux"))]
fn is_first(_: &Member, pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

async fn end(whole: &Whole<'_>) -> bool {
    let mut known = whole.members();
    if known.is_empty() {
        return false;
    }
    let _ending = Ending::begin();
    signal(&known, Signal::TERM);
    let patience = tokio::time::Instant::now() + GRACE;
    while tokio::time::Instant::now() < patience {
        tokio::time::sleep(LOOK).await;
        // Children of an ended process are known only from earlier rounds.
        known.retain(Member::lives);
        for member in whole.members() {
            if !known.contains(&member) {
                signal(std::slice::from_ref(&member), Signal::TERM);
                known.push(member);
            }
        }
        if known.is_empty() {
            return true;
        }
    }
    // A family may grow while it is examined, so killing it is repeated.
    for _ in 0..50 {
        signal(&known, Signal::KILL);
        tokio::time::sleep(LOOK).await;
        known.retain(Member::lives);
        known.extend(whole.members());
        if known.is_empty() {
            break;
        }
    }
    true
}

/// A process; its start time distinguishes it from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    pid: u32,
    start: u64,
    /// True if signals go to the whole group.
    group: bool,
}

impl Member {
    fn lives(&self) -> bool {
        if self.group {
            return group_lives(self.pid);
        }
        #[cfg(target_os = "linux")]
        {
            linux::stat(self.pid).is_some_and(|stat| stat.start == self.start && !stat.dead)
        }
        #[cfg(not(target_os = "linux"))]
        {
            false
        }
    }
}

fn signal(members: &[Member], signal: Signal) {
    for member in members {
        let Some(pid) = i32::try_from(member.pid).ok().and_then(Pid::from_raw) else {
            continue;
        };
        // An error means that it has ended already, as intended.
        let _ = if member.group {
            rustix::process::kill_process_group(pid, signal)
        } else if member.lives() {
            rustix::process::kill_process(pid, signal)
        } else {
            Ok(())
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn start_of(_: u32) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<u64> {
    linux::stat(pid).map(|stat| stat.start)
}

#[cfg(not(target_os = "linux"))]
fn group_lives(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process_group(pid).is_ok())
}

#[cfg(target_os = "linux")]
fn group_lives(pid: u32) -> bool {
    // A zombie still accepts signals, but it does not live.
    linux::all()
        .iter()
        .any(|(_, stat)| stat.group == pid && !stat.dead)
}

/// Returns the group, which is all that is known of a family without a process list.
#[cfg(not(target_os = "linux"))]
fn family(pid: u32, _: u64) -> Vec<Member> {
    if group_lives(pid) {
        vec![Member {
            pid,
            start: 0,
            group: true,
        }]
    } else {
        Vec::new()
    }
}

/// Returns the living processes of a session, which contains its group, and their descendants.
///
/// The first process is known by its start time. Once it is gone, its id still cannot be given to another process
/// while its session has a member, dead or alive. If the session has ended, the id may have been re-used, and the
/// process that got it may have made a group of its own and ended too. So, of a session without its first process,
/// only what is in the *session* of that id and began after that process counts. A group of that id in another session (a
/// job of some shell, say) is unrelated: a group of ours is never outside our session. One case remains: an
/// unrelated process that got the same id, led a session, and ended before its children. The
/// system cannot distinguish it from ours. It counts as ours, which delays an answer; nothing is ended
/// for it, as only a [`Tree`] ends processes, and it has just seen its own.
#[cfg(target_os = "linux")]
fn family(pid: u32, ticks: u64) -> Vec<Member> {
    if ticks == 0 {
        return Vec::new();
    }
    let all = linux::all();
    let first = all.iter().find(|(no, _)| *no == pid);
    if first.is_some_and(|(_, stat)| stat.start != ticks) {
        // The id belongs to another process now, and so does the group of that id.
        return Vec::new();
    }
    let mut inside: std::collections::HashSet<u32> = all
        .iter()
        .filter(|(no, stat)| *no == pid || (stat.session == pid && stat.start >= ticks))
        .map(|(no, _)| *no)
        .collect();
    let mut grows = true;
    while grows {
        grows = false;
        for (no, stat) in &all {
            if inside.contains(&stat.parent) && stat.start >= ticks {
                grows |= inside.insert(*no);
            }
        }
    }
    let members = all
        .iter()
        .filter(|(no, stat)| inside.contains(no) && !stat.dead)
        .map(|(no, stat)| Member {
            pid: *no,
            start: stat.start,
            group: false,
        });
    let mut members: Vec<Member> = members.collect();
    let in_group = |stat: &linux::Stat| stat.group == pid && stat.session == pid && stat.start >= ticks;
    if all.iter().any(|(_, stat)| in_group(stat) && !stat.dead) {
        // A signal to the group also reaches what it starts at this very moment.
        members.insert(
            0,
            Member {
                pid,
                start: ticks,
                group: true,
            },
        );
    }
    members
}

#[cfg(target_os = "linux")]
mod linux {
    //! What the system reports about processes. Must not know: which of them matter.

    pub(super) struct Stat {
        pub(super) dead: bool,
        pub(super) parent: u32,
        pub(super) group: u32,
        pub(super) session: u32,
        pub(super) start: u64,
    }

    pub(super) fn stat(pid: u32) -> Option<Stat> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name is in parentheses and may itself contain some.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let small = |at: usize| number(at).and_then(|number| u32::try_from(number).ok());
        Some(Stat {
            dead: matches!(fields.first(), Some(&("Z" | "X" | "x"))),
            parent: small(1)?,
            group: small(2)?,
            session: small(3)?,
            start: number(19)?,
        })
    }

    /// The device and the number of the mount namespace of a process; none for one that is dead or not ours to ask.
    pub(super) fn mounts(pid: u32) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = std::fs::metadata(format!("/proc/{pid}/ns/mnt")).ok()?;
        Some((meta.dev(), meta.ino()))
    }

    pub(super) fn all() -> Vec<(u32, Stat)> {
        std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
            .filter_map(|pid| Some((pid, stat(pid)?)))
            .collect()
    }
}
