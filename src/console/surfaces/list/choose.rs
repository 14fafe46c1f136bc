//! Opens lists of themes and tools, filters a list by the typed words, and carries out the choice.
//!
//! Must not know: what the chosen thing does.

use std::sync::Arc;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use crate::ground::field::Field;
use crate::ground::json;
use crate::ground::theme::Theme;
use crate::kernel::input;
use crate::kernel::model::Model;
use crate::kernel::model::key_state::BURST_KEYS;
use crate::kernel::msg::Out;
use crate::kernel::refresh::prepare;
use crate::kernel::verb::{By, Care};
use crate::surfaces::editor::state::{Editor, Purpose};
use crate::surfaces::editor::{edits, typing};
use crate::surfaces::list::{Choice, Gives, List, ListPurpose};
use crate::verbs::theme;
use overrule_base::text::{head, visible};
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, Rev, TurnId};

/// Opens the list of themes.
pub(crate) fn themes(model: &mut Model) {
    let settings = &model.settings;
    let choices = settings.themes.all.iter().map(|(name, theme)| Choice {
        name: visible(name),
        detail: theme
            .as_ref()
            .map(Theme::name)
            .filter(|own| own != name)
            .map_or_else(String::new, visible),
        right: if *name == settings.themes.current {
            "now"
        } else {
            ""
        }
        .to_owned(),
        ..Choice::of(Gives::Theme(name.clone()))
    });
    let choices: Vec<Choice> = choices.collect();
    let at = settings
        .themes
        .all
        .iter()
        .position(|(name, _)| *name == settings.themes.current);
    open(model, ListPurpose::Theme, "theme", choices);
    // The theme under the cursor is tried on: start with the current one.
    if let Some(list) = model.stack.top_mut::<List>() {
        list.at = at.unwrap_or(0);
    }
}

/// Opens the list of tools for a call.
pub(crate) fn tools_for(model: &mut Model, node: NodeId, base: Rev) {
    let purpose = ListPurpose::Replace { node, base };
    let choices = tools(model);
    open(
        model,
        purpose,
        &format!("another tool for {}", overrule_present::revised(node, base)),
        choices,
    );
}

/// Opens the list of tools for a new call.
pub(crate) fn tools_for_new(model: &mut Model, after: Option<TurnId>) {
    let choices = tools(model);
    open(
        model,
        ListPurpose::NewCall { after },
        "tool of the new call",
        choices,
    );
}

fn tools(model: &Model) -> Vec<Choice> {
    model
        .run
        .tools()
        .iter()
        .map(|card| Choice {
            name: visible(&card.name),
            detail: visible(head(&card.description, 200).0),
            right: effects(card),
            ..Choice::of(Gives::Tool(Arc::clone(&card.name)))
        })
        .collect()
}

/// The effect class of a tool, or all that its calls can have.
fn effects(card: &ToolCard) -> String {
    let mut classes: Vec<EffectClass> = card.effects().collect();
    classes.sort_unstable();
    classes.dedup();
    let words: Vec<&str> = classes.into_iter().map(EffectClass::label).collect();
    words.join(", ")
}

pub(crate) fn open(model: &mut Model, purpose: ListPurpose, title: &str, choices: Vec<Choice>) {
    let list = List {
        purpose,
        title: title.to_owned(),
        field: Field::line("", List::MOST),
        found: (0..choices.len()).collect(),
        typed: Vec::new(),
        choices,
        at: 0,
    };
    model.stack.push(list);
}

/// Filters the list by the typed text.
pub(crate) fn filter(list: &mut List) {
    let typed = visible(list.field.text().trim());
    list.at = 0;
    if typed.trim().is_empty() {
        list.found = (0..list.choices.len()).collect();
        list.typed.clear();
        return;
    }
    let found = by_words(&list.choices, &typed);
    let found = if found.is_empty() {
        by_letters(&list.choices, &typed)
    } else {
        found
    };
    (list.found, list.typed) = found.into_iter().unzip();
}

/// A match: the index of the choice, and the characters of its name that were typed.
type Found = (usize, Vec<u32>);

/// How a choice matches a typed word, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// It is the name or a key.
    Exact,
    /// The name starts with it.
    Start,
    /// It is a synonym.
    Synonym,
    /// A part of the name, or a synonym, starts with it.
    Part,
    /// A word of the description starts with it.
    Description,
}

/// The choices that match every typed word, the best first; what works now comes first, what works elsewhere last.
fn by_words(choices: &[Choice], typed: &str) -> Vec<Found> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let mut found: Vec<(bool, Match, bool, Found)> = choices
        .iter()
        .enumerate()
        .filter_map(|(at, choice)| {
            let mut marks = Vec::new();
            let mut worst = Match::Exact;
            for word in &words {
                worst = worst.max(match_word(choice, word, &mut marks)?);
            }
            let elsewhere = matches!(choice.gives, Gives::Elsewhere(_));
            Some((elsewhere, worst, !choice.now, (at, marks)))
        })
        .collect();
    found.sort_by_key(|(elsewhere, worst, not_now, (at, _))| (*elsewhere, *worst, *not_now, *at));
    found.into_iter().map(|(.., found)| found).collect()
}

