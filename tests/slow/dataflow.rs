//! Tests that an edit in the real engine runs the least possible again and nothing else.
//!
//! Must not know: how the engine works inside.
//!
//! The engine is set up as in the example, so that the figures of the example are figures of the
//! tested code. No test waits for a clock: tools take no time.

#[path = "../../examples/dataflow/live.rs"]
mod live;
#[path = "../../examples/dataflow/model.rs"]
mod model;
mod oracle;
#[path = "../../examples/dataflow/shapes.rs"]
mod shapes;
#[path = "../../examples/dataflow/stage.rs"]
mod stage;
#[path = "../../examples/dataflow/twister.rs"]
mod twister;
#[path = "../../examples/dataflow/workload.rs"]
mod workload;
#[path = "../../examples/dataflow/world.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use overrule::domain::call::EffectClass;
use overrule::domain::event::{CallEvent, Event};
use proptest::prelude::*;

use live::Sibling;
use oracle::{drawn, reached};
use workload::Workload;
use world::{Run, Setting};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// Values and answer of a run that has the edited output from the beginning.
async fn from_scratch(workload: &Arc<Workload>, edit: usize) -> (Vec<String>, String) {
    let setting = Setting {
        given: Some(edit),
        journal: None,
    };
    let mut run = Run::begin(workload, &setting, 0.0).await.unwrap();
    run.finish().await.unwrap();
    let values = run.values().await.unwrap();
    run.close().await.unwrap();
    values
}

/// Every node runs once; after each edit those run that must, once each, and the values are those of
/// a run from scratch.
async fn check(workload: Workload, setting: Setting) {
    let workload = Arc::new(workload);
    let name = &workload.name;
    for edit in &workload.edits {
        let mut run = Run::begin(&workload, &setting, 0.0).await.unwrap();
        run.finish().await.unwrap();
        let mut ran = run.ran();
        ran.sort_unstable();
        assert_eq!(ran, workload.restart(), "{name}: everything runs once");
        let (values, _) = run.values().await.unwrap();
        assert_eq!(values, workload.outputs(None), "{name}");
        run.edit(*edit, 0.0).await.unwrap();
        run.finish().await.unwrap();
        let mut ran = run.ran();
        ran.sort_unstable();
        assert_eq!(ran, reached(&workload, *edit), "{name} edited at {edit}");
        assert_eq!(
            workload.minimum(*edit),
            reached(&workload, *edit),
            "{name}: two ways to find the least"
        );
        let found = run.values().await.unwrap();
        run.close().await.unwrap();
        assert_eq!(found.0, workload.outputs(Some(*edit)), "{name} edited at {edit}");
        assert_eq!(
            found,
            from_scratch(&workload, *edit).await,
            "{name} edited at {edit}"
        );
    }
}

/// One round makes every so many of the edits of a shape, and the last.
const STEP: u32 = 9;

#[test]
fn every_shape_runs_the_least_again_and_nothing_else() {
    block_on(async {
        for mut shape in shapes::all() {
            let last = shape.edits.last().copied();
            let some = overrule_testing::sample(shape.edits, STEP);
            let chosen: BTreeSet<usize> = some.into_iter().chain(last).collect();
            shape.edits = chosen.into_iter().collect();
            check(shape, Setting::default()).await;
        }
    });
}

#[test]
fn it_is_the_same_with_a_journal() {
    let dir = tempfile::tempdir().unwrap();
    let setting = Setting {
        given: None,
        journal: Some(dir.path().to_owned()),
    };
    block_on(check(shapes::agents(3, 2, 2), setting));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..overrule_testing::cases(8) })]

    #[test]
    fn any_workload_runs_the_least_again(
        nodes in prop::collection::vec((prop::collection::vec(0_usize..9, 0..4), prop::bool::weighted(0.2)), 1..30),
        edit in any::<usize>(),
    ) {
        block_on(check(drawn(&nodes, edit), Setting::default()));
    }

    #[test]
    fn an_edit_during_the_run_repeats_nothing_that_it_does_not_reach(
        nodes in prop::collection::vec((prop::collection::vec(0_usize..9, 0..4), prop::bool::weighted(0.2)), 1..30),
        edit in any::<usize>(),
    ) {
        block_on(during(drawn(&nodes, edit)));
    }
}

/// Edits a node as soon as it has its value, wherever the others are.
async fn during(workload: Workload) {
    let workload = Arc::new(workload);
    let edit = workload.edits[0];
    let mut run = Run::begin(&workload, &Setting::default(), 0.0).await.unwrap();
    let (name, mut call) = (world::label(edit), None);
    run.stage
        .until(|envelope| match &envelope.event {
            Event::Call(CallEvent::Checked { call: id, label, .. }) if **label == *name => {
                call = Some(*id);
                false
            }
            Event::Call(CallEvent::Finished { call: id, .. }) => call == Some(*id),
            _ => false,
        })
        .await
        .unwrap();
    let mut times: BTreeMap<usize, usize> = BTreeMap::new();
    run.edit(edit, 0.0).await.unwrap();
    run.finish().await.unwrap();
    for id in run.ran() {
        *times.entry(id).or_default() += 1;
    }
    let values = run.values().await.unwrap();
    run.close().await.unwrap();
    assert_eq!(values, from_scratch(&workload, edit).await);
    let reached = reached(&workload, edit);
    for (id, times) in times {
        let most = if reached.contains(&id) { 2 } else { 1 };
        assert!(id != edit && times <= most, "node {id} ran {times} times");
    }
}

