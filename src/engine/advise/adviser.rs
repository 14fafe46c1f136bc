//! What an adviser knows besides the questions of the domain: cards, rules, digests, the failure policy.
//!
//! Must not know: how a decision is made.

use std::borrow::Cow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::super::reader::LATE;
use super::links::{FollowedLinks, WalkedLinks};
use super::{Adviser, Sandbox, contents, parse_args};
use overrule_base::{canon, known_tool};
use overrule_domain::advice::{Advice, RuleUses, Special};
use overrule_domain::breaker::Scope;
use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::draft::Draft;
use overrule_domain::event::run::ToolCard;
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::files::{FilePath, Looked};
use overrule_domain::rule::{RuleSpec, SessionRule};
use overrule_domain::sandbox::{Placement, Tracking, Widening};
use overrule_domain::setting_change;
use overrule_domain::state::State;
use overrule_policy::{Moment, Preset, Rule, Subject, session};
use overrule_resilience as resilience;
use overrule_resilience::ladder::Ladder;
use overrule_tools::registry::Registry;
use overrule_tools::{Children, Withheld};

/// What the files of a restore are read for.
const RESTORED: &str = "restore";
/// Why a file is not restored by a process without a tracker.
const NOT_TRACKED: &str = "this process does not track files";
/// How long a look at the files of a restore may take: their contents are hashed.
const FILES_LIMIT: Duration = Duration::from_secs(10);

impl Adviser {
    /// Notes what is constant during a decision: the time, in UTC milliseconds since 1970, and how far changes of files can
    /// be restored.
    pub fn begin_decision(&mut self, now: i64) {
        self.now = Some(now);
        self.files.refresh();
    }

    /// Returns true while calls wait for the first scan of the files.
    pub fn awaits_files(&self) -> bool {
        self.policy.preset() == Preset::Reversible && *self.files.now() == Tracking::NotYet
    }

    /// Returns the cards of the tools, with the tags that the rules look for.
    pub fn cards(&self) -> Vec<ToolCard> {
        Self::cards_of(&self.registry)
    }

    /// The same for any tools.
    pub fn cards_of(registry: &Registry) -> Vec<ToolCard> {
        let mut cards = registry.cards();
        for card in &mut cards {
            let Some(facts) = registry.facts(&card.name) else {
                continue;
            };
            if let Some(tag) = facts.special.map(Special::tag)
                && !card.tags.iter().any(|one| one == tag)
            {
                card.tags.push(tag.to_owned());
            }
        }
        cards
    }

    /// Adopts the active session rules. Omits those that may not be active in this process.
    pub fn keep_rules(&mut self, rules: &[SessionRule]) {
        let mut policy = (*self.policy).clone().without_session();
        for rule in rules.iter().filter(|rule| !rule.dropped) {
            match self.admitted(rule.no, &rule.written) {
                Ok(rule) => {
                    // `add` refuses only rules that may not loosen, and a session rule may.
                    let _ = policy.add(rule);
                }
                Err(why) => {
                    tracing::warn!(rule = rule.no, why = %overrule_base::text::visible(&why), "left out");
                }
            }
        }
        self.policy = Arc::new(policy);
    }

    /// Adopts what the operator allowed the children of the run in addition.
    pub fn keep_widenings(&mut self, by: &[Widening]) {
        self.sandbox = self.sandbox.clone().widened(by);
    }

    /// Returns where a call starts: in the sandbox or outside of it.
    pub fn placement(&self, tool: &str, args: &str) -> Placement {
        let spec = self.registry.spec(tool);
        let is_confined = spec.is_some_and(|spec| spec.card.confined);
        self.sandbox_of(tool).profile().placement(is_confined, args)
    }

