//! Draws the topmost overlay.
//!
//! Must not know: what its keys do.

use ratatui::Frame;
use ratatui::layout::Rect;
use regex::Regex;

use super::paint::{Canvas, row_of};
use super::{editor, lists};
use crate::columns::Columns as _;
use crate::doc::Doc;
use crate::halted;
use crate::model::Model;
use crate::model::arming::Question;
use crate::model::overlay::{Bulk, DialogKind, ListPurpose, Overlay, PageContent};
use crate::model::screen::inside;
use crate::model::seek::Seek;
use crate::panes::graph::model::Pick;
use crate::panes::graph::view as graph;
use crate::panes::inspector::model::Subject;
use crate::panes::inspector::view as inspector;
use crate::symbols::Charset;
use crate::theme::Role;
use crate::verbs::{Verb, availability, quit, shorten};
use overrule_domain::lineage::Plan;
use overrule_domain::node::Node;
use overrule_domain::pending_retry;

/// The fewest columns for a title of two parts and the position at its right end.
const WIDE_TITLE: u16 = 76;

/// Draws the topmost overlay.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let below = model
        .overlays
        .len()
        .checked_sub(2)
        .and_then(|at| model.overlays.get(at));
    match (model.overlays.last(), below) {
        // The text being edited stays visible.
        (Some(Overlay::List(list)), Some(editor)) if matches!(list.purpose, ListPurpose::Complete { .. }) => {
            one(model, frame, editor);
        }
        // The searched text or list stays visible.
        (Some(Overlay::Line(line)), Some(searched)) if line.style.over => {
            one(model, frame, searched);
        }
        _ => {}
    }
    if let Some(overlay) = model.overlays.last() {
        one(model, frame, overlay);
    }
}

/// Clears the panes, so that no other decision, and no older revision, is shown next to this one.
fn clear(model: &Model, frame: &mut Frame<'_>, overlay: &Overlay) {
    match overlay {
        Overlay::Review(_) | Overlay::Bulk(_) | Overlay::Rule(_) => blank(model, frame),
        Overlay::Dialog(dialog) if !is_asked_below(model, &dialog.question) => blank(model, frame),
        Overlay::Stop | Overlay::Leave | Overlay::Listing(_) | Overlay::Fork(_) => unframe(model, frame),
        _ => {}
    }
}

fn one(model: &Model, frame: &mut Frame<'_>, overlay: &Overlay) {
    clear(model, frame, overlay);
    match overlay {
        Overlay::Page(page) => {
            let place = (page.top, pattern(page.seek.as_ref()));
            let PageContent::Impact(_) = &page.content else {
                document(model, frame, &page.title, &page.doc, place, Role::Focus);
                return;
            };
            blank(model, frame);
            document(model, frame, &page.title, &page.doc, place, Role::Focus);
            let known = model.cached.last_edit_preview();
            let plan = known.and_then(|edit_preview| edit_preview.plan.as_ref().ok());
            touched(model, frame, &page.doc, plan);
        }
        Overlay::Review(review) => {
            let words = if model.run.committing {
                "sent, waiting for a reply"
            } else {
                &review.title
            };
            document(
                model,
                frame,
                words,
                &review.doc,
                (review.top, pattern(review.seek.as_ref())),
                Role::Decision,
            );
            touched(model, frame, &review.doc, review.known().ok());
        }
        Overlay::Listing(list) => lists::listing(model, frame, list),
        Overlay::Bulk(bulk) => document(
            model,
            frame,
            &title_of(model, bulk),
            &bulk.doc,
            (bulk.top, pattern(bulk.seek.as_ref())),
            Role::Decision,
        ),
        Overlay::Rule(view) => {
            let title = "a rule of the session";
            let place = (view.top, pattern(view.seek.as_ref()));
            document(model, frame, title, &view.doc, place, Role::Decision);
        }
        Overlay::Fork(view) => {
            let title = if view.sent {
                "a new session from here: being written"
            } else {
                "a new session from here"
            };
            let place = (view.top, pattern(view.seek.as_ref()));
            document(model, frame, title, &view.doc, place, Role::Decision);
        }
        Overlay::Dialog(dialog) => {
            let title = match dialog.kind {
                _ if model.run.still_asks(&dialog.question).is_err() => "this is no longer asked",
                DialogKind::Consent => "this effect may have happened already",
                DialogKind::UnknownOutcome => "did it happen?",
                DialogKind::Broken(turn) if shorten::is_about(&model.run.state, turn) => {
                    "the request is too long: make it shorter, or stop"
                }
                DialogKind::Broken(turn) if pending_retry::has_arrived(&model.run.state, turn) => {
                    "the stream broke: ask again, keep what arrived, or stop"
                }
                DialogKind::Broken(_) => "the stream broke: ask again, or stop",
                DialogKind::Definitions => "changed definitions of a server",
            };
            document(
                model,
                frame,
                title,
                &dialog.doc,
                (dialog.top, None),
                Role::Decision,
            );
        }
        Overlay::Stop => draw_lines(
            model,
            frame,
            "emergency stop",
            &[
                "Everything stops: the open stream, running and waiting calls.".to_owned(),
                "An interrupted call may have had an effect; it is marked so.".to_owned(),
                format!(
                    "{} stops everything now, {} goes back.",
                    model.settings.keymap.first("stop-now"),
                    model.settings.keymap.first("back")
                ),
            ],
        ),
        Overlay::Leave => leave(model, frame),
        Overlay::Editor(open) => editor::draw(model, frame, open),
        Overlay::Line(line) => lists::line(model, frame, line),
        Overlay::List(list) => lists::list(model, frame, list),
    }
}

