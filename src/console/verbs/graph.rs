//! Chooses how the graph is shown: filter, detail, map, timeline, follow mode.
//!
//! Must not know: how rows are made, how anything is drawn.

use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::graph::Form;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::graph::update::sift;
use crate::verbs::search::WORDS;

/// The verb `filter`.
pub const FILTER: Verb = Verb {
    name: "filter",
    keys: &["&"],
    contexts: PANES,
    doc: "show only matching nodes (words, is:failed, tool:NAME, kind:thought, turn:7, !not); dashed lines skip hidden nodes",
    run: |model, _| {
        ask(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `detail`.
pub const DETAIL: Verb = Verb {
    name: "detail",
    keys: &["Z"],
    contexts: PANES,
    doc: "show more or less: the newest turns in full, one row for each turn, every node, every node with its text",
    run: |model, _| {
        let level = model.graph.settings.level.next();
        model.graph.set_level(level, &model.run.state);
        model.set_status(format!("Shown: {}", level.describe()));
        model.screen.focus(Pane::GRAPH);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `map`.
pub const MAP: Verb = Verb {
    name: "map",
    keys: &["V"],
    contexts: PANES,
    doc: "show the turns around the selected node as boxes, or rows again; move with the arrows",
    run: |model, _| {
        form(model, Form::Map);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `timeline`.
pub const TIMELINE: Verb = Verb {
    name: "timeline",
    keys: &["J"],
    contexts: PANES,
    doc: "show when calls ran, waited and failed, and when the model was asked, or lanes again",
    run: |model, _| {
        form(model, Form::Time);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `transcript`.
pub const TRANSCRIPT: Verb = Verb {
    name: "transcript",
    keys: &["ctrl-t"],
    contexts: PANES,
    doc: "read the branch as a text from the selected node on, or show the graph again",
    run: |model, _| {
        form(model, Form::Transcript);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `leave-transcript`.
pub const LEAVE_TRANSCRIPT: Verb = Verb {
    name: "leave-transcript",
    keys: &["esc"],
    contexts: PANES,
    doc: "go back from the inspector to the transcript, and from there to the graph",
    hint: "graph",
    label: |model| (model.screen.focus != Pane::GRAPH).then_some("transcript"),
    rank: |model| Rank::stays_if(model.graph.is_transcript()),
    available: |model| offered(model.graph.is_transcript()),
    run: |model, _| {
        if !model.graph.is_transcript() {
            return Err(Refusal::new("The graph is shown"));
        }
        if model.screen.focus == Pane::GRAPH {
            form(model, Form::Transcript);
        }
        model.screen.focus(Pane::GRAPH);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `follow`.
pub const FOLLOW: Verb = Verb {
    name: "follow",
    keys: &[";"],
    contexts: PANES,
    doc: "keep the cursor on the newest row, or where it is",
    run: |model, _| {
        if model.graph.pinned {
            model.graph.go(usize::MAX);
        } else {
            model.graph.pinned = true;
            model.graph.see();
            model.set_status("The cursor stays here. New rows are counted");
        }
        model.screen.focus(Pane::GRAPH);
        Ok(())
    },
    ..Verb::BASE
};

/// Shows the graph in a form, or in lanes again.
fn form(model: &mut Model, form: Form) {
    let graph = &mut model.graph;
    graph.transcript.by_answer = false;
    graph.form = if graph.form == form { Form::Lanes } else { form };
    // Its size and layout are computed when it is shown.
    model.screen.focus(Pane::GRAPH);
}

/// Opens the line of the filter.
fn ask(model: &mut Model) {
    let filter = model.graph.settings.filter.as_ref();
    let before = filter.map_or(String::new(), |query| query.text.clone());
    let title = format!("show only (empty: all): {WORDS}");
    let act = ("filter", Style::QUERY);
    let prompt = Prompt::new(act, title, &before, |model, text, _| sift(model, &text));
    prompts::ask(model, prompt);
}
