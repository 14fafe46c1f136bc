//! The readable form of a decision: marks of danger, warnings, the call, and what was computed from it.
//!
//! Must not know: keys, how a decision is sent, how a form is made.

use std::sync::Arc;

use super::derived::Derived;
use super::{agent_plan, changed_lines, frame, tool_change};
use crate::ground::columns::Columns as _;
use crate::ground::diff;
use crate::ground::doc;
use crate::ground::doc::{Form, ShownNow, Styled};
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use crate::run::part::RunPart;
use crate::run::readable;
use crate::run::readable::{Found, Part, Readable};
use crate::run::summary;
use overrule_base::known_tool::PATH;
use overrule_base::text::visible;
use overrule_domain::call::{Call, Shown, ShownForm};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::tags;
use overrule_domain::why;
use overrule_present::danger;
use overrule_present::question;

/// The danger of a call whose effect cannot be undone.
const UNDOABLE: &str = "cannot be undone";
/// Columns of the name of an argument, with the blank after it.
const ARGUMENT: usize = 10;
/// The tags that are shown in other words.
const KNOWN_TAGS: [&str; 3] = [tags::IRREVERSIBLE, "external", tags::ASKS_OPERATOR];

/// The marks of danger of a call as a line: `cannot be undone, deletes (rm, git clean)`; empty without any.
pub(crate) fn marks_line(run: &RunPart, id: NodeId) -> Styled {
    let mut line = Styled::new();
    if run
        .state
        .call(id)
        .is_some_and(|call| question::is_irreversible(&run.state, call))
    {
        line = line.own(Role::Danger, UNDOABLE);
    }
    let tool = run.state.node(id).and_then(Node::as_call).map(|(tool, _)| tool);
    let marks = run.danger_of(id);
    for (kind, those) in danger::by_kind(&marks, tool.map_or("", |tool| tool)) {
        let comma = if line.0.is_empty() { "" } else { ", " };
        line = line.own(Role::Danger, format!("{comma}{}", kind.label()));
        for (at, because) in those.iter().enumerate() {
            let before = if at == 0 { " (" } else { ", " };
            line = line
                .own(Role::Danger, before)
                .untrusted(Role::Danger, because, 40);
        }
        if !those.is_empty() {
            line = line.own(Role::Danger, ")");
        }
    }
    line
}

/// Adds the decision about a call: in its readable form, or as exact bytes where these come first or are chosen.
pub(crate) fn decision(maker: &mut Maker<'_>, id: NodeId, warnings: &[String]) {
    let run = maker.run;
    let (Some(call), Some(node)) = (run.state.call(id), run.state.node(id)) else {
        return;
    };
    let (Some((tool, _)), Some(shown)) = (node.as_call(), super::call::shown(maker, id)) else {
        return;
    };
    let tool = Arc::clone(tool);
    danger(maker, id);
    for words in warnings {
        maker.own(Role::Warning, words.as_str());
    }
    // Without the survey of a long text it is not known which form comes first.
    let Ok(survey) = maker.cache.survey(&shown) else {
        maker.shown = Some(exact_form());
        return super::call::exact(maker, id, true);
    };
    let why = readable::why_exact(&shown, &survey);
    let members = match &why {
        Some(_) => Arc::default(),
        None => maker.cache.members(&shown),
    };
    let form = readable::of(&tool, &members, replaced(run, id));
    let [exact, exact_first] = maker.exact.map(|is| is || why.is_some());
    maker.shown = Some(ShownNow {
        first: Shown {
            form: if exact_first {
                ShownForm::Exact
            } else {
                form.shown.form
            },
            // Only the exact bytes do not depend on the file.
            base: form.shown.base.clone().filter(|_| !(exact && exact_first)),
        },
        exact,
        forced: why.is_some(),
    });
    if let Some(why) = &why {
        maker.own(Role::Warning, format!("exact bytes first: {why}"));
    }
    if exact {
        return super::call::exact(maker, id, true);
    }
    about_tool(maker, call, &tool);
    why_asked(maker, call);
    tool_change::notice(maker, id);
    super::call::changed(maker, node);
    let derived = Derived::of(call, &tool, &shown);
    derived.above(maker);
    frame::look_out(maker, &survey);
    draw(maker, call, (&tool, &form), &derived);
    super::call::like_another(maker, id);
    derived.below(maker, false);
    tool_change::differences(maker, id);
    super::call::after(maker, call, node);
}

