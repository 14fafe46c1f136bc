//! Refuses system calls by a filter of the kernel (seccomp).
//!
//! Must not know: files, mounts.
//!
//! Everything is allowed but what is listed. Calls whose arguments the filter cannot see do not exist for a child: its
//! libraries then use the older call.

use std::collections::BTreeMap;

use landlock::ABI;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter, sock_filter,
};

use super::Failed;
use crate::plan::Plan;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that are refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // Mounts, roots and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_unshare,
    // Keys.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Parts of the kernel with a long history of faults.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Ways around paths and descriptors.
    libc::SYS_open_by_handle_at,
    libc::SYS_pidfd_getfd,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
];

/// The same, on this processor alone.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load];
#[cfg(target_arch = "aarch64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_kexec_file_load];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Calls whose arguments lie behind a pointer: they do not exist for a child.
const ABSENT: &[libc::c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// Flags of `clone` that make namespaces.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The calls that give a file its permissions, and which of their arguments does.
const MODES: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
];
/// The calls that create a file by a flag: the arguments with flags and permissions.
const OPENS: &[(libc::c_long, u8, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
    (libc::SYS_openat, 2, 3),
];
/// The calls that make files and device nodes, and which of their arguments has kind and permissions.
const NODES: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// The calls that change limits, priority or processors of a process, and which of their arguments names it: 0 is the caller.
const OF_OTHERS: &[(libc::c_long, u8)] = &[
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
];
/// The same for all processes of a user: the kind of target, an argument that has this value.
const OF_USER: &[(libc::c_long, u64)] = &[
    (libc::SYS_setpriority, libc::PRIO_USER as u64),
    // `IOPRIO_WHO_USER` of `linux/ioprio.h`.
    (libc::SYS_ioprio_set, 3),
];

/// Refuses system calls from here on, also to every program that this process becomes or starts.
pub(super) fn restrict(plan: &Plan, abi: Option<ABI>) -> Result<(), Failed> {
    let failed = |error: String| Failed::because("system calls")(error);
    let refused = rules(plan, abi).map_err(failed)?;
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    for (rules, error) in [(absent, libc::ENOSYS), (refused, libc::EPERM)] {
        let program = program(rules, error).map_err(failed)?;
        apply_filter(&program).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

fn program(rules: Rules, error: i32) -> Result<BpfProgram, String> {
    let error = SeccompAction::Errno(error.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into();
    let arch = arch.map_err(|_| format!("there is no filter for {}", std::env::consts::ARCH))?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, error, arch);
    let program: Result<BpfProgram, _> = filter.and_then(TryInto::try_into);
    Ok(with_prelude(program.map_err(|error| error.to_string())?))
}

/// Puts instructions before a filter that refuse the numbers of the x32 form, which would pass under the numbers of the
/// list.
fn with_prelude(program: BpfProgram) -> BpfProgram {
    if !cfg!(target_arch = "x86_64") {
        return program;
    }
    let one = |code: u16, jt: u8, jf: u8, k: u32| sock_filter { code, jt, jf, k };
    // `BPF_LD | BPF_W | BPF_ABS`, `BPF_JMP | BPF_JGE | BPF_K`, `BPF_RET | BPF_K`, from `linux/bpf_common.h`.
    let mut whole = vec![
        one(0x20, 0, 0, 0),
        one(0x35, 0, 1, 0x4000_0000),
        one(0x06, 0, 0, 0x0005_0000 | libc::ENOSYS.unsigned_abs()),
    ];
    whole.extend(program);
    whole
}

/// A condition on the lower half of an argument.
fn when(argument: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value).map_err(|error| error.to_string())
}

/// The argument has these bits.
fn has(argument: u8, bits: u32) -> Result<SeccompCondition, String> {
    when(argument, SeccompCmpOp::MaskedEq(bits.into()), bits.into())
}

fn rules(plan: &Plan, abi: Option<ABI>) -> Result<Rules, String> {
    let mut rules: Rules = REFUSED
        .iter()
        .chain(REFUSED_HERE)
        .map(|call| (*call, Vec::new()))
        .collect();
    let mut add = |call: libc::c_long, conditions: Vec<SeccompCondition>| -> Result<(), String> {
        let rule = SeccompRule::new(conditions).map_err(|error| error.to_string())?;
        rules.entry(call).or_default().push(rule);
        Ok(())
    };
    for flag in NAMESPACES {
        add(libc::SYS_clone, vec![has(0, flag.unsigned_abs())?])?;
    }
    for bits in [libc::S_ISUID, libc::S_ISGID] {
        for (call, mode) in MODES.iter().chain(NODES) {
            add(*call, vec![has(*mode, bits)?])?;
        }
        for (call, flags, mode) in OPENS {
            add(
                *call,
                vec![has(*flags, libc::O_CREAT.unsigned_abs())?, has(*mode, bits)?],
            )?;
            add(
                *call,
                vec![has(*flags, libc::O_TMPFILE.unsigned_abs())?, has(*mode, bits)?],
            )?;
        }
    }
    for kind in [libc::S_IFCHR, libc::S_IFBLK] {
        for (call, mode) in NODES {
            let is_kind = SeccompCmpOp::MaskedEq(libc::S_IFMT.into());
            add(*call, vec![when(*mode, is_kind, kind.into())?])?;
        }
    }
    for (call, process) in OF_OTHERS {
        add(*call, vec![when(*process, SeccompCmpOp::Ne, 0)?])?;
    }
    for (call, kind) in OF_USER {
        add(*call, vec![when(0, SeccompCmpOp::Eq, *kind)?])?;
    }
    // Whoever only reads the limits of a process gives none.
    let gives_limits = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0);
    let gives_limits = gives_limits.map_err(|error| error.to_string())?;
    add(
        libc::SYS_prlimit64,
        vec![when(0, SeccompCmpOp::Ne, 0)?, gives_limits],
    )?;
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        add(libc::SYS_ioctl, vec![when(1, SeccompCmpOp::Eq, request)?])?;
    }
    let none_of = families(plan, abi)
        .iter()
        .map(|family| when(0, SeccompCmpOp::Ne, family.unsigned_abs().into()))
        .collect::<Result<Vec<_>, _>>()?;
    if none_of.is_empty() {
        rules.insert(libc::SYS_socket, Vec::new());
    } else {
        add(libc::SYS_socket, none_of)?;
    }
    Ok(rules)
}

/// The kinds of sockets that a child makes.
fn families(plan: &Plan, abi: Option<ABI>) -> Vec<i32> {
    let mut families = Vec::new();
    // The rules for files say which sockets are reached only from that version on.
    if plan.profile.unix_sockets || abi.is_some_and(|abi| abi >= ABI::V9) {
        families.push(libc::AF_UNIX);
    }
    if plan.namespaces || plan.profile.reaches_all() {
        families.extend([libc::AF_INET, libc::AF_INET6]);
    }
    // It tells programs their own addresses. Outside of an own network it changes and tells those of the machine.
    if plan.namespaces && !plan.profile.reaches_all() {
        families.push(libc::AF_NETLINK);
    }
    families
}
