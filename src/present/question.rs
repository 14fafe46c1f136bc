//! Names what a call does, why it asks, and what waits before it: the words of a decision on every screen.
//!
//! Must not know: who decides, how a decision is drawn.
//!
//! All words are in their visible form.

use serde_json::Value;

use overrule_base::known_tool::{self, DELETES, Kind, PATH};
use overrule_base::text::{head, visible};
use overrule_domain::call::{Call, Decision, EffectClass, Status, Verdict};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::ladder::Stage;
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_domain::rule;
use overrule_domain::state::State;
use overrule_domain::tags::{self, IRREVERSIBLE};
use overrule_domain::tool_change;
use overrule_policy::shell::ShellCall;

use super::call::repeats;
use super::effect::RepeatView;
use super::many;

/// The tag of a tool that reaches other machines.
const EXTERNAL: &str = "external";
/// Words of a command that name it.
const WORDS: usize = 3;
/// The most characters of such a word.
const WORD: usize = 30;
/// The most characters of a path, a tool or a host.
const NAME: usize = 60;
/// The most characters of a rule's reason.
const REASON: usize = 200;
/// Longest arguments that are parsed, in bytes.
const PARSED: usize = 256 * 1024;
/// Calls of a turn that are named one by one.
const NAMED: usize = 2;

/// The name of a tool: `SERVER.TOOL` for one of a server. Not in its visible form.
pub fn tool_name(state: &State, tool: &str) -> String {
    let origin = tags::card(state, tool).and_then(|card| card.origin.as_ref());
    let of_server = origin.and_then(|origin| Some((origin.server.as_ref()?, &origin.tool)));
    of_server.map_or_else(|| tool.to_owned(), |(server, tool)| format!("{server}.{tool}"))
}

/// What a call does, such as `changes stats.py` or `runs 2 commands`. `base` is the hash of the file that it replaces;
/// empty if there is none.
pub fn title(state: &State, call: &Call, base: Option<&str>) -> String {
    match &call.status {
        Status::Consent(_) => return would_repeat(state, call),
        Status::OutcomeUnknown(_) => return "outcome unknown".to_owned(),
        _ if tags::asks_operator(state, call.id) => return "asks you".to_owned(),
        _ => {}
    }
    let Some((tool, written)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return String::new();
    };
    let args = ready::resolved_args(state, call);
    let args = args.as_deref().unwrap_or(written);
    acts(state, tool, args, base).unwrap_or_else(|| format!("calls {}", cut(&tool_name(state, tool))))
}

/// The same for a call that may not wait: what a tool does with these arguments.
fn acts(state: &State, tool: &str, args: &str, base: Option<&str>) -> Option<String> {
    if args.len() > PARSED {
        return None;
    }
    let parsed: Value = serde_json::from_str(args).ok()?;
    let text = |name: &str| parsed.get(name).and_then(Value::as_str);
    let path = || {
        PATH.iter()
            .find_map(|name| text(name))
            .map(|path| shown_path(state, path))
    };
    match known_tool::kind(tool) {
        Some(Kind::Shell) => Some(runs(tool, args)),
        Some(Kind::Edit) => Some(format!("changes {}", path()?)),
        Some(Kind::Write) => {
            let verb = match base {
                Some("") => "creates",
                Some(_) => "replaces",
                None => "writes",
            };
            Some(format!("{verb} {}", path()?))
        }
        Some(Kind::Patch) => {
            let inner = known_tool::inner(tool, &parsed).unwrap_or(parsed);
            patches(state, &known_tool::patches(tool, &inner))
        }
        Some(Kind::Read | Kind::Other) => None,
        None => {
            let (method, url) = (text("method")?, text("url")?);
            let host = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
            let host = host.rsplit('@').next()?;
            Some(format!("sends {} to {}", cut(method), cut(host)))
        }
    }
}

/// What a shell call runs: the first words of its command, or their number.
fn runs(tool: &str, args: &str) -> String {
    let shell = ShellCall::of(tool, args);
    let commands: Vec<_> = shell.commands().collect();
    match commands.as_slice() {
        [one] => {
            let words: Vec<String> = one
                .text
                .split_whitespace()
                .take_while(|word| !word.contains(['<', '>']))
                .take(WORDS)
                .map(|word| visible(head(word, WORD).0))
                .collect();
            format!("runs {}", words.join(" "))
        }
        [] => "runs a command".to_owned(),
        all => format!("runs {}", many(all.len(), "command")),
    }
}

