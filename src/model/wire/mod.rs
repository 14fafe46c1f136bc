//! Lists the wire formats: how a request is written and a reply is read.
//!
//! Must not know: sockets, the graph, the journal, when to retry.
//!
//! A format is one folder here and one line in [`FORMATS`].

pub mod agent;
mod anthropic;
mod choices;
mod common;
mod gemini;
mod id;
mod key;
mod misplaced_call;
mod ollama;
pub mod opaque;
pub mod openai_chat;
pub mod openai_responses;
mod options;
mod parts;
mod refusal;
mod reply;
mod scan;
mod schema;
mod stop;
#[cfg(test)]
mod tests;

use super::fault::Refusal;
use super::{Quirk, Quirks, Request};

pub use id::Wire;
pub use key::{ApiKey, KeyVariable};
pub use options::{Options, Thinking, ToolChoice};
pub use reply::{Decoder, Reply};

/// All formats. The first is the default.
pub static FORMATS: &[&dyn Format] = &[
    &openai_chat::OpenAiChat,
    &openai_responses::OpenAiResponses,
    &anthropic::Anthropic,
    &gemini::Gemini,
    &ollama::Ollama,
];

/// A wire format. Every function is pure.
pub trait Format: Sync {
    /// Returns its name in settings, flags and journals.
    fn name(&self) -> &'static str;

    /// Returns the path of a request below the base URL.
    fn path(&self, target: Target<'_>) -> String;

    /// Returns the path of the list of models.
    fn models_path(&self) -> &'static str {
        "/models"
    }

    /// Returns the headers of the format, with the key if there is one.
    fn headers(&self, key: Option<&ApiKey>) -> Vec<(&'static str, String)>;

    /// Returns the JSON text of a request in the forms that the server needs.
    fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String;

    /// Returns the names of members of the request that may be left out.
    fn members(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> Vec<String>;

    /// Returns a decoder for one reply.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// Returns the side of the format that an agent sees.
    fn agent_side(&self) -> &'static dyn agent::AgentSide;

    /// Returns true if a streamed reply is one JSON text a line, and no event stream.
    fn is_lines(&self) -> bool {
        false
    }

    /// Returns the forms that may help after a refusal, the likeliest first. `members` are those of
    /// [`Format::members`].
    fn quirks(&self, refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
        refusal::candidates(refusal, members)
    }

    /// Returns the environment variables with a key, the strongest first.
    fn key_env(&self) -> &'static [KeyVariable];

    /// Returns the base URL of the provider of the format.
    fn default_base(&self) -> &'static str;

    /// Returns a model of the provider, for an example.
    fn example_model(&self) -> Option<&'static str> {
        None
    }

    /// Returns what the provider of the format takes for writing into its cache, in per cent of the price of a token sent: for
    /// five minutes, and for an hour. None if that has no price of its own.
    fn cache_writes(&self) -> Option<(u64, u64)> {
        None
    }

    /// Returns the path below the address of Ollama where it serves the format; none if it does not.
    fn ollama_path(&self) -> Option<&'static str> {
        None
    }

    /// Returns the beginnings of the names of the provider's models, if they identify the provider.
    fn model_prefixes(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Whom a request is for.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The model.
    pub model: &'a str,
    /// What the settings ask of it.
    pub options: &'a Options,
}

impl<'a> Target<'a> {
    /// Returns a model with no options.
    pub fn plain(model: &'a str) -> Self {
        static NONE: Options = Options::NONE;
        Self {
            model,
            options: &NONE,
        }
    }
}
