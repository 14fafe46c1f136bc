//! Chooses and builds the model of a run. Must not know: what it is asked.

use std::sync::Arc;

use super::args::Common;
use super::build::Ground;
use super::drill;
use super::exit::{Code, Failure};
use crate::engine::setup::ModelSetup;
use crate::model::openai_chat::client::{Client, Patience};
use crate::model::scripted::{Playbook, Scripted};
use crate::model::{Model, discover};

/// The model that flags, settings, environment or a running server name.
pub fn choose(common: &Common, ground: &Ground) -> Result<ModelSetup, Failure> {
    if common.model.as_deref() == Some("scripted") || common.playbook.is_some() {
        return scripted(common);
    }
    let settings = &ground.settings;
    let key = settings.key.value.get()?;
    let given = discover::Given {
        model: settings.model.value.clone(),
        base_url: settings.base_url.value.clone(),
        has_key: key.is_some(),
        ollama_host: ground.env.ollama_host.clone(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let chosen = runtime
        .block_on(discover::find(&given, key.as_ref()))
        .map_err(|error| Failure::new(Code::Config, error))?;
    Ok(ModelSetup::OpenaiChat {
        base_url: chosen.base_url,
        model: chosen.model,
    })
}

/// The model that a recorded run goes on with: its own, unless another one or another place is named.
pub fn again(common: &Common, ground: &Ground, recorded: ModelSetup) -> Result<ModelSetup, Failure> {
    if matches!(recorded, ModelSetup::Drill { .. }) {
        return drill::no_model(common).map(|()| recorded);
    }
    if common.model.is_some() || common.playbook.is_some() {
        return choose(common, ground);
    }
    Ok(
        match (recorded, &common.base_url, &ground.settings.base_url.value) {
            (ModelSetup::OpenaiChat { model, .. }, Some(_), Some(base_url)) => ModelSetup::OpenaiChat {
                base_url: base_url.clone(),
                model,
            },
            (recorded, ..) => recorded,
        },
    )
}

fn scripted(common: &Common) -> Result<ModelSetup, Failure> {
    let Some(file) = &common.playbook else {
        return Err(Failure::new(
            Code::Config,
            "the scripted model needs a playbook: add --playbook FILE (docs/playbook.md), or run `overrule demo`",
        ));
    };
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(
            Code::Config,
            format!("cannot read the playbook {shown}: {error}; check the path"),
        )
    })?;
    Playbook::parse(&shown, &text).map_err(|error| Failure::new(Code::Config, error))?;
    let name = file
        .file_stem()
        .map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
    Ok(ModelSetup::Scripted { name, playbook: text })
}

/// The task that a playbook gives where nobody else does.
pub fn prompt(setup: &ModelSetup) -> Result<String, Failure> {
    let prompt = match setup {
        ModelSetup::Scripted { name, playbook } => {
            let playbook =
                Playbook::parse(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            playbook.prompt.filter(|prompt| !prompt.trim().is_empty())
        }
        ModelSetup::Drill { .. } | ModelSetup::OpenaiChat { .. } => None,
    };
    prompt.ok_or_else(|| {
        Failure::new(
            Code::Usage,
            "no task is given, and the playbook has no `prompt`: say what the agent shall do",
        )
    })
}

/// Builds a model from its setup. A scripted model streams with pauses only where somebody watches.
pub fn build(ground: &Ground, setup: &ModelSetup, watched: bool) -> Result<Arc<dyn Model>, Failure> {
    match setup {
        ModelSetup::Scripted { name, playbook } => {
            let playbook =
                Playbook::parse(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            Ok(Arc::new(Scripted::new(playbook, watched)))
        }
        ModelSetup::Drill { script } => Ok(Arc::new(drill::model(&drill::parse(script)?))),
        ModelSetup::OpenaiChat { base_url, model } => {
            let key = ground.settings.key.value.get()?;
            let client = Client::new(base_url, model, key, Patience::default())
                .map_err(|error| Failure::new(Code::Config, error))?;
            Ok(Arc::new(client))
        }
    }
}
