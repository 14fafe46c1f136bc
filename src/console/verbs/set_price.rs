//! Asks for the price of the model, for the operator's settings.
//!
//! Must not know: where it is stored, what was spent.

use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::files::KeptPrice;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::Verb;
use crate::run::refusal::Refusal;
use overrule_base::text::visible;
use overrule_domain::price::trillionths;

/// What is typed.
const FORM: &str = "a million tokens sent, received: 0.25 2, or 0.25 2 EUR";

/// The verb `set-price`.
pub const VERB: Verb = Verb {
    name: "set-price",
    keys: &[],
    contexts: PANES,
    doc: "set the price of the model in your settings, for the next runs",
    available: |model| offered(unpriced(model).is_some()),
    run: |model, _| ask(model),
    ..Verb::BASE
};

/// The name of the model, if its price is not known.
fn unpriced(model: &Model) -> Option<&str> {
    let state = &model.run.state;
    let started = state.started.as_ref()?;
    let is_priced = started.price.is_some() || state.tally.spent.describe().is_some();
    // Its server is named behind it.
    let name = started
        .model
        .rsplit_once(" at ")
        .map_or(started.model.as_str(), |(name, _)| name);
    (started.wire != "scripted" && !is_priced).then_some(name)
}

fn ask(model: &mut Model) -> Result<(), Refusal> {
    let of = unpriced(model)
        .ok_or_else(|| Refusal::new("The price of this model is known, or no model is asked"))?
        .to_owned();
    let title = format!("price of {} for {FORM}", visible(&of));
    let style = Style {
        records: false,
        waits: true,
        ..Style::SETTING
    };
    let prompt = Prompt::new(("set", style), title, "", move |_, text, out| {
        out.push(Out::KeepPrice(read(&of, &text)?));
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// The price that was typed.
fn read(model: &str, text: &str) -> Result<KeptPrice, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (amounts, currency) = match words.as_slice() {
        [input, output] => ([*input, *output], None),
        [input, output, currency] => ([*input, *output], Some((*currency).to_owned())),
        _ => return Err(format!("Two numbers are a price: {FORM}")),
    };
    if let Some(wrong) = amounts.iter().find(|amount| trillionths(amount).is_none()) {
        return Err(format!(
            "`{}` is no price. Write a number such as 2.5",
            visible(wrong)
        ));
    }
    Ok(KeptPrice {
        model: model.to_owned(),
        amounts: amounts.map(str::to_owned),
        currency,
    })
}

/// The message that it is kept in a file.
pub(crate) fn kept(place: &str) -> String {
    format!("Kept in {place}. It counts from the next start or resume on")
}