fn exact_form() -> ShownNow {
    ShownNow {
        first: Shown {
            form: ShownForm::Exact,
            base: None,
        },
        exact: true,
        forced: true,
    }
}

/// What the call would replace, if that is known for exactly this call.
fn replaced(run: &RunPart, id: NodeId) -> Option<Found<'_>> {
    let found = run.looked_at(id)?;
    Some((&found.replaced, found.base.as_ref()))
}

/// Adds what the tool is known for, where the title does not say it.
fn about_tool(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let Some(card) = maker.run.tool(tool) else {
        maker.own(Role::Warning, "not a tool of this run");
        return;
    };
    let is_external = card.tags.iter().any(|tag| tag == "external");
    let cause = question::cause(&maker.run.state, call);
    let is_shell = overrule_base::known_tool::is_shell(tool);
    if is_external && !is_shell && !cause.ends_with("other machines") {
        maker.own(Role::Dim, "reaches another machine");
    }
    let others = card.tags.iter().filter(|tag| !KNOWN_TAGS.contains(&tag.as_str()));
    for tag in others {
        let line = if tag == tags::UNINSPECTABLE {
            Styled::new().own(Role::Warning, "its arguments do not say all that it does")
        } else {
            Styled::new().own(Role::Dim, "tag ").untrusted(Role::Dim, tag, 40)
        };
        maker.over(line, 0);
    }
}

/// Adds the marks of danger, and keeps them on screen.
fn danger(maker: &mut Maker<'_>, id: NodeId) {
    let marks = marks_line(maker.run, id);
    if marks.0.is_empty() {
        return;
    }
    let row = maker.doc.rows();
    let mut line = Styled::new().own(Role::Danger, "danger: ");
    line.0.extend(marks.0);
    maker.over(line.clone(), 2);
    maker.doc.keep(row, line);
}

/// Adds the quoted reason of a rule of the workspace, and what else the operator must know to answer.
fn why_asked(maker: &mut Maker<'_>, call: &Call) {
    if let Some(verdict) = &call.verdict {
        frame::quote(maker, verdict);
    }
    frame::approver(maker, call);
    frame::deadline(maker, call);
    let tool = maker.run.state.node(call.id).and_then(Node::as_call);
    if let Some((tool, _)) = tool {
        frame::pause(maker, call, tool);
    }
}

/// Adds the reason that the model gives for a call, in one row.
pub(crate) fn reason(maker: &mut Maker<'_>, node: &Node) {
    if let Some(why) = why::of(node) {
        let mark = maker.glyph(crate::ground::symbols::Symbol::ModelText);
        let line = Styled::new().own(Role::ModelText, format!("{mark} the agent says: "));
        let room = usize::from(maker.width).saturating_sub(line.columns());
        maker
            .doc
            .line(line.summary(Role::Dim, &summary::text_of(&why), room));
    }
}

/// Adds the form of a call. No decision is possible until all of its texts are laid out.
fn draw(maker: &mut Maker<'_>, call: &Call, (tool, form): (&str, &Readable), derived: &Derived<'_>) {
    let Some(shown) = maker.shown.clone() else { return };
    maker.doc.begin_decided(shown);
    for part in ordered(maker, tool, &form.parts) {
        add(maker, (call, form), Some(derived), part);
    }
    not_given(maker, tool, &form.parts);
    maker.doc.end_decided();
}

/// The argument with the label of a call.
const LABEL: &str = "_as";

/// Adds the readable form of a call that nothing is decided on. A part that fits a row is no text of its own, so `copy`
/// leaves it out.
pub(crate) fn parts(maker: &mut Maker<'_>, call: &Call, tool: &str, form: &Readable) {
    for part in ordered(maker, tool, &form.parts) {
        match in_a_row(part, usize::from(maker.width)) {
            Some(line) => maker.doc.line(line),
            None => add(maker, (call, form), None, part),
        }
    }
}