fn pattern(seek: Option<&Seek>) -> Option<&Regex> {
    seek.map(|seek| &seek.regex)
}

/// The title of a list of approvals, with the number of new calls.
fn title_of(model: &Model, bulk: &Bulk) -> String {
    let title = "approve all of these";
    if bulk.more == 0 {
        return title.to_owned();
    }
    let key = model.settings.keymap.first("refresh-list");
    let them = if bulk.more == 1 { "it" } else { "them" };
    let more = format!("{} more waiting: {key} adds {them}", bulk.more);
    // The number of new calls is shown at every width.
    if model.screen.overlay_width() < WIDE_TITLE {
        more
    } else {
        format!("{title}; {more}")
    }
}

fn leave(model: &Model, frame: &mut Frame<'_>) {
    let keymap = &model.settings.keymap;
    let mut lines = Vec::new();
    match model.staged_edits.len() {
        0 => {}
        1 => lines.push("1 staged edit is not committed: it is lost when you quit.".to_owned()),
        count => lines.push(format!(
            "{count} staged edits are not committed: they are lost when you quit."
        )),
    }
    if model.run.waits_for_edit()
        && !halted::is(model)
        && let Some(need) = model.run.stuck()
    {
        lines.push(format!("{}.", overrule_base::text::visible(&need.reason)));
    }
    lines.extend(model.overlays.iter().filter_map(unkept));
    let busy = model.run.is_busy();
    lines.push(under_way(model));
    match model.run.others.iter().filter(|one| one.is_open).count() {
        0 => {}
        1 => lines.push("Another conversation of the agent is not over: it ends as well.".to_owned()),
        count => lines.push(format!(
            "{count} other conversations of the agent are not over: they end as well."
        )),
    }
    let offers = |verb: &Verb| {
        let key = keymap.first(verb.name);
        (availability::is_offered(model, verb) && !key.is_empty()).then_some(key)
    };
    if let Some(key) = offers(&quit::QUIT_WAIT) {
        lines.push(format!("{key}  quit after running calls"));
    }
    if let Some(key) = offers(&quit::QUIT_CANCEL) {
        lines.push(format!("{key}  cancel everything, then quit"));
    }
    let settled = if busy {
        "; interrupted calls are settled when you resume"
    } else {
        ""
    };
    lines.push(format!("{}  quit now{settled}", keymap.first("quit")));
    lines.push(format!("{}  stay", keymap.first("back")));
    draw_lines(model, frame, "quit?", &lines);
}

/// The running work, as a sentence. For a halted run: the work at the halt.
fn under_way(model: &Model) -> String {
    let (running, asked) = (model.run.running().count(), model.run.is_busy());
    if halted::is(model) {
        return match running {
            0 if asked => "A request was open at the halt; the rest of its reply is not recorded.".to_owned(),
            0 => "Nothing ran at the halt.".to_owned(),
            1 => "1 call ran at the halt; its end is not recorded.".to_owned(),
            count => format!("{count} calls ran at the halt; their ends are not recorded."),
        };
    }
    match running {
        0 if asked => "No call runs, but a request is open.".to_owned(),
        0 => "Nothing runs.".to_owned(),
        1 => "1 call runs.".to_owned(),
        count => format!("{count} calls run."),
    }
}

