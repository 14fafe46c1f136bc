//! Tests that approvals are bound to exact bytes and context, and that rules depend on the time.
//!
//! Must not know: who asks.

use super::links::WalkedLinks;
use super::*;
use overrule_domain::draft::Draft;
use overrule_domain::id::NodeKind;
use overrule_domain::sandbox::Level;
use overrule_policy::Preset;
use overrule_tools::builtin;
use overrule_tools::workspace;

pub(super) fn adviser() -> Adviser {
    Adviser {
        output: None,
        registry: Arc::new(Registry::new(builtin::all(&builtin::Setup::default())).unwrap()),
        policy: Arc::new(Policy::new(Preset::Guarded)),
        session: "s".into(),
        workspace: Arc::new(PathBuf::from("/w")),
        shell: crate::advise::ShellStart::of_system(),
        environment: "HOME\nPATH".into(),
        sandbox: "none".into(),
        approver: None,
        headless: false,
        ladder: Ladder::default(),
        watch: Watch::default(),
        now: None,
        caches: Arc::default(),
        reader: crate::reader::Reader::default(),
        tracker: None,
    }
}

/// The links of some call.
fn followed(adviser: &Adviser) -> FollowedLinks<'_> {
    FollowedLinks::of(&adviser.reader, ("", ""))
}