/// A command or an argument, if it fits a row.
fn in_a_row(part: &Part, width: usize) -> Option<Styled> {
    let (line, text) = match part {
        Part::Line(line) => (
            Styled::new().own(Role::Dim, "  $ "),
            doc::readable(line).to_string(),
        ),
        Part::Words(words) => (Styled::new().own(Role::Dim, "  $ "), words.clone()),
        Part::Argument(name, value) if visible(name).columns() < ARGUMENT => {
            let name = if name == LABEL {
                "label".to_owned()
            } else {
                visible(name)
            };
            let blanks = " ".repeat(ARGUMENT.saturating_sub(name.columns()));
            let line = Styled::new().own(Role::JsonKey, name).own(Role::Dim, blanks);
            let words = readable::in_quotes(value).or_else(|| readable::list_of_words(value));
            (line, words.unwrap_or_else(|| doc::readable(value).to_string()))
        }
        _ => return None,
    };
    let fits = !text.contains('\n') && line.columns() + visible(&text).columns() <= width;
    fits.then(|| line.untrusted(Role::Text, &text, text.len()))
}

/// Adds a part of a form; the commands of a line as far as they are known.
fn add(maker: &mut Maker<'_>, (call, form): (&Call, &Readable), derived: Option<&Derived<'_>>, part: &Part) {
    match part {
        Part::Note(words) => changed_lines::note(maker, words),
        Part::Line(line) => match derived.and_then(|derived| derived.written(&doc::readable(line))) {
            Some(commands) => commands_of(maker, &commands),
            None => value(maker, line, Form::Readable, ("  $ ", "    "), Role::Text),
        },
        Part::Words(words) => {
            let words = maker.cache.owned(words);
            value(maker, &words, Form::Raw, ("  $ ", "    "), Role::Text);
        }
        Part::Argument(name, text) if is_in_title(maker, call, form, (name, text)) => {}
        Part::Argument(name, text) => argument(maker, name, text),
        Part::Plan(plan) => agent_plan::add(maker, plan),
        Part::New(text) => new_file(maker, text),
        Part::Lines(lines) => changed_lines::add(maker, lines, true),
        Part::Replaces([old, new]) => {
            let (before, now) = (doc::readable(old), doc::readable(new));
            let lines = maker.cache.compared(&before, &now, diff::AROUND_DECIDED);
            if let Some(lines) = maker.found(lines, old.len() + new.len()) {
                changed_lines::add(maker, &lines, false);
            }
        }
    }
}

/// The schema of a tool; null without one.
fn schema_of(maker: &Maker<'_>, tool: &str) -> serde_json::Value {
    let schema = maker.run.tool(tool).map(|card| Arc::clone(&card.schema));
    schema
        .and_then(|schema| serde_json::from_str(&schema).ok())
        .unwrap_or_default()
}