#[test]
fn the_arithmetic_gives_the_counts_that_are_known() {
    // Nodes that a restart, a cut in time and the least run; tokens of their requests.
    let known = [
        (shapes::chain(100), [100, 49, 49], [240_500, 176_500, 176_500]),
        (shapes::rounds(12, 6), [98, 44, 42], [102_160, 72_480, 72_480]),
        (shapes::branches(8, 12), [100, 45, 7], [13_080, 12_680, 12_680]),
        (shapes::agents(6, 4, 3), [124, 44, 8], [84_120, 52_180, 26_840]),
        (shapes::cutoff(8, 6), [114, 49, 1], [57_680, 40_160, 0]),
        (shapes::tree(64), [130, 95, 7], [6_020, 5_620, 5_620]),
    ];
    for (workload, counts, tokens) in known {
        let edit = workload.edits[0];
        let shares = [
            workload.share(workload.restart()),
            workload.share(workload.cut_in_time(edit)),
            workload.share(workload.minimum(edit)),
        ];
        let name = &workload.name;
        assert_eq!(shares.each_ref().map(|share| share.nodes.len()), counts, "{name}");
        assert_eq!(shares.each_ref().map(|share| share.tokens), tokens, "{name}");
        let requests = |nodes: &[usize]| {
            nodes
                .iter()
                .filter(|id| workload.nodes[**id].kind.is_request())
                .count()
        };
        assert_eq!(shares[2].requests, requests(&workload.minimum(edit)), "{name}");
    }
    let ends = shapes::ends(12, 6);
    assert_eq!(ends.edits, [0, 96]);
    assert_eq!([0, 96].map(|edit| ends.minimum(edit).len()), [97, 1]);
    let sparse = shapes::sparse(200);
    assert_eq!(sparse.edits, [18, 36, 54, 72, 90, 109, 127, 145, 163, 181]);
    let all = |cut: &dyn Fn(usize) -> Vec<usize>| {
        let shares: Vec<_> = sparse.edits.iter().map(|edit| sparse.share(cut(*edit))).collect();
        let nodes: usize = shares.iter().map(|share| share.nodes.len()).sum();
        (nodes, shares.iter().map(|share| share.tokens).sum::<u64>())
    };
    assert_eq!(all(&|_| sparse.restart()), (2_000, 1_678_600));
    assert_eq!(all(&|edit| sparse.cut_in_time(edit)), (995, 1_211_080));
    assert_eq!(all(&|edit| sparse.minimum(edit)), (576, 720_800));
    let tree = shapes::tree(64);
    let path = tree.minimum(34).iter().map(|id| tree.nodes[*id].ms).sum::<f64>();
    assert!((tree.longest_path(&tree.minimum(34)) - path).abs() < f64::EPSILON);
}

#[test]
fn a_file_that_is_no_workload_is_refused() {
    let node = |id: usize, deps: &str, ms: &str| {
        format!(r#"{{"id": {id}, "kind": "call", "deps": {deps}, "fn": "hash", "tok": 1, "ms": {ms}}}"#)
    };
    let file = |node: String, edits: &str| {
        Workload::parse(&format!(
            r#"{{"name": "w", "nodes": [{node}], "edits": {edits}}}"#
        ))
    };
    assert!(file(node(0, "[]", "1"), "[0]").is_ok());
    let refused = [
        file(node(1, "[]", "1"), "[]"),
        file(node(0, "[0]", "1"), "[]"),
        file(node(0, "[]", "-1"), "[]"),
        file(node(0, "[]", "1"), "[1]"),
    ];
    for (refused, why) in refused
        .into_iter()
        .zip(["count from 0", "earlier", "-1 ms", "no node 1"])
    {
        let message = refused.unwrap_err();
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_waiting_call_is_edited_and_its_reader_begins_while_a_sibling_runs() {
    let pending = block_on(live::pending_edit(Sibling::paced(0.0))).unwrap();
    assert_eq!(pending.executed, ["edited", "reader"]);
    assert_eq!(pending.read, "as edited");
    // It would hang if the reader waited for the sibling; and the sibling was neither ended nor repeated.
    assert!(pending.sibling_ran);
    assert!(pending.edited_began <= pending.reader_began);
}

#[test]
fn other_arguments_for_one_of_six_calls_run_that_one_alone() {
    for effect in [EffectClass::Pure, EffectClass::Read, EffectClass::Write] {
        let edit = block_on(live::arguments_edit(6, effect)).unwrap();
        assert_eq!(edit.executed, ["call3"], "{}", effect.label());
        assert_eq!(edit.requests, 1);
        assert!(edit.equal_to_scratch);
    }
}