    /// Returns the sandbox of a tool's calls: that of the run, or one of its own.
    pub(super) fn sandbox_of(&self, tool: &str) -> Cow<'_, Sandbox> {
        let own = self
            .registry
            .children(tool)
            .filter(|one| **one != Children::default());
        match own {
            None => Cow::Borrowed(&self.sandbox),
            Some(own) => Cow::Owned(self.sandbox.replaced(own.profile(self.sandbox.profile()))),
        }
    }

    pub(super) fn effect_of(&self, tool: &str, args: &str) -> EffectClass {
        let spec = self.registry.spec(tool);
        spec.map_or(EffectClass::Unknown, |spec| spec.card.effect_of(args))
    }

    pub(super) fn admitted(&self, no: u32, rule: &RuleSpec) -> Result<Rule, String> {
        let rule = session::rule(no, rule)?;
        session::check_admissible(&rule, &self.cards())?;
        Ok(rule)
    }

    /// Returns `None` if an unexamined file may run: the same key could mean another content.
    pub(super) fn key(&self, tool: &str, args: &str, links: &FollowedLinks<'_>) -> Option<Arc<str>> {
        let definition = self.registry.definition(tool).map_or("", |definition| definition);
        let operands = self.operands(tool, args);
        if operands.iter().any(|one| !one.seen.is_file()) {
            return None;
        }
        let sandbox = self.sandbox_of(tool);
        let mut parts: Vec<&[u8]> = vec![
            tool.as_bytes(),
            definition.as_bytes(),
            args.as_bytes(),
            self.workspace.as_os_str().as_encoded_bytes(),
            self.environment.as_bytes(),
            sandbox.part(self.placement(tool, args)).as_bytes(),
        ];
        parts.extend(contents(&operands));
        let bound = self.bound(tool, args, links);
        if links.is_late() {
            return None;
        }
        parts.extend(bound.iter().map(Vec::as_slice));
        Some(Arc::from(canon::hash("overrule always v1", &parts)))
    }

    /// Returns the places that the links in the paths of a call lead to, if that is elsewhere.
    pub(super) fn places(&self, tool: &str, args: &str, links: &FollowedLinks<'_>) -> Vec<PathBuf> {
        let directory = known_tool::directory(tool, args);
        let places = known_tool::places(tool, args).into_iter().chain(directory);
        let followed = places.filter_map(|path| {
            let written = self.workspace.join(path);
            let real = links.real(&written);
            (real != written).then_some(real)
        });
        followed.collect()
    }

    /// Returns what a decision is bound to besides the bytes of the call: the places that links lead to, and the directory.
    pub(super) fn bound(&self, tool: &str, args: &str, links: &FollowedLinks<'_>) -> Vec<Vec<u8>> {
        let places = self.places(tool, args, links).into_iter();
        let places = places.map(|place| place.into_os_string().into_encoded_bytes());
        let directory = known_tool::directory(tool, args).map(|path| self.workspace.join(path));
        let directory = directory.and_then(|path| links.read(move || Self::directory(&path))?);
        let mut bound: Vec<Vec<u8>> = places.chain(directory.map(Vec::from)).collect();
        if links.is_late() {
            bound.push(LATE.into());
        }
        bound
    }

    /// Returns which directory the one is in which a call runs: device and inode. Another one may get its name.
    pub(super) fn directory(path: &Path) -> Option<[u8; 16]> {
        let about = path.metadata().ok()?;
        let mut id = [0; 16];
        let (device, inode) = id.split_at_mut(8);
        device.copy_from_slice(&about.dev().to_le_bytes());
        inode.copy_from_slice(&about.ino().to_le_bytes());
        Some(id)
    }

    /// Returns what rules keep from a call that walks a tree, as they are now.
    pub fn withheld(&self, tool: &str, args: &str) -> Withheld {
        let spec = self.registry.spec(tool);
        let args_value = parse_args(args);
        let subject = Subject {
            tool,
            effect: self.effect_of(tool, args),
            tags: spec.map_or(&[], |spec| &spec.card.tags),
            args: &args_value,
            server: spec.and_then(|spec| spec.card.server()),
            is_of_agent: spec.is_some_and(|spec| spec.card.is_of_agent()),
            sandbox: self.placement(tool, args),
        };
        let followed = FollowedLinks::of(&self.reader, (tool, args));
        let moment = Moment {
            now: self.now,
            links: Some(&|path: &Path| followed.real(path)),
            ..Moment::default()
        };
        let withheld = self.policy.withheld(&subject, &moment);
        let links = WalkedLinks::default();
        Arc::new(move |path| withheld.extent(path, Some(&|path: &Path| links.real(path))))
    }

    /// Adopts the failure handling that an operator set during the run. It takes precedence over the
    /// operator's files.
    pub fn keep_resilience(&mut self, state: &State) {
        if let Some(recorded) = state
            .settings
            .resilience
            .as_ref()
            .filter(|recorded| recorded.live)
        {
            // Ignored if it was written by an older program and can no longer be read.
            if let Ok(policy) = resilience::policy::Policy::parse(&recorded.policy) {
                self.ladder = Ladder::new(policy, self.ladder.seed);
            }
        }
    }

    /// Returns the event that records the failure handling, if it differs from the last one recorded.
    pub fn resilience(&self, state: &State) -> Option<Event> {
        let policy: Arc<str> = Arc::from(self.ladder.policy.to_text());
        let known = match &state.settings.resilience {
            Some(recorded) => recorded.policy == policy,
            None => self.ladder.policy == resilience::policy::Policy::default(),
        };
        let version = state
            .settings
            .resilience
            .as_ref()
            .map_or(1, |recorded| recorded.version.saturating_add(1));
        let before = match &state.settings.resilience {
            Some(recorded) => Arc::clone(&recorded.policy),
            None => Arc::from(resilience::policy::Policy::default().to_text()),
        };
        let changed = setting_change::between(&before, &policy);
        (!known).then_some(Event::Resilience(ResilienceEvent::PolicySet {
            version,
            policy,
            live: false,
            changed,
        }))
    }

    /// Returns why a tool cannot, or may not, make a call with these arguments in place of another one.
    pub(super) fn refuses(&self, state: &State, tool: &str, args: &str) -> Option<String> {
        let facts = self.registry.facts(tool)?;
        if facts.is_answer() || facts.delegates() {
            return Some("it cannot replace a call".to_owned());
        }
        let faults = self.registry.check(tool, args, false).unwrap_or_default();
        if let Some(fault) = faults.first() {
            return Some(format!("invalid arguments: {} {}", fault.path, fault.message));
        }
        let shut = |scope: &&Scope| state.learned.breakers.get(scope).is_some_and(|one| !one.admits());
        if let Some(scope) = Advice::guards(self, tool, args).iter().find(shut) {
            return Some(format!("the breaker of {scope} is not closed"));
        }
        let draft = Draft::new(state);
        let verdict = Advice::verdict(self, tool, args, &RuleUses::by(&draft));
        (verdict.gate == Gate::Deny).then(|| format!("the policy denies it ({})", verdict.rule))
    }

    /// Looks at files for a restore. What cannot be looked at in time is not restored.
    pub(super) fn look_at(&self, paths: &[FilePath], contents: &[&str]) -> Result<Looked, String> {
        let Some(tracker) = self.files.tracker().cloned() else {
            return Err(match self.files.now() {
                Tracking::Not { why } => why.to_string(),
                Tracking::Ready { .. } | Tracking::NotYet => NOT_TRACKED.to_owned(),
            });
        };
        let paths = paths.to_vec();
        let contents: Vec<String> = contents.iter().map(|hash| (*hash).to_owned()).collect();
        let look = move || tracker.look_up(&paths, &contents);
        self.reader
            .read_within(FILES_LIMIT, (RESTORED, ""), look)
            .ok_or_else(|| format!("the files were not read within {} s", FILES_LIMIT.as_secs()))
    }

    /// Adopts the preset of this name, if there is one.
    pub fn keep_preset(&mut self, name: &str) {
        if let Ok(preset) = name.parse() {
            self.policy = Arc::new((*self.policy).clone().with_preset(preset));
        }
    }
}