/// Warns that the text of an open editor is lost; `None` without a change.
fn unkept(overlay: &Overlay) -> Option<String> {
    let Overlay::Editor(editor) = overlay else {
        return None;
    };
    if editor.sent || editor.is_unchanged() {
        return None;
    }
    let lines = match editor.lines() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    Some(format!("Your text in the editor ({lines}) is lost."))
}

/// Draws the rows of the graph that a plan affects below its preview, as far as there is room.
fn touched(model: &Model, frame: &mut Frame<'_>, doc: &Doc, plan: Option<&Plan>) {
    let Some(plan) = plan else { return };
    let body = model.screen.places.body;
    // The line below the preview stays.
    let y = (model.screen.overlay(doc.rows()).bottom() + 1).min(body.bottom());
    let room = Rect {
        y,
        height: body.bottom() - y,
        ..body
    };
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    graph::row_preview::draw(model, &mut canvas, room, plan);
}

/// True if the pane below asks the same: the same revision of the same call, or the same stream.
fn is_asked_below(model: &Model, question: &Question) -> bool {
    match (model.inspector.subject, question) {
        (Some(Subject::Pick(Pick::Node(id))), Question::Call { call, rev, .. }) => {
            let now = model.run.state.node(*call).map(Node::rev);
            id.call() == *call && now == Some(*rev)
        }
        (Some(Subject::Broken(below)), Question::Turn { turn, .. }) => below == *turn,
        _ => false,
    }
}

/// Erases the decision frame from the panes.
fn unframe(model: &Model, frame: &mut Frame<'_>) {
    let (Some(area), Some(_)) = (model.screen.places.inspector, model.inspector.doc.decided()) else {
        return;
    };
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(area, Role::Text);
}

/// Erases all panes.
fn blank(model: &Model, frame: &mut Frame<'_>) {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(model.screen.places.body, Role::Text);
}

/// Clears an area and draws its title line; returns the rows below.
pub(super) fn open(model: &Model, frame: &mut Frame<'_>, area: Rect, title: &str, role: Role) -> Rect {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    sides(model, &mut canvas, area);
    canvas.fill(area, Role::Text);
    canvas.fill(row_of(area, 0), Role::Header);
    canvas.put(area.x, area.y, area.width, &format!(" {title} "), role);
    inside(area)
}

/// Draws borders at both sides and below, where there is room around the overlay.
fn sides(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let body = model.screen.places.body;
    let (upright, level) = match model.settings.charset {
        Charset::Unicode => ("│", "─"),
        Charset::Ascii => ("|", "-"),
    };
    if area.x > body.x {
        let outer = Rect {
            x: area.x - 1,
            width: area.width + 2,
            height: area.height,
            ..area
        };
        canvas.fill(outer, Role::Text);
        for y in area.top()..area.bottom() {
            canvas.put(area.x - 1, y, 1, upright, Role::Focus);
            canvas.put(area.right(), y, 1, upright, Role::Focus);
        }
    }
    if area.bottom() < body.bottom() {
        let rule = level.repeat(usize::from(area.width));
        canvas.fill(
            Rect {
                y: area.bottom(),
                height: 1,
                ..area
            },
            Role::Text,
        );
        canvas.put(area.x, area.bottom(), area.width, &rule, Role::Focus);
    }
}

fn document(
    model: &Model,
    frame: &mut Frame<'_>,
    title: &str,
    doc: &Doc,
    (top, find): (usize, Option<&Regex>),
    role: Role,
) {
    let area = model.screen.overlay(doc.rows());
    let body = open(model, frame, area, title, role);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    inspector::text(&mut canvas, body, doc, (top, model.more()), find);
    inspector::position(&mut canvas, area, doc, top);
}

/// Wraps lines that are too long.
fn wrapped(lines: &[String], width: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let mut row = String::new();
        for word in line.split(' ') {
            if !row.is_empty() && row.columns() + 1 + word.columns() > width {
                out.push(std::mem::replace(&mut row, "   ".to_owned()));
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
        out.push(row);
    }
    out
}

fn draw_lines(model: &Model, frame: &mut Frame<'_>, title: &str, lines: &[String]) {
    let width = usize::from(model.screen.overlay_width()).saturating_sub(1);
    let lines = wrapped(lines, width);
    let area = model.screen.overlay(lines.len());
    let body = open(model, frame, area, title, Role::Decision);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    for (at, line) in lines.iter().enumerate() {
        let place = row_of(body, u16::try_from(at).unwrap_or(u16::MAX));
        if !place.is_empty() {
            canvas.put(
                place.x + 1,
                place.y,
                place.width.saturating_sub(1),
                line,
                Role::Text,
            );
        }
    }
}