fn digest(adviser: &Adviser) -> Digest {
    adviser.digest(
        NodeId::new(NodeKind::Call, 3),
        Rev(1),
        ("shell", r#"{"command":"ls"}"#),
        &[],
    )
}

#[test]
fn an_approval_is_for_these_bytes_of_this_call_only() {
    let adviser = adviser();
    let shown = digest(&adviser);
    assert_eq!(shown, digest(&adviser));
    let (call, rev) = (NodeId::new(NodeKind::Call, 3), Rev(1));
    let args = r#"{"command":"ls"}"#;
    let operand = |path: &str, hash: &str| {
        vec![Operand {
            path: path.into(),
            bytes: 1,
            seen: overrule_domain::call::FileCheck::Whole,
            hash: hash.into(),
        }]
    };
    let with = |path: &str, hash: &str| adviser.digest(call, rev, ("shell", args), &operand(path, hash));
    assert_eq!(with("a", "1"), with("a", "1"));
    assert_ne!(with("a", "1"), with("a", "2"), "the file holds something else");
    assert_ne!(with("a", "1"), with("b", "1"));
    for other in [
        adviser.digest(NodeId::new(NodeKind::Call, 4), rev, ("shell", args), &[]),
        adviser.digest(call, Rev(2), ("shell", args), &[]),
        adviser.digest(call, rev, ("search", args), &[]),
        adviser.digest(call, rev, ("shell", r#"{"command": "ls"}"#), &[]),
        adviser.digest(call, rev, ("shell", r#"{"command":"ls","command":"ls"}"#), &[]),
        adviser.digest(call, rev, ("shell", args), &operand("a", "1")),
    ] {
        assert_ne!(other, shown);
    }
}

#[test]
fn an_approval_is_for_these_surroundings_only() {
    let shown = digest(&adviser());
    let changes: [fn(&mut Adviser); 5] = [
        |adviser| adviser.session = "t".into(),
        |adviser| adviser.workspace = Arc::new(PathBuf::from("/w2")),
        |adviser| adviser.environment = "HOME".into(),
        |adviser| adviser.sandbox = "level 1".into(),
        // The same name stands for something else: no tool at all.
        |adviser| adviser.registry = Arc::new(Registry::default()),
    ];
    for change in changes {
        let mut other = adviser();
        change(&mut other);
        assert_ne!(digest(&other), shown);
    }
}

#[test]
fn a_rule_is_evaluated_at_the_configured_time() {
    let text = "[[rule]]\ntool = \"shell\"\ngate = \"allow\"\nexpires = 1970-01-01T00:00:01Z";
    let mut policy = Policy::new(Preset::Guarded);
    for rule in overrule_policy::parse::file("f", text, overrule_policy::Origin::User)
        .unwrap()
        .rules
    {
        assert_eq!(policy.add(rule), None);
    }
    let mut adviser = adviser();
    adviser.policy = Arc::new(policy);
    let state = overrule_domain::state::State::default();
    let draft = overrule_domain::draft::Draft::new(&state);
    let mut gate = |now| {
        adviser.now = now;
        adviser.verdict("shell", "{}", &RuleUses::by(&draft)).gate
    };
    assert_eq!(gate(Some(999)), Gate::Allow);
    assert_eq!(gate(Some(1_000)), Gate::Ask);
    assert_eq!(gate(None), Gate::Ask);
}

#[test]
fn two_paths_to_one_file_are_one_resource() {
    let adviser = adviser();
    let of = |path: &str| adviser.resource("write_file", &format!(r#"{{"path":"{path}"}}"#));
    assert_eq!(of("./a//b"), of("a/b"));
    assert_eq!(of("c/../a/b"), of("a/b"));
    assert_eq!(of("/w/a/b"), of("a/b"));
    assert_ne!(of("a/c"), of("a/b"));
}

#[test]
fn no_always_rule_if_the_command_cannot_be_determined() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("deploy.sh"), "echo 1").unwrap();
    let adviser = Adviser {
        workspace: Arc::new(place.path().to_owned()),
        ..adviser()
    };
    let exact = |line: &str| adviser.exact("shell", &format!(r#"{{"command":"{line}"}}"#));
    exact("ls").unwrap();
    exact("ls *.sh").unwrap();
    let before = exact("sh d''eploy.sh").unwrap();
    std::fs::write(place.path().join("deploy.sh"), "echo 2").unwrap();
    assert_ne!(
        exact("sh d''eploy.sh").unwrap(),
        before,
        "the file holds something else"
    );
    for line in ["sh deplo?.sh", "sh ~/x.sh", &"x ".repeat(20_000)] {
        assert_eq!(exact(line).unwrap_err(), session::UNTOLD, "{}", line.len());
    }
    // Nor does one hold that was made while it seemed that there was nothing to look at.
    let args = r#"{"command":"sh deplo?.sh"}"#;
    assert_eq!(adviser.key("shell", args, &followed(&adviser)), None);
}

#[test]
fn a_rule_and_a_decision_are_about_the_place_that_a_link_leads_to() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["secrets", "docs"] {
        std::fs::create_dir(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("key.txt"), "x").unwrap();
    }
    let point = |target: &str| {
        let _ = std::fs::remove_file(root.join("pub"));
        std::os::unix::fs::symlink(target, root.join("pub")).unwrap();
    };
    point("docs");
    let text = "[[rule]]\ntool = \"*\"\nargs = [{ at = \"/path\", under = \"secrets\" }]\ngate = \"deny\"";
    let mut policy = Policy::new(Preset::Auto).in_workspace(&root);
    for rule in overrule_policy::parse::file("rules.toml", text, overrule_policy::Origin::User)
        .unwrap()
        .rules
    {
        policy.add(rule);
    }
    let adviser = Adviser {
        policy: Arc::new(policy),
        workspace: Arc::new(root.clone()),
        ..adviser()
    };
    let args = r#"{"path":"pub/key.txt"}"#;
    let gate = || {
        let state = State::default();
        Advice::verdict(&adviser, "read_file", args, &RuleUses::by(&Draft::new(&state))).gate
    };
    let digest = |args: &str| adviser.digest(NodeId::FIRST, Rev(1), ("read_file", args), &[]);
    let key = || adviser.key("read_file", args, &followed(&adviser));
    assert_eq!(gate(), Gate::Allow);
    let (before, key_before) = (digest(args), key());
    let evaluation = followed(&adviser);
    let place = evaluation.real(&root.join("pub"));
    assert_eq!(before, digest(args));
    let plain = digest(r#"{"path":"docs/key.txt"}"#);
    point("secrets");
    assert_eq!(gate(), Gate::Deny);
    assert_ne!(before, digest(args));
    assert_ne!(key_before, key());
    assert_eq!(
        place,
        evaluation.real(&root.join("pub")),
        "one evaluation sees one place"
    );
    assert_ne!(place, followed(&adviser).real(&root.join("pub")));
    assert_eq!(plain, digest(r#"{"path":"docs/key.txt"}"#));
    let withheld = adviser.withheld("search", r#"{"pattern":"x"}"#);
    for (path, expected) in [("secrets", true), ("pub", true), ("docs", false)] {
        assert_eq!(withheld(std::path::Path::new(path)).is_some(), expected, "{path}");
    }
}

#[test]
fn an_approval_is_for_the_directory_that_was_there() {
    let root = tempfile::tempdir().unwrap();
    for name in ["good", "evil", "plain"] {
        std::fs::create_dir(root.path().join(name)).unwrap();
    }
    std::os::unix::fs::symlink("good", root.path().join("sub")).unwrap();
    let adviser = Adviser {
        workspace: Arc::new(root.path().to_owned()),
        ..adviser()
    };
    let of = |directory: &str| {
        let args = format!(r#"{{"command":"./run","cwd":"{directory}"}}"#);
        adviser.digest(NodeId::new(NodeKind::Call, 3), Rev(1), ("shell", &args), &[])
    };
    let (link, plain) = (of("sub"), of("plain"));
    assert_eq!((&link, &plain), (&of("sub"), &of("plain")));
    std::fs::remove_file(root.path().join("sub")).unwrap();
    std::os::unix::fs::symlink("evil", root.path().join("sub")).unwrap();
    assert_ne!(link, of("sub"), "the link leads elsewhere");
    // The old directory is kept, so that its number is not given again.
    std::fs::rename(root.path().join("plain"), root.path().join("old")).unwrap();
    std::fs::create_dir(root.path().join("plain")).unwrap();
    assert_ne!(plain, of("plain"), "another directory has the name");
}

/// A tool of class read with this schema.
fn with_schema(schema: &serde_json::Value) -> Adviser {
    struct Schemed(overrule_tools::Spec);
    impl overrule_tools::Tool for Schemed {
        fn spec(&self) -> &overrule_tools::Spec {
            &self.0
        }

        fn run(
            &self,
            _: overrule_tools::Job,
        ) -> futures_util::future::BoxFuture<'static, overrule_domain::call::Outcome> {
            unreachable!("nothing is launched")
        }
    }
    let base = adviser();
    let mut spec = base.registry.spec("search").unwrap().clone();
    spec.card.name = "look".into();
    spec.card.schema = schema.to_string().into();
    let tool: Arc<dyn overrule_tools::Tool> = Arc::new(Schemed(spec));
    Adviser {
        registry: Arc::new(Registry::new([tool]).unwrap()),
        ..base
    }
}

#[test]
fn a_call_whose_arguments_cannot_be_checked_is_no_fault_and_asks_under_every_preset() {
    let mut all = serde_json::Map::new();
    for level in 0..40 {
        let next = serde_json::json!({"$ref": format!("#/$defs/a{}", level + 1)});
        all.insert(
            format!("a{level}"),
            serde_json::json!({"anyOf": [next.clone(), next]}),
        );
    }
    all.insert("a40".into(), serde_json::json!({"type": "string"}));
    let doubling = serde_json::json!({"$defs": all, "$ref": "#/$defs/a0"});
    let plain = serde_json::json!({"type": "object"});
    let state = State::default();
    let draft = overrule_domain::draft::Draft::new(&state);
    let gate = |schema, preset| {
        let adviser = Adviser {
            policy: Arc::new(Policy::new(preset)),
            ..with_schema(schema)
        };
        assert_eq!(adviser.check("look", r#"{"text":"x"}"#, true), []);
        adviser.verdict("look", r#"{"text":"x"}"#, &RuleUses::by(&draft))
    };
    for preset in [
        Preset::Auto,
        Preset::Guarded,
        Preset::Supervised,
        Preset::ReadOnly,
    ] {
        let verdict = gate(&doubling, preset);
        assert_eq!(verdict.gate, Gate::Ask, "{preset}");
        assert_eq!(verdict.rule, "not checkable");
        assert!(
            verdict.reason.contains("more than 20096 steps"),
            "{}",
            verdict.reason
        );
        assert!(verdict.operator_only && verdict.alone);
        assert_ne!(gate(&plain, preset).rule, "not checkable", "{preset}");
    }
    assert_eq!(gate(&plain, Preset::Auto).gate, Gate::Allow);
    // A JSON error is one all the same.
    assert_eq!(with_schema(&doubling).check("look", "{", true).len(), 1);
}

#[test]
fn the_links_of_a_walk_lead_where_those_of_each_path_do() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b/c")).unwrap();
    std::fs::write(root.join("a/b/c/f"), "").unwrap();
    std::os::unix::fs::symlink("b/c", root.join("a/link")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("a/broken")).unwrap();
    let links = WalkedLinks::default();
    for path in [
        "a",
        "a/b",
        "a/b/c",
        "a/b/c/f",
        "a/link",
        "a/link/f",
        "a/broken",
        "a/absent/x",
        "a/b/../b/c",
        "a/..",
    ] {
        let path = root.join(path);
        assert_eq!(links.real(&path), workspace::real(&path), "{}", path.display());
    }
    // Every directory is resolved once, whatever is below it.
    assert!(links.0.lock().unwrap().len() <= 12);
}

#[test]
fn a_call_whose_places_cannot_be_read_in_time_asks_under_every_preset_and_a_denial_holds() {
    let of = |preset, rules: &str, reader: Reader| {
        let mut policy = Policy::new(preset);
        let read = overrule_policy::parse::file("rules.toml", rules, overrule_policy::Origin::User).unwrap();
        for rule in read.rules {
            assert!(policy.add(rule).is_none());
        }
        Adviser {
            policy: Arc::new(policy),
            workspace: Arc::new(std::env::temp_dir()),
            reader,
            ..adviser()
        }
    };
    let state = State::default();
    let draft = overrule_domain::draft::Draft::new(&state);
    let uses = RuleUses::by(&draft);
    let secret = "[[rule]]\ntool = \"*\"\nargs = [{ at = \"/path\", under = \"secret\" }]\ngate = \"deny\"";
    let calls = [
        ("shell", r#"{"command":"cat a/b"}"#, ""),
        ("shell", r#"{"command":"sh a/b"}"#, ""),
        ("read_file", r#"{"path":"a/b"}"#, secret),
    ];
    for (tool, args, rules) in calls {
        for preset in [Preset::Auto, Preset::Guarded, Preset::Supervised] {
            let late = of(preset, rules, Reader::without_answers());
            // As the call becomes ready.
            let operands = late.operands(tool, args);
            let digest = |adviser: &Adviser, operands: &[Operand]| {
                adviser.digest(NodeId::new(NodeKind::Call, 3), Rev(1), (tool, args), operands)
            };
            let unread = digest(&late, &operands);
            let verdict = late.verdict(tool, args, &uses);
            assert_eq!(
                (verdict.gate, &*verdict.rule),
                (Gate::Ask, LATE),
                "{tool} {args} {preset}"
            );
            assert!(verdict.operator_only && verdict.alone);
            // Only what it may run is part of the decision by its content.
            assert_eq!(operands.len(), usize::from(tool == "shell"), "{tool} {args}");
            let is_unread = |one: &Operand| !one.seen.is_file() && one.path.contains(LATE);
            assert!(operands.iter().all(is_unread), "{operands:?}");
            assert_eq!(
                late.effect(&state, "shell", r#"{"command":"ls"}"#),
                EffectClass::Unknown
            );
            let read = of(preset, rules, Reader::default());
            assert_ne!(
                read.verdict(tool, args, &uses).rule,
                LATE,
                "{tool} {args} {preset}"
            );
            // What was decided before it could be read is another decision.
            let now = digest(&read, &read.operands(tool, args));
            assert_ne!(unread, now, "{tool} {args} {preset}");
            assert!(late.exact(tool, args).is_err());
        }
    }
    let deny = "[[rule]]\ntool = \"shell\"\ngate = \"deny\"";
    let late = of(Preset::Auto, deny, Reader::without_answers());
    assert_eq!(
        late.verdict("shell", r#"{"command":"sh a/b"}"#, &uses).gate,
        Gate::Deny
    );
    // Nothing else is read once a few readings are late.
    assert_eq!(late.before("write_file", r#"{"path":"a","content":""}"#), None);
    assert!(
        late.resource("write_file", r#"{"path":"a"}"#)
            .unwrap()
            .ends_with("/a")
    );
}

#[test]
fn a_walk_of_nested_folders_resolves_each_of_them_once() {
    let looks = |depth: usize| {
        let dir = tempfile::tempdir().unwrap();
        let mut at = dir.path().canonicalize().unwrap();
        let links = WalkedLinks::default();
        for _ in 0..depth {
            at.push("d");
            std::fs::create_dir(&at).unwrap();
            std::fs::write(at.join("f"), "").unwrap();
            for path in [at.clone(), at.join("f"), at.join("f")] {
                assert_eq!(links.real(&path), path);
            }
        }
        links.0.into_inner().unwrap().len()
    };
    assert_eq!(looks(100), 101, "the folders, and the one that they are in");
    assert_eq!(looks(200), 201);
}

#[test]
fn what_decisions_in_runs_without_a_sandbox_are_bound_to_is_what_it_was() {
    let adviser = Adviser {
        sandbox: "sandbox level 0".into(),
        ..adviser()
    };
    let (call, args) = (NodeId::new(NodeKind::Call, 3), r#"{"command":"ls"}"#);
    let digest = adviser.digest(call, Rev(1), ("none", args), &[]);
    assert_eq!(
        &*digest.0,
        "0c89c8a657a4f84f5d74733a95b98ad9a7dc084094f1cac2215220af8b8e2deb"
    );
    let key = adviser.key("none", args, &followed(&adviser)).unwrap();
    assert_eq!(
        &*key,
        "985fcd31de4789bca31111c548e4a83b5bb8bcd8b25a1ed755f74f005592e996"
    );
}

/// An adviser with this sandbox whose shell is confined, under a policy.
fn confined(profile: Profile, policy: Policy) -> Adviser {
    let mut registry = Registry::new(builtin::all(&builtin::Setup::default())).unwrap();
    registry.confine("shell");
    Adviser {
        registry: Arc::new(registry),
        sandbox: Sandbox::new(profile),
        policy: Arc::new(policy),
        ..adviser()
    }
}

fn level_1() -> Profile {
    Profile {
        level: Level::Workspace,
        write: vec!["/w".into()],
        ..Profile::default()
    }
}

const INSIDE: &str = r#"{"command":"ls"}"#;
const OUTSIDE: &str = r#"{"command":"ls","_outside":"it needs docker"}"#;

#[test]
fn a_decision_about_a_confined_call_is_bound_to_the_profile() {
    let auto = || Policy::new(Preset::Auto);
    let one = confined(level_1(), auto());
    let of = |adviser: &Adviser, tool: &str, args: &str| {
        let call = NodeId::new(NodeKind::Call, 3);
        (
            adviser.digest(call, Rev(1), (tool, args), &[]),
            adviser.key(tool, args, &followed(adviser)).unwrap(),
        )
    };
    let mut wider = one.clone();
    wider.keep_widenings(&[Widening::Host("a.example".into())]);
    let scratch = Profile {
        level: Level::Scratch,
        ..level_1()
    };
    for other in [
        &wider,
        &confined(scratch, auto()),
        &confined(Profile::default(), auto()),
    ] {
        let (digest, key) = of(other, "shell", INSIDE);
        let (shown, always) = of(&one, "shell", INSIDE);
        assert_ne!(digest, shown);
        assert_ne!(key, always);
        // What is not confined, or asks to run outside, does not depend on it.
        assert_eq!(of(other, "read_file", "{}"), of(&one, "read_file", "{}"));
        assert_eq!(of(other, "shell", OUTSIDE), of(&one, "shell", OUTSIDE));
    }
    // A preview with more allowed is the same as what follows.
    let preview = one.with_sandbox(&[Widening::Host("a.example".into())]);
    let shown = preview.digest(NodeId::new(NodeKind::Call, 3), Rev(1), ("shell", INSIDE), &[]);
    assert_eq!(shown, of(&wider, "shell", INSIDE).0);
    assert_eq!(
        one.sandbox.recorded(),
        wider.sandbox.recorded(),
        "what was allowed is recorded for itself"
    );
    assert_eq!(one.profile("shell", INSIDE).as_deref(), Some(&level_1()));
    assert_eq!(one.profile("shell", OUTSIDE), None);
    assert_eq!(one.profile("read_file", "{}"), None);
}

#[test]
fn a_note_is_part_of_the_label_and_of_every_digest() {
    let none = Sandbox::new(Profile::default());
    assert_eq!(none.recorded().label, "sandbox level 0");
    assert_eq!(none.noted("x").recorded().label, "sandbox level 0, x");
    let one = Sandbox::new(level_1());
    assert_eq!(one.clone().noted("x").recorded().label, "sandbox 1, x");
    for placement in [
        Placement::Unconfined,
        Placement::Outside,
        Placement::Partial,
        Placement::Full,
    ] {
        assert_ne!(
            one.part(placement),
            one.clone().noted("x").part(placement),
            "{placement:?}"
        );
    }
}

#[test]
fn a_call_that_asks_to_leave_the_sandbox_asks_whatever_allows_it() {
    let state = overrule_domain::state::State::default();
    let draft = Draft::new(&state);
    let verdict = |adviser: &Adviser, args: &str| adviser.verdict("shell", args, &RuleUses::by(&draft));
    let adviser = confined(level_1(), Policy::new(Preset::Auto));
    assert_eq!(verdict(&adviser, INSIDE).gate, Gate::Allow);
    let asked = verdict(&adviser, OUTSIDE);
    assert_eq!(asked.gate, Gate::Ask);
    assert_eq!(asked.reason, "asks to leave the sandbox: it needs docker");
    assert!(asked.operator_only && asked.alone);
    let refused = adviser.exact("shell", OUTSIDE).unwrap_err();
    assert!(refused.contains("leave the sandbox"), "{refused}");
    adviser.exact("shell", INSIDE).unwrap();
    // A rule about exactly these bytes, made where nothing is confined, does not hold here.
    let free = confined(Profile::default(), Policy::new(Preset::Auto));
    let key = free.exact("shell", OUTSIDE).unwrap();
    let rule = SessionRule {
        no: 1,
        seq: overrule_domain::id::Seq(1),
        written: RuleSpec::Exact {
            call: NodeId::new(NodeKind::Call, 3),
            rev: Rev(1),
            tool: "shell".into(),
            key,
            bytes: OUTSIDE.len() as u64,
        },
        dropped: false,
    };
    let mut ruled = confined(level_1(), Policy::new(Preset::Guarded));
    ruled.keep_rules(&[rule]);
    assert_eq!(verdict(&ruled, OUTSIDE).gate, Gate::Ask);
    // Without a sandbox the reason means nothing.
    assert_eq!(verdict(&free, OUTSIDE).gate, Gate::Allow);
}