/// What patches do with their files.
fn patches(state: &State, patches: &[String]) -> Option<String> {
    let files: Vec<known_tool::Patched<'_>> = patches
        .iter()
        .flat_map(|patch| known_tool::patched(patch))
        .collect();
    match files.as_slice() {
        [] => None,
        [(what, path)] => {
            let verb = match *what {
                "adds" => "creates",
                DELETES => "deletes",
                _ => "changes",
            };
            Some(format!("{verb} {}", shown_path(state, path)))
        }
        all => Some(format!("changes {}", many(all.len(), "file"))),
    }
}

fn would_repeat(state: &State, call: &Call) -> String {
    match repeats(state, call).first() {
        Some(RepeatView::Here(one)) if one.call == call.id => "would run again".to_owned(),
        Some(RepeatView::Here(one)) => format!("would repeat {}", one.call),
        Some(RepeatView::Elsewhere(one)) => {
            format!("would repeat {} of another session", one.elsewhere.call)
        }
        None => "would repeat an effect".to_owned(),
    }
}

/// A path relative to the workspace, cut at its beginning.
fn shown_path(state: &State, path: &str) -> String {
    let workspace = state
        .started
        .as_ref()
        .map_or("", |started| started.workspace.as_str());
    let inside = path
        .strip_prefix(workspace.trim_end_matches('/'))
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|rest| {
            workspace.starts_with('/') && !rest.is_empty() && !rest.split('/').any(|part| part == "..")
        });
    let path = inside.unwrap_or(path);
    let more = path.chars().count().saturating_sub(NAME);
    match path.char_indices().nth(more) {
        Some((at, _)) if more > 0 => format!("…{}", visible(path.get(at..).unwrap_or_default())),
        _ => visible(path),
    }
}

/// True for a title that names a file by its whole path.
pub fn names_file(state: &State, title: &str, path: &str) -> bool {
    path.chars().count() <= NAME
        && title
            .split_once(' ')
            .is_some_and(|(_, file)| file == shown_path(state, path))
}

/// A name in its visible form, at most so long.
fn cut(name: &str) -> String {
    let (shown, is_cut) = head(name, NAME);
    let more = if is_cut { "…" } else { "" };
    format!("{}{more}", visible(shown))
}

/// Why a call asks, such as `guarded asks about changes to files`; empty where that is not recorded, or its title says it.
pub fn cause(state: &State, call: &Call) -> String {
    if matches!(call.status, Status::Consent(_) | Status::OutcomeUnknown(_))
        || tags::asks_operator(state, call.id)
    {
        return String::new();
    }
    if call.status == Status::Repairing(Stage::Choosing) {
        return "its arguments need a repair".to_owned();
    }
    if tool_change::of(state, call.id).is_some() {
        return "its definition changed".to_owned();
    }
    call.verdict
        .as_ref()
        .map(|verdict| because(verdict, || of_kind(state, call.id)))
        .unwrap_or_default()
}

/// Why a verdict asks, where its call is not at hand: `guarded asks about changes`.
pub fn asks_by(verdict: &Verdict) -> String {
    because(verdict, || "changes")
}

/// The preset that asks about what cannot be undone, and its rule for that. The reason says why it cannot.
const REVERSIBLE: &str = "reversible";
const OTHER_CHANGES: &str = "other changes ask";

/// Why a verdict asks about a call of this kind.
fn because(verdict: &Verdict, kind: impl Fn() -> &'static str) -> String {
    let cited = verdict.rule.as_str();
    let reason = visible(head(verdict.reason.trim_end_matches('.'), REASON).0);
    // What its author says is quoted where there is room for it.
    if verdict.quoted.is_some() || cited.starts_with("workspace ") {
        let place = rule::of_workspace(cited).filter(|place| !place.is_empty());
        return place.map_or_else(
            || "a rule of the workspace asks".to_owned(),
            |place| format!("a rule of the workspace ({}) asks", visible(place)),
        );
    }
    if let Some(preset) = cited.strip_prefix("preset ") {
        let (preset, text) = preset.split_once(": ").unwrap_or((preset, ""));
        let preset = cut(preset);
        return match text {
            "what cannot be undone asks" => "always asks: cannot be undone".to_owned(),
            "reads that reach outside ask" => format!("{preset} asks about other machines"),
            OTHER_CHANGES if preset == REVERSIBLE => format!("{preset} asks about {}: {reason}", kind()),
            "" | "everything asks" => format!("{preset} asks about every call"),
            _ => format!("{preset} asks about {}", kind()),
        };
    }
    if cited.starts_with("built in") {
        return format!("always asks: {reason}");
    }
    // Without a reason of its author, the rule gives one that only names the tool.
    if reason.is_empty() || reason.ends_with(" runs") && reason.contains(" rule asks before ") {
        return "your rule asks".to_owned();
    }
    format!("your rule asks: {reason}")
}

