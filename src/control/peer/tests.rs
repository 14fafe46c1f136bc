//! Tests of the identity of peers.
//!
//! Must not know: sockets, commands.

use super::*;

fn tree(pid: u32) -> Option<u32> {
    [(1, 0), (10, 1), (20, 10), (21, 20), (22, 21), (30, 1)]
        .into_iter()
        .find_map(|(child, parent)| (child == pid).then_some(parent))
}

/// The processes of a tree, as the system tells of them.
fn named(parent: impl Fn(u32) -> Option<u32>) -> impl Fn(u32) -> Option<Status> {
    move |pid| {
        Some(Status {
            parent: parent(pid)?,
            ticks: u64::from(pid) + 1000,
            name: "sh".to_owned(),
        })
    }
}

#[test]
fn descendants_of_this_process_are_distinguished_from_other_peers() {
    for (pid, allowed) in [
        (10, true),
        (30, true),
        (1, true),
        (20, false),
        (21, false),
        (22, false),
    ] {
        let peer = classify((pid, 20), |_, _, _| None, named(tree), |_, _| false);
        assert_eq!(matches!(peer, Peer::Operator { .. }), allowed, "{pid}: {peer:?}");
    }
    // The first process of a container adopts all orphans, so everything below it is its own.
    assert!(matches!(
        classify((30, 1), |_, _, _| None, named(tree), |_, _| false),
        Peer::Refused(_)
    ));
}

#[test]
fn an_agent_and_what_it_starts_are_distinguished_from_other_peers() {
    for (pid, allowed) in [(1, true), (10, true), (20, false), (22, false), (30, true)] {
        let peer = classify(
            (pid, 99),
            |pid, _, _| (pid == 20).then(|| "x".to_owned()),
            named(tree),
            |_, _| false,
        );
        assert_eq!(matches!(peer, Peer::Operator { .. }), allowed, "{pid}: {peer:?}");
    }
}

#[test]
fn what_a_program_of_the_operator_starts_is_the_operators_while_it_is_waited_for() {
    // 10 waits for its child 20; 40 was left behind by it, and 10 has adopted it.
    let tree = |pid| if pid == 40 { Some(10) } else { tree(pid) };
    let waits = |run, child| (run, child) == (10, 20);
    for (pid, allowed) in [(20, true), (21, true), (22, true), (40, false), (10, false)] {
        let peer = classify((pid, 10), |_, _, _| None, named(tree), waits);
        assert_eq!(matches!(peer, Peer::Operator { .. }), allowed, "{pid}: {peer:?}");
        let is_agent = |at, _: u32, _: &Status| (at == 21).then(|| "x".to_owned());
        let peer = classify((pid, 10), is_agent, named(tree), waits);
        let allowed = pid == 20;
        assert_eq!(
            matches!(peer, Peer::Operator { .. }),
            allowed,
            "an agent below it: {pid}: {peer:?}"
        );
    }
    let status = |pid: u32| {
        let name = if matches!(pid, 10 | 20) { PROGRAM } else { "sh" };
        let (parent, name) = (tree(pid)?, name.to_owned());
        Some(Status {
            parent,
            ticks: 1,
            name,
        })
    };
    let runs = |of: u32| -> Vec<u32> {
        let above = above(of, status, waits).into_iter().filter(|one| one.is_run);
        above.map(|one| one.id.pid).collect()
    };
    assert_eq!(runs(20), [0; 0]);
    assert_eq!(
        runs(22),
        [20],
        "a run that such a program started is a run all the same"
    );
    assert_eq!(runs(40), [10]);
}