/// The names of the arguments of a tool in the order of its schema, the required ones first, and how many of these are
/// required.
fn names_of(schema: &serde_json::Value) -> (Vec<String>, usize) {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(|list| list.as_array())
        .map(|list| list.iter().filter_map(|name| name.as_str()).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(|map| map.as_object());
    let names = properties.into_iter().flat_map(|map| map.keys().cloned());
    let (first, others): (Vec<String>, Vec<String>) =
        names.partition(|name| required.contains(&name.as_str()));
    let count = first.len();
    (first.into_iter().chain(others).collect(), count)
}

/// The parts of a form, its arguments in the order of the schema.
fn ordered<'p>(maker: &Maker<'_>, tool: &str, parts: &'p [Part]) -> Vec<&'p Part> {
    let (names, _) = names_of(&schema_of(maker, tool));
    let place = |part: &Part| match part {
        Part::Argument(name, _) => names.iter().position(|one| one == name).unwrap_or(names.len()),
        _ => 0,
    };
    let mut parts: Vec<&Part> = parts.iter().collect();
    // Only neighbours change places: what is not an argument stays where it is.
    for group in parts.chunk_by_mut(|a, b| matches!(a, Part::Argument(..)) && matches!(b, Part::Argument(..)))
    {
        group.sort_by_key(|part| place(part));
    }
    parts
}

/// Names the optional arguments of a tool of a server that are not given and have no default.
fn not_given(maker: &mut Maker<'_>, tool: &str, parts: &[Part]) {
    let is_of_server = maker.run.tool(tool).is_some_and(|card| card.server().is_some());
    let schema = schema_of(maker, tool);
    let (names, required) = names_of(&schema);
    let has_default = |name: &String| {
        let property = schema.get("properties").and_then(|all| all.get(name));
        property.is_some_and(|property| property.get("default").is_some())
    };
    let is_given = |name: &String| {
        parts
            .iter()
            .any(|part| matches!(part, Part::Argument(one, _) if one == name))
    };
    let missing: Vec<String> = names
        .into_iter()
        .skip(required)
        .filter(|name| !is_given(name) && !has_default(name))
        .map(|name| visible(&name))
        .collect();
    if is_of_server && !missing.is_empty() {
        let line = Styled::new()
            .own(Role::Dim, "not given: ")
            .own(Role::Dim, missing.join(", "));
        maker.over(line, 2);
    }
}

/// True for the path of a file that the title shows whole.
fn is_in_title(maker: &Maker<'_>, call: &Call, form: &Readable, (name, text): (&str, &Arc<str>)) -> bool {
    let is_difference = form.shown.form == ShownForm::Difference;
    let base = form.shown.base.as_deref();
    let title = question::title(&maker.run.state, call, base);
    let path = crate::ground::json::as_text(text);
    is_difference
        && PATH.contains(&name)
        && path.is_some_and(|path| question::names_file(&maker.run.state, &title, &path))
}

/// Adds the commands of a line as written, each on a row of its own, with what the policy does with one alone where that
/// differs.
fn commands_of(maker: &mut Maker<'_>, commands: &[(String, String, &'static str)]) {
    for (at, (sign, text, word)) in commands.iter().enumerate() {
        let lead = match at {
            0 => "  $ ".to_owned(),
            _ => format!("    {sign} "),
        };
        let width = maker.width.saturating_sub(lead.columns() as u16).max(1);
        let source = maker.cache.owned(text);
        let pager = maker.cache.pager(&source, Form::Raw, width, Wrap::Chars);
        let Some(pager) = maker.found(pager, source.len()) else {
            return;
        };
        let mark = (Role::Dim, " ".repeat(lead.columns()));
        let lead = Styled::new().own(Role::Dim, lead);
        maker.doc.text_after(pager, Role::Text, mark, Some(lead));
        if !word.is_empty() {
            maker.own(Role::Warning, format!("    {word}"));
        }
    }
}

/// Adds a text, with one sign before its first row and another one before the others.
fn value(maker: &mut Maker<'_>, source: &Arc<str>, form: Form, (first, next): (&str, &str), role: Role) {
    let width = maker.width.saturating_sub(next.columns() as u16).max(1);
    let pager = maker.cache.pager(source, form, width, Wrap::Chars);
    let Some(pager) = maker.found(pager, source.len()) else {
        return;
    };
    let lead = Styled::new().own(Role::Dim, first);
    maker
        .doc
        .text_after(pager, role, (Role::Dim, next.to_owned()), Some(lead));
}

/// Adds the lines of a new file with their numbers.
fn new_file(maker: &mut Maker<'_>, source: &Arc<str>) {
    let text = doc::readable(source);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    for (at, line) in text.split('\n').enumerate() {
        let line = diff::Line {
            change: diff::Change::Added,
            text: line.into(),
            no: Some(at + 1),
            changed: Vec::new(),
        };
        changed_lines::one(maker, &line, changed_lines::NUMBERS[2]);
    }
}

/// Adds an argument: its name, and its value next to it or below it.
fn argument(maker: &mut Maker<'_>, name: &str, source: &Arc<str>) {
    let shown = visible(name);
    let is_short = shown.columns() < ARGUMENT;
    if !is_short {
        for row in doc::broken(&shown, usize::from(maker.width)) {
            maker.doc.line(Styled::new().own(Role::JsonKey, row));
        }
    }
    let indent = if is_short { ARGUMENT } else { 2 };
    let width = maker.width.saturating_sub(indent as u16).max(1);
    let words = readable::in_quotes(source).or_else(|| readable::list_of_words(source));
    let words = words.map(|text| maker.cache.owned(&text));
    let pager = match &words {
        Some(text) => maker.cache.pager(text, Form::Raw, width, Wrap::Chars),
        None => maker.cache.pager(source, Form::Readable, width, Wrap::Chars),
    };
    let Some(pager) = maker.found(pager, source.len()) else {
        return;
    };
    let lead = is_short.then(|| {
        let blanks = " ".repeat(indent - shown.columns());
        Styled::new()
            .own(Role::JsonKey, shown.clone())
            .own(Role::Dim, blanks)
    });
    let mark = (Role::Dim, " ".repeat(indent));
    maker.doc.text_after(pager, Role::Text, mark, lead);
}
