//! Builds the view of the sandbox of a session: its profile, its guarantees, what was refused and what was allowed.
//!
//! Must not know: how a child is confined, how a view is drawn.

use serde::Serialize;

use overrule_base::text::visible;
use overrule_domain::call::Call;
use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::sandbox::{Guarantee, Level, Profile, Refused, RefusedKind, Widening};
use overrule_domain::state::State;

/// The most refused accesses that a row names.
const NAMED: usize = 2;
/// The port that a row does not name.
const USUAL: &str = ":443";

/// The sandbox of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SandboxView {
    /// In the words of the header.
    pub label: String,
    /// The level.
    pub level: u8,
    /// Directories that a command may write.
    pub write: Vec<String>,
    /// Hosts that it reaches.
    pub network: Vec<String>,
    /// True if it may use Unix sockets of other programs.
    pub unix_sockets: bool,
    /// Paths that it cannot read.
    pub hidden: Vec<String>,
    /// What was allowed in this session.
    pub allowed: Vec<AllowedView>,
    /// Every guarantee.
    pub guarantees: Vec<GuaranteeView>,
    /// What each execution was refused, by call.
    pub refused: Vec<CallRefusalsView>,
}

/// What the operator allowed in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AllowedView {
    /// `host` or `directory`.
    pub kind: &'static str,
    /// The host or the directory.
    pub what: String,
}

/// A guarantee of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuaranteeView {
    /// Its number: `G1` to `G9`.
    pub number: &'static str,
    /// What holds.
    pub what: &'static str,
    /// True if it is proven.
    pub held: bool,
    /// What is possible because it is missing.
    pub loss: Option<&'static str>,
    /// Why it is missing.
    pub why: Option<String>,
}

/// What the sandbox refused an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRefusalsView {
    /// The call.
    pub call: NodeId,
    /// The execution.
    pub attempt: Attempt,
    /// What was refused.
    pub refused: Vec<RefusedView>,
}

/// An access that the sandbox refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedView {
    /// `write`, `read`, `network` or `protected`.
    pub kind: &'static str,
    /// The path, or the host with its port.
    pub what: String,
    /// True where the sandbox itself saw it; false where it follows from the output.
    pub exact: bool,
}

impl SandboxView {
    /// Builds the view of a session.
    pub fn of(state: &State) -> Self {
        let profile = state.sandbox_profile();
        let shown = |list: &[String]| list.iter().map(|one| visible(one)).collect();
        let allowed = state.settings.widenings.iter();
        let refused = state.calls.values().flat_map(refusals);
        Self {
            label: profile.label(),
            level: profile.level.number(),
            write: shown(if profile.level == Level::Workspace {
                &profile.write
            } else {
                &[]
            }),
            network: shown(&profile.network),
            unix_sockets: profile.unix_sockets,
            hidden: shown(&profile.hidden),
            allowed: allowed.map(AllowedView::of).collect(),
            guarantees: guarantees(&profile),
            refused: refused.collect(),
        }
    }
}

impl AllowedView {
    fn of(by: &Widening) -> Self {
        let (kind, what) = match by {
            Widening::Host(host) => ("host", host),
            Widening::Directory(directory) => ("directory", directory),
        };
        Self {
            kind,
            what: visible(what),
        }
    }
}

impl RefusedView {
    fn of(one: &Refused) -> Self {
        Self {
            kind: one.kind.label(),
            what: visible(&one.what),
            exact: one.exact,
        }
    }
}

/// Every guarantee, and whether this profile has it. Without a sandbox there is none.
pub fn guarantees(profile: &Profile) -> Vec<GuaranteeView> {
    if !profile.confines() {
        return Vec::new();
    }
    let view = |guarantee: Guarantee| {
        let missing = profile.missing.iter().find(|one| one.guarantee == guarantee);
        GuaranteeView {
            number: guarantee.number(),
            what: guarantee.label(),
            held: missing.is_none(),
            loss: missing.map(|_| guarantee.loss()),
            why: missing.map(|one| visible(&one.why)),
        }
    };
    Guarantee::ALL.into_iter().map(view).collect()
}

fn refusals(call: &Call) -> impl Iterator<Item = CallRefusalsView> + '_ {
    let some = call.attempts.iter().filter(|attempt| !attempt.refused.is_empty());
    some.map(|attempt| CallRefusalsView {
        call: call.id,
        attempt: attempt.no,
        refused: attempt.refused.iter().map(RefusedView::of).collect(),
    })
}

/// What the sandbox refused the newest execution of a call, for a row: `refused: network registry.example.org`. None where it
/// refused nothing.
pub fn refused(call: &Call) -> Option<String> {
    let all = call.refused();
    let words = |one: &Refused| {
        let what = visible(&one.what);
        let what = match one.kind {
            RefusedKind::Network => what.strip_suffix(USUAL).unwrap_or(&what),
            _ => &what,
        };
        format!("{} {what}", one.kind.label())
    };
    let mut named: Vec<String> = all.iter().take(NAMED).map(words).collect();
    if all.len() > NAMED {
        named.push(format!("{} more", all.len() - NAMED));
    }
    (!named.is_empty()).then(|| format!("refused: {}", named.join(", ")))
}
