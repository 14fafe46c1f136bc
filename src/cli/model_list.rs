//! Lists the models that are configured and found, with what their servers answer (`overrule models`).
//!
//! Must not know: how a model is asked.

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{models, print};
use overrule_base::text::{shown_address, visible};
use overrule_config::{Key, ModelEntry, Origin, Settings};
use overrule_console::ground::columns::Columns as _;
use overrule_domain::price::{Price, decimal};
use overrule_model::discover;
use overrule_model::http::Access;
use overrule_model::wire::Wire;
use overrule_present::json;
use overrule_present::setup::ModelView;

/// Tokens that a price is shown for.
const PER: u64 = 1_000_000;
/// Most models of one server that get a line of their own.
const LISTED: usize = 12;

/// One line of the list.
struct Row {
    /// The name for `--model`, or what was found.
    name: String,
    wire: Wire,
    server: String,
    /// The name of the model at the server; none for a provider without a named model.
    model: Option<String>,
    window: Option<u64>,
    price: Option<Price>,
    /// What the server answered.
    answer: String,
    /// How to ask the server; none if it is not asked.
    access: Option<Access>,
}

/// Prints the list. Asks each server for its models, and nothing else.
pub fn print(common: &Common) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let settings = &context.settings;
    let mut rows: Vec<Row> = settings
        .entries
        .iter()
        .map(|(name, entry)| of_entry(settings, name, entry))
        .collect();
    rows.extend(general(settings));
    rows.extend(providers(settings));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let local = runtime.block_on(async {
        let asked = futures_util::future::join_all(rows.iter_mut().map(Row::ask));
        let local = discover::ollama_models(context.env.ollama_host.as_deref());
        futures_util::future::join(asked, local).await.1
    });
    rows.extend(on_this_machine(settings, local));
    if common.json {
        for row in &rows {
            print::out(&json(&row.view()));
        }
    } else {
        for line in table(&rows) {
            print::out(&line);
        }
        if rows.is_empty() {
            print::out(&format!(
                "no model is configured or found; choose one of three ways:\n{}",
                discover::WAYS
            ));
        }
        print::err(&format!(
            "prices of common models are of {}",
            settings.prices.list().date()
        ));
    }
    for notice in context.notices() {
        print::err(&visible(&notice));
    }
    Ok(Code::Ok)
}

impl Row {
    /// Asks the server for its models.
    async fn ask(&mut self) {
        let Some(access) = &self.access else {
            return;
        };
        let found = discover::listed(&self.server, self.wire, access).await;
        self.answer = match found {
            Err(why) => why,
            Ok(models) => {
                let count = match models.len() {
                    1 => "1 model".to_owned(),
                    count => format!("{count} models"),
                };
                let has = |name: &String| models.iter().any(|known| known == name);
                match &self.model {
                    Some(name) if has(name) => format!("has it, {count}"),
                    Some(_) => format!("does not list it, {count}"),
                    None => count,
                }
            }
        };
    }

    fn view(&self) -> ModelView<'_> {
        ModelView {
            name: &self.name,
            model: self.model.as_deref(),
            wire: self.wire.name(),
            server: shown_address(&self.server),
            window: self.window,
            price: self.price.as_ref(),
            answer: &self.answer,
        }
    }

    fn cells(&self) -> [String; 6] {
        let model = self.model.as_deref().map_or_else(|| "-".to_owned(), visible);
        [
            visible(&self.name),
            format!("{model} at {}", shown_address(&self.server)),
            self.wire.name().to_owned(),
            self.window.map_or_else(
                || "window unknown".to_owned(),
                |tokens| format!("{tokens} tokens"),
            ),
            self.price
                .as_ref()
                .map_or_else(|| overrule_domain::price::NOT_PRICED.to_owned(), describe),
            visible(&self.answer),
        ]
    }
}

/// Describes a price: `1.25 sent, 10 received (USD for a million tokens)`.
fn describe(price: &Price) -> String {
    let each = |amount: u64| decimal(amount.saturating_mul(PER));
    format!(
        "{} sent, {} received ({} for a million tokens)",
        each(price.input),
        each(price.output),
        visible(&price.currency)
    )
}