/// What a preset asks about when it asks about a call.
fn of_kind(state: &State, id: NodeId) -> &'static str {
    let Some((tool, _)) = state.nodes.get(&id).and_then(Node::as_call) else {
        return "every call";
    };
    let is_external = tags::of(state, tool).iter().any(|tag| tag == EXTERNAL);
    match known_tool::kind(tool) {
        Some(Kind::Shell) => "commands",
        Some(Kind::Write | Kind::Edit | Kind::Patch) => "changes to files",
        _ if is_external => "other machines",
        _ => "calls that may change something",
    }
}

/// The call that asks, in one line: its id, what it does and why it asks.
pub fn asks(state: &State, call: &Call) -> String {
    let (title, cause) = (title(state, call, None), cause(state, call));
    match cause.as_str() {
        "" => format!("{} {title}", call.id),
        cause => format!("{} {title}: {cause}", call.id),
    }
}

/// The calls before a call in its turn that may change something and still wait or run.
fn open_before<'s>(state: &'s State, call: &Call) -> Vec<&'s Call> {
    let Some(turn) = state.turn_of(call.id) else {
        return Vec::new();
    };
    let before = turn.nodes.iter().take_while(|id| **id != call.id);
    let open = before
        .filter(|id| id.kind == NodeKind::Call)
        .filter(|id| state.nodes.get(id).is_some_and(|node| node.active))
        .filter_map(|id| state.calls.get(id))
        .filter(|one| one.effect > EffectClass::Read && !one.status.is_settled());
    open.filter(|one| one.status != Status::Invalid).collect()
}

/// Their names; none if there are none.
pub fn before(state: &State, call: &Call) -> Option<String> {
    names(&open_before(state, call))
}

fn names(calls: &[&Call]) -> Option<String> {
    Some(match calls {
        [] => return None,
        [one] => one.id.to_string(),
        [one, other] => format!("{} and {}", one.id, other.id),
        all => {
            let named: Vec<String> = all.iter().take(NAMED).map(|one| one.id.to_string()).collect();
            format!("{} and {} more", named.join(", "), all.len() - NAMED)
        }
    })
}

/// That calls before a call in its turn still wait or run; none if there are none.
pub fn order(state: &State, call: &Call) -> Option<String> {
    let open = open_before(state, call);
    let names = names(&open)?;
    let waits = open.iter().any(|one| !matches!(one.status, Status::Running(_)));
    let verb = match (waits, open.len()) {
        (true, 1) => "waits",
        (true, _) => "wait",
        (false, 1) => "runs",
        (false, _) => "run",
    };
    Some(format!("{names}, before it in the same turn, still {verb}"))
}

/// How a call was refused, in a word, and the reason: untrusted text.
pub fn refused(call: &Call) -> (&'static str, &str) {
    let mut decisions = call.decisions.iter().rev();
    let found = decisions.find_map(|(_, _, decision)| match &**decision {
        Decision::Reject { reason } => Some(("rejected", reason.as_str())),
        Decision::Deny { reason, .. } => Some(("denied", reason.as_str())),
        _ => None,
    });
    found.unwrap_or(("rejected", ""))
}

/// What a call of this class does, as far as that is known.
pub const fn effect(class: EffectClass) -> Option<&'static str> {
    match class {
        EffectClass::Pure => Some("no effect"),
        EffectClass::Read => Some("only reads"),
        EffectClass::Idempotent => Some("safe to repeat"),
        EffectClass::Write => Some("changes something"),
        EffectClass::Unknown => None,
    }
}

/// A tag of a tool, in words; none where it says nothing of the call. Not in its visible form.
pub fn tag<'t>(tool: &str, tag: &'t str) -> Option<&'t str> {
    match tag {
        // A shell may reach other machines: its commands say whether it does.
        EXTERNAL if known_tool::kind(tool) == Some(Kind::Shell) => None,
        EXTERNAL => Some("reaches another machine"),
        IRREVERSIBLE => Some("cannot be undone"),
        other => Some(other),
    }
}

/// True for a call whose effect cannot be undone.
pub fn is_irreversible(state: &State, call: &Call) -> bool {
    let tool = state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map(|(tool, _)| tool);
    tool.is_some_and(|tool| tags::of(state, tool).iter().any(|tag| tag == IRREVERSIBLE))
}
