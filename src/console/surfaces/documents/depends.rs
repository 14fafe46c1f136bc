//! The tab of dependencies: the parents and descendants of a node.
//!
//! Must not know: keys.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use crate::run::summary;
use overrule_domain::graph::{self, EdgeKind};
use overrule_domain::id::NodeId;

/// The most parents, and the most descendants, that are listed.
const MOST: usize = 200;

/// The parents of a node, and its descendants.
pub fn make(maker: &mut Maker<'_>, id: NodeId) {
    let state = &maker.run.state;
    let edges = graph::edges_into(state, id);
    let above = graph::ancestors(state, id).len();
    maker.own(Role::Title, format!("depends on ({above} in all)"));
    for edge in edges.iter().take(MOST) {
        let word = match edge.kind {
            EdgeKind::Produces => "follows",
            EdgeKind::Data => "reads",
            EdgeKind::Context => "has seen",
            EdgeKind::Intervenes => "changes",
        };
        row(maker, word, edge.from);
    }
    if let Some(call) = state.call(id) {
        for binding in &call.refs.bindings {
            let source = binding.source.map_or("the input".to_owned(), |id| id.to_string());
            maker.field(
                "bound",
                &format!("†{} to {source} {}", binding.reference, binding.rev),
            );
        }
    }
    let below = graph::descendants(state, id);
    maker.own(Role::Title, format!("descendants: {} nodes", below.len()));
    for id in below.iter().take(MOST) {
        row(maker, "", *id);
    }
    if below.len() > MOST {
        maker.own(Role::Dim, format!("and {} more", below.len() - MOST));
    }
}

fn row(maker: &mut Maker<'_>, word: &str, id: NodeId) {
    let Some(node) = maker.run.state.node(id) else {
        return;
    };
    let line = Styled::new()
        .own(Role::Dim, format!("{word:<9}"))
        .own(Role::Accent, format!("{id:<6} ", id = id.to_string()));
    let room = usize::from(maker.width).saturating_sub(line.columns());
    let line = line.summary(Role::Text, &summary::of(&maker.run.state, node), room);
    maker.doc.line(line);
}
