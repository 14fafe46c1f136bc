//! Describes the events of the sandbox.
//!
//! Must not know: styles, who caused an event.

use overrule_base::text::visible;
use overrule_domain::event::SandboxEvent;
use overrule_domain::sandbox::{Refused, Widening};

/// Maximum number of refused accesses that are named.
const MOST: usize = 3;

/// An event of the sandbox, without its number and its author.
pub(crate) fn describe(event: &SandboxEvent) -> String {
    match event {
        SandboxEvent::Confined { call, refused, .. } => {
            format!("the sandbox refused {} ({call})", list(refused))
        }
        SandboxEvent::Widened { by } => widening(by),
        SandboxEvent::Kept { call, path, .. } => {
            format!("the change of {} by {call} stays", visible(path))
        }
        SandboxEvent::NotKept { call, path, why, .. } => format!(
            "the change of {} by {call} could not be kept: {}",
            visible(path),
            visible(why)
        ),
    }
}

/// What is allowed in addition.
fn widening(by: &Widening) -> String {
    match by {
        Widening::Host(host) => format!("{} is allowed from here on", visible(host)),
        Widening::Directory(directory) => format!("{} is writable from here on", visible(directory)),
    }
}

fn list(refused: &[Refused]) -> String {
    let one = |one: &Refused| format!("{} {}", one.kind.label(), visible(&one.what));
    let mut words: Vec<String> = refused.iter().take(MOST).map(one).collect();
    if refused.len() > MOST {
        words.push(format!("{} more", refused.len() - MOST));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::id::{Attempt, NodeId, NodeKind};
    use overrule_domain::sandbox::RefusedKind;

    #[test]
    fn what_the_sandbox_refused_and_what_it_allows_is_said() {
        let refused = |kind, what: &str| Refused::exact(kind, what);
        let confined = |refused| {
            describe(&SandboxEvent::Confined {
                call: NodeId::new(NodeKind::Call, 5),
                attempt: Attempt(1),
                refused,
            })
        };
        let network = refused(RefusedKind::Network, "registry.example.org:443");
        assert_eq!(
            confined(vec![network.clone()]),
            "the sandbox refused network registry.example.org:443 (c5)"
        );
        let write = refused(RefusedKind::Write, "/etc/a\u{1b}[2J");
        let text = confined(vec![network.clone(), write, network.clone(), network]);
        assert!(
            text.ends_with(", 1 more (c5)") && !text.contains('\u{1b}'),
            "{text}"
        );
        let widened = |by| describe(&SandboxEvent::Widened { by });
        assert_eq!(
            widened(Widening::Host("a.example".into())),
            "a.example is allowed from here on"
        );
        assert_eq!(
            widened(Widening::Directory("/data".into())),
            "/data is writable from here on"
        );
        let call = NodeId::new(NodeKind::Call, 5);
        let (path, from) = ("a\u{1b}".to_owned(), "/kept".to_owned());
        let kept = SandboxEvent::Kept {
            call,
            path: path.clone(),
            from: from.clone(),
        };
        assert_eq!(describe(&kept), "the change of a⟨U+001B⟩ by c5 stays");
        let why = "it is gone".to_owned();
        let lost = SandboxEvent::NotKept {
            call,
            path,
            from,
            why,
        };
        assert_eq!(
            describe(&lost),
            "the change of a⟨U+001B⟩ by c5 could not be kept: it is gone"
        );
    }
}
