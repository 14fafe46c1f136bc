//! Answers what the rules ask about tools and policy. Pure, apart from looking at files for
//! [`Advice::before`]. Must not know: who decides.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::canon;
use crate::domain::advice::{Advice, ToolFacts, Used};
use crate::domain::call::{Digest, EffectClass, Fault, Verdict};
use crate::domain::event::run::ToolCard;
use crate::domain::id::{NodeId, Rev};
use crate::policy::{Moment, Policy, Subject};
use crate::tools::registry::Registry;
use crate::tools::workspace;

/// What is known of tools and policy in this process.
#[derive(Clone)]
pub struct Adviser {
    /// The tools.
    pub registry: Arc<Registry>,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// The session's id, part of every digest.
    pub session: Arc<str>,
    /// The directory that the tools work in.
    pub workspace: Arc<PathBuf>,
    /// Names of the environment variables that a child is given.
    pub environment: Arc<str>,
    /// How children are confined.
    pub sandbox: Arc<str>,
    /// True where nobody watches: an ask without a deadline expires at once.
    pub headless: bool,
    /// UTC milliseconds since 1970, set before each decision and not changed while it is made: rules
    /// that end are judged by it. What it led to is recorded, so that a fold needs no clock.
    pub now: Option<i64>,
}

impl Adviser {
    /// The cards of the tools, with the marks that the rules look for.
    pub fn cards(&self) -> Vec<ToolCard> {
        let mut cards = self.registry.cards();
        for card in &mut cards {
            let Some(facts) = self.registry.facts(&card.name) else {
                continue;
            };
            let mut mark = |is: bool, tag: &str| {
                if is && !card.tags.iter().any(|one| one == tag) {
                    card.tags.push(tag.to_owned());
                }
            };
            mark(facts.asks_operator, "asks_operator");
            mark(facts.is_answer, "answer");
        }
        cards
    }

    /// Goes on with the preset of this name, where there is one.
    pub fn keep_preset(&mut self, name: &str) {
        if let Ok(preset) = name.parse() {
            self.policy = Arc::new((*self.policy).clone().with_preset(preset));
        }
    }
}

/// Arguments as a value; a blank text is an empty object.
pub fn parse_args(args: &str) -> Value {
    if args.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(args).unwrap_or(Value::Null)
}

impl Advice for Adviser {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        self.registry.facts(name)
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.registry.near(name)
    }

    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        self.registry.check(tool, args, resolved).unwrap_or_default()
    }

    fn verdict(&self, tool: &str, args: &str, used: &Used<'_>) -> Verdict {
        let spec = self.registry.spec(tool);
        let args = parse_args(args);
        let subject = Subject {
            tool,
            effect: spec.map_or(EffectClass::Unknown, |spec| spec.card.effect),
            tags: spec.map_or(&[], |spec| &spec.card.tags),
            args: &args,
            server: None,
        };
        let moment = Moment {
            now: self.now,
            used: Some(&|rule: &str| used.times(rule)),
        };
        let verdict = self.policy.verdict_at(&subject, &moment);
        if self.headless {
            crate::policy::headless(verdict)
        } else {
            verdict
        }
    }

    fn digest(&self, call: NodeId, rev: Rev, tool: &str, args: &str) -> Digest {
        let definition = self.registry.definition(tool).map_or("", |definition| definition);
        let call = call.to_string();
        let hash = canon::hash(
            "overrule approval v1",
            &[
                self.session.as_bytes(),
                call.as_bytes(),
                &rev.0.to_le_bytes(),
                tool.as_bytes(),
                definition.as_bytes(),
                args.as_bytes(),
                self.workspace.as_os_str().as_encoded_bytes(),
                self.environment.as_bytes(),
                self.sandbox.as_bytes(),
            ],
        );
        Digest(Arc::from(hash))
    }

    fn resource(&self, tool: &str, args: &str) -> Option<String> {
        let path = parse_args(args).get("path")?.as_str()?.to_owned();
        let spec = self.registry.spec(tool)?;
        // A file is one thing whichever tool writes it; a shell may touch anything and is alone responsible.
        (spec.card.effect == EffectClass::Write)
            .then(|| format!("file {}", workspace::real(&self.workspace.join(path)).display()))
    }

    fn before(&self, tool: &str, args: &str) -> Option<String> {
        let tool = self.registry.get(tool)?;
        tool.before(&parse_args(args), &self.workspace, self.registry.private())
            .map(|value| value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Gate;
    use crate::domain::id::NodeKind;
    use crate::policy::Preset;
    use crate::tools::builtin;

    fn adviser() -> Adviser {
        Adviser {
            registry: Arc::new(Registry::new(builtin::all(&builtin::Setup::default())).unwrap()),
            policy: Arc::new(Policy::new(Preset::Guarded)),
            session: "s".into(),
            workspace: Arc::new(PathBuf::from("/w")),
            environment: "HOME\nPATH".into(),
            sandbox: "none".into(),
            headless: false,
            now: None,
        }
    }

    fn digest(adviser: &Adviser) -> Digest {
        adviser.digest(
            NodeId::new(NodeKind::Call, 3),
            Rev(1),
            "shell",
            r#"{"command":"ls"}"#,
        )
    }

    #[test]
    fn an_approval_is_for_these_bytes_of_this_call_only() {
        let adviser = adviser();
        let shown = digest(&adviser);
        assert_eq!(shown, digest(&adviser));
        let (call, rev) = (NodeId::new(NodeKind::Call, 3), Rev(1));
        for other in [
            adviser.digest(
                NodeId::new(NodeKind::Call, 4),
                rev,
                "shell",
                r#"{"command":"ls"}"#,
            ),
            adviser.digest(call, Rev(2), "shell", r#"{"command":"ls"}"#),
            adviser.digest(call, rev, "search", r#"{"command":"ls"}"#),
            adviser.digest(call, rev, "shell", r#"{"command": "ls"}"#),
            adviser.digest(call, rev, "shell", r#"{"command":"ls","command":"ls"}"#),
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
    fn a_rule_is_judged_by_the_moment_that_was_set() {
        let text = "[[rule]]\ntool = \"shell\"\ngate = \"allow\"\nexpires = 1970-01-01T00:00:01Z";
        let mut policy = Policy::new(Preset::Guarded);
        for rule in crate::policy::parse::file("f", text, crate::policy::Origin::User)
            .unwrap()
            .rules
        {
            assert_eq!(policy.add(rule), None);
        }
        let mut adviser = adviser();
        adviser.policy = Arc::new(policy);
        let state = crate::domain::state::State::default();
        let draft = crate::domain::draft::Draft::new(&state);
        let mut gate = |now| {
            adviser.now = now;
            adviser.verdict("shell", "{}", &Used::by(&draft)).gate
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
}