#[test]
fn where_orphans_are_not_recognised_a_terminal_is_needed() {
    let table = [
        (Means::Proc, false, false, true),
        (Means::Proc, true, false, false),
        (Means::Ps, false, false, false),
        (Means::Ps, false, true, true),
        (Means::Ps, true, true, true),
        (Means::Ps, true, false, false),
    ];
    for (means, is_unknown, has_terminal, allowed) in table {
        let peer = recognised(Peer::Operator { pid: 7 }, (means, is_unknown), |_| has_terminal);
        assert_eq!(
            matches!(peer, Peer::Operator { .. }),
            allowed,
            "{means:?} {is_unknown} {peer:?}"
        );
        let refused = Peer::Refused("x".into());
        assert_eq!(
            recognised(refused.clone(), (means, is_unknown), |_| has_terminal),
            refused
        );
    }
}

#[test]
fn a_parent_that_ends_meanwhile_is_looked_up_again() {
    let looks = std::cell::Cell::new(0);
    let status = |pid: u32| {
        looks.set(looks.get() + 1);
        // At the first look the parent has ended; then the first process has adopted the child.
        match pid {
            22 if looks.get() == 1 => named(|_| Some(21))(22),
            21 => None,
            pid => named(|pid| Some(u32::from(pid != 1)))(pid),
        }
    };
    assert!(matches!(
        classify((22, 99), |_, _, _| None, status, |_, _| false),
        Peer::Operator { pid: 22 }
    ));
}

#[test]
fn an_unidentifiable_peer_is_refused() {
    assert!(
        matches!(classify((99, 20), |_, _, _| None, named(tree), |_, _| false), Peer::Refused(why) if why.contains("it is unknown who"))
    );
    assert!(
        matches!(
            classify((5, 20), |_, _, _| None, named(Some), |_, _| false),
            Peer::Refused(_)
        ),
        "a ring has no end"
    );
}

#[test]
fn a_process_name_does_not_confuse() {
    let status = Status::from_stat(b"7 (a) 9 (b) S 42 7 7 0 -1 4 0 0 0 0 1 2 3 4 20 0 1 0 77 5").unwrap();
    assert_eq!(status.ticks, 77);
    assert_eq!((status.parent, status.name.as_str()), (42, "a) 9 (b"));
    assert_eq!(Status::from_stat(b"7 (a"), None);
    for line in ["  42 overrule\n", "42 /usr/local/my bin/overrule\n"] {
        let status = Status::from_ps(line.as_bytes()).unwrap();
        assert_eq!((status.parent, status.name.as_str()), (42, "overrule"));
    }
    assert_eq!(Status::from_ps(b"\n"), None);
}

#[test]
fn the_processes_above_are_listed_with_the_runs_among_them() {
    let named = |run: u32| {
        move |pid: u32| {
            let name = if pid == run { PROGRAM } else { "sh" };
            Some(Status {
                parent: tree(pid)?,
                ticks: u64::from(pid) + 1000,
                name: name.to_owned(),
            })
        }
    };
    let runs = |of: u32, run: u32| -> Vec<u32> {
        let above = above(of, named(run), |_, _| false)
            .into_iter()
            .filter(|one| one.is_run);
        above.map(|one| one.id.pid).collect()
    };
    assert_eq!(runs(22, 10), [10]);
    assert_eq!(runs(22, 21), [21]);
    assert_eq!(runs(22, 22), [0; 0], "it is no ancestor of itself");
    assert_eq!(runs(22, 30), [0; 0]);
    assert_eq!(runs(99, 10), [0; 0]);
    let all: Vec<(u32, u64)> = above(22, named(10), |_, _| false)
        .iter()
        .map(|one| (one.id.pid, one.id.ticks))
        .collect();
    assert_eq!(all, [(21, 1021), (20, 1020), (10, 1010), (1, 1001)]);
    let ring = |pid: u32| {
        Some(Status {
            parent: pid,
            ticks: 1,
            name: "sh".to_owned(),
        })
    };
    assert!(
        above(5, ring, |_, _| false).iter().all(|one| !one.is_run),
        "a ring has no end"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn this_process_is_found_in_the_table() {
    let found = Means::Proc.status(std::process::id()).unwrap();
    assert_eq!(found.parent, std::os::unix::process::parent_id());
}