/// How a choice matches a word. Adds the characters of its name that match.
fn match_word(choice: &Choice, word: &str, marks: &mut Vec<u32>) -> Option<Match> {
    let (name, lower) = (choice.name.to_lowercase(), word.to_lowercase());
    // An upper-case key differs from a lower-case one.
    let is_key = choice.keys.iter().any(|key| key == word);
    let mut also = choice.also.split_whitespace();
    let is_synonym = also.clone().any(|other| other == lower);
    if let Some(at) = part(&name, &lower) {
        let first = name.get(..at).unwrap_or_default().chars().count();
        marks.extend((first..first + lower.chars().count()).filter_map(|at| u32::try_from(at).ok()));
        return Some(match at {
            _ if is_key || name == lower => Match::Exact,
            0 => Match::Start,
            _ if is_synonym => Match::Synonym,
            _ => Match::Part,
        });
    }
    if is_key {
        return Some(Match::Exact);
    }
    if is_synonym {
        return Some(Match::Synonym);
    }
    if also.any(|other| other.starts_with(&lower)) {
        return Some(Match::Part);
    }
    part(&choice.detail.to_lowercase(), &lower).map(|_| Match::Description)
}

/// The start of the first part of a text that starts with a word.
fn part(text: &str, word: &str) -> Option<usize> {
    let starts = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        before.is_none_or(|before| !before.is_alphanumeric())
    };
    text.match_indices(word).map(|(at, _)| at).find(starts)
}

/// The choices whose names have the typed letters in this order, the best first.
fn by_letters(choices: &[Choice], typed: &str) -> Vec<Found> {
    let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(bool, u32, Found)> = choices
        .iter()
        .enumerate()
        .filter_map(|(at, choice)| {
            let mut marks = Vec::new();
            let name = nucleo_matcher::Utf32Str::new(&choice.name, &mut buffer);
            let score = pattern.indices(name, &mut matcher, &mut marks)?;
            let elsewhere = matches!(choice.gives, Gives::Elsewhere(_));
            Some((elsewhere, score, (at, marks)))
        })
        .collect();
    scored.sort_by_key(|(elsewhere, score, (at, _))| (*elsewhere, std::cmp::Reverse(*score), *at));
    scored.into_iter().map(|(.., found)| found).collect()
}

/// Carries out the chosen entry.
pub(crate) fn choose(model: &mut Model, at: u64, out: &mut Vec<Out>) {
    let Some(list) = model.stack.top::<List>() else {
        return;
    };
    let Some((gives, name)) = list
        .chosen()
        .map(|choice| (choice.gives.clone(), choice.name.clone()))
    else {
        let back = model.settings.keymap.first("back");
        model.complain(format!("No matches. {back} goes back"));
        return;
    };
    // The program, not the operator, selected the first entry.
    let meant = list.at > 0 || visible(list.field.text().trim()) == name;
    let purpose = list.purpose.clone();
    match gives {
        Gives::Verb(verb) => {
            let decides = verb.care == Care::Alone;
            if decides && model.keys.times.len() > BURST_KEYS {
                model.complain("Ignored: keys arrived too fast. Wait for 1 s, then press again");
                return;
            }
            if decides && !meant {
                model.complain(format!("Nothing decided: type the whole name, `{name}`"));
                return;
            }
            model.stack.pop();
            // The view below was not updated while the list was open.
            prepare(model);
            input::run(model, verb, By::Palette, at, out);
        }
        Gives::Elsewhere(place) => model.complain(format!("This works in: {place}")),
        Gives::Json(insert) => {
            model.stack.pop();
            if let ListPurpose::Complete { from, to } = purpose {
                typing::put_in(model, from..to, &insert);
            }
        }
        Gives::Theme(name) => {
            model.stack.pop();
            theme::choose(model, &name);
        }
        Gives::Tool(tool) => {
            model.stack.pop();
            with_tool(model, purpose, tool, out);
        }
    }
}

fn with_tool(model: &mut Model, purpose: ListPurpose, tool: Arc<str>, out: &mut Vec<Out>) {
    let schema = model
        .run
        .tool(&tool)
        .map(|card| Arc::clone(&card.schema))
        .unwrap_or_default();
    let (purpose, title, old) = match purpose {
        ListPurpose::Replace { node, base } => {
            let old = model
                .run
                .state
                .node(node)
                .and_then(|node| node.as_call().map(|(_, args)| Arc::clone(args)))
                .unwrap_or_default();
            let title = format!("{} with another tool", edits::title_of(node, base));
            (Purpose::Call { node, base, tool }, title, old)
        }
        ListPurpose::NewCall { after } => {
            let args: Arc<str> = json::carry_over("{}", &schema).into();
            let editor = editor_of_new(model, after, &tool, &args);
            return edits::open_editor(model, editor, out);
        }
        ListPurpose::Palette | ListPurpose::Theme | ListPurpose::Complete { .. } => return,
    };
    let args: Arc<str> = json::carry_over(&old, &schema).into();
    let editor = Editor::arguments(purpose, title, &args, true, &model.run);
    edits::open_editor(model, editor, out);
}

/// An editor on the arguments of a new call.
pub(crate) fn editor_of_new(
    model: &Model,
    after: Option<TurnId>,
    tool: &Arc<str>,
    args: &Arc<str>,
) -> Editor {
    let purpose = Purpose::NewCall {
        after,
        tool: Arc::clone(tool),
    };
    Editor::arguments(purpose, "new call".to_owned(), args, true, &model.run)
}