fn of_entry(settings: &Settings, name: &str, entry: &ModelEntry) -> Row {
    let server = entry.home.clone();
    let listed = settings.prices.list().of(&entry.model, &server);
    let is_command = matches!(entry.key.as_ref().map(|key| &key.key), Some(Key::Command(_)));
    let (access, answer) = if is_command {
        (None, "not asked: its key comes from a command".to_owned())
    } else {
        match models::access(settings, entry.wire, &server, Some(name)) {
            Ok(access) => (Some(access), String::new()),
            Err(failure) => (None, failure.message),
        }
    };
    Row {
        name: name.to_owned(),
        wire: entry.wire,
        model: Some(entry.model.clone()),
        window: entry.window.or_else(|| listed.and_then(|listed| listed.window)),
        price: entry
            .price
            .clone()
            .or_else(|| settings.prices.of(&entry.model, Some(&server)).cloned()),
        server,
        answer,
        access,
    }
}

/// The model or the server of the settings outside of the entries.
fn general(settings: &Settings) -> Option<Row> {
    let base_url = settings
        .base_url
        .value
        .clone()
        .filter(|_| settings.entry.is_none())?;
    let wire = settings.wire.value;
    let is_command = matches!(settings.key().value, Key::Command(_));
    let (access, answer) = if is_command {
        (None, "not asked: its key comes from a command".to_owned())
    } else {
        match models::access(settings, wire, &base_url, None) {
            Ok(access) => (Some(access), String::new()),
            Err(failure) => (None, failure.message),
        }
    };
    let origin = settings.base_url.origin.to_string();
    Some(named(origin, wire, base_url, (access, answer)).of(settings, settings.model.value.clone()))
}

/// The providers for which a key was found.
fn providers(settings: &Settings) -> Vec<Row> {
    let row = |key: &overrule_config::KeyOf| {
        let Origin::Environment(name) = &key.origin else {
            return None;
        };
        let mut all = Wire::all();
        let wire = all.find(|wire| wire.key_env().iter().any(|variable| variable.name == *name))?;
        let (access, answer) = match models::api_key(key) {
            Ok(key) => (Some(Access::from(key)), String::new()),
            Err(failure) => (None, failure.message),
        };
        Some(named(
            (*name).to_owned(),
            wire,
            key.home.clone(),
            (access, answer),
        ))
    };
    settings.keys.iter().filter_map(row).collect()
}

/// The models that Ollama has on this machine.
fn on_this_machine(settings: &Settings, found: Option<(String, Vec<String>)>) -> Vec<Row> {
    let Some((base_url, models)) = found else {
        return Vec::new();
    };
    let more = models.len().saturating_sub(LISTED);
    let row = |model: &String| {
        let answer = (None, "has it".to_owned());
        named(model.clone(), Wire::default(), base_url.clone(), answer).of(settings, Some(model.clone()))
    };
    let mut rows: Vec<Row> = models.iter().take(LISTED).map(row).collect();
    if more > 0 {
        let answer = (None, format!("{more} more models"));
        rows.push(named(
            "Ollama".to_owned(),
            Wire::default(),
            base_url.clone(),
            answer,
        ));
    }
    rows
}

fn named(name: String, wire: Wire, server: String, (access, answer): (Option<Access>, String)) -> Row {
    Row {
        name,
        wire,
        server,
        model: None,
        window: None,
        price: None,
        answer,
        access,
    }
}

impl Row {
    /// Adds the model, with what is known of it.
    fn of(self, settings: &Settings, model: Option<String>) -> Self {
        let name = model.as_deref().unwrap_or_default();
        let listed = settings.prices.list().of(name, &self.server);
        Self {
            window: listed.and_then(|listed| listed.window),
            price: model
                .as_ref()
                .and_then(|name| settings.prices.of(name, Some(&self.server)))
                .cloned(),
            model,
            ..self
        }
    }
}

/// Formats a line for each model, in aligned columns.
fn table(rows: &[Row]) -> Vec<String> {
    let cells: Vec<[String; 6]> = rows.iter().map(Row::cells).collect();
    let width = |at: usize| {
        let columns = cells.iter().filter_map(|row| row.get(at));
        columns
            .map(|cell| cell.as_str().columns())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| {
            let blanks = width.saturating_sub(cell.as_str().columns());
            format!("{cell}{}", " ".repeat(blanks))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}
