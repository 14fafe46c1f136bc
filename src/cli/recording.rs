//! Opens the files of recordings: to keep the exchange with a model, and to answer from one.
//!
//! Must not know: what is in an exchange.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_engine::setup::ModelSetup;
use overrule_model::http::Recording;
use overrule_model::http::exchange::{Head, Keep};
use overrule_regular_file as regular_file;

/// Longest recording in bytes.
const LONGEST: u64 = 256 << 20;

/// Creates the file of `--record`, and returns what keeps exchanges in it.
pub fn keep(path: &Path, head: &Head) -> Result<Keep, Failure> {
    let shown = visible(&path.to_string_lossy());
    let failed = |error: std::io::Error| {
        let hint = if error.kind() == std::io::ErrorKind::AlreadyExists {
            "name a new file"
        } else {
            "check the path"
        };
        Failure::new(
            Code::Usage,
            format!("cannot record into {shown}: {error}; hint: {hint}"),
        )
    };
    let mut file = regular_file::create(path).map_err(failed)?;
    let line = |value: serde_json::Result<String>| {
        value
            .map(|text| format!("{text}\n"))
            .map_err(std::io::Error::from)
    };
    let first = line(serde_json::to_string(head));
    first
        .and_then(|first| file.write_all(first.as_bytes()))
        .map_err(failed)?;
    let file = Mutex::new(file);
    Ok(Arc::new(move |exchange| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = line(serde_json::to_string(exchange)).and_then(|line| file.write_all(line.as_bytes()));
        if let Err(error) = written {
            super::print::err(&format!(
                "cannot record into {shown}: {error}; the recording is not whole"
            ));
        }
    }))
}

/// Reads a recording.
pub fn read(path: &Path) -> Result<(Head, Recording), Failure> {
    let shown = visible(&path.to_string_lossy());
    let failed = |why: String| Failure::new(Code::Config, format!("cannot answer from {shown}: {why}"));
    let text = regular_file::read_text(path, LONGEST)
        .map_err(|error| failed(format!("{}; hint: check the path", visible(&error.to_string()))))?;
    Recording::parse(&text).map_err(|error| failed(error.to_string()))
}

/// Returns the setup of the model that answers from a recording.
pub fn setup(path: Option<&Path>) -> Result<ModelSetup, Failure> {
    let Some(path) = path else {
        return Err(Failure::new(
            Code::Usage,
            "cannot start the recorded model: it needs a recording; hint: add --from FILE, which --record FILE made",
        ));
    };
    let (head, _) = read(path)?;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Some(recording) = absolute.to_str().map(str::to_owned) else {
        return Err(Failure::new(
            Code::Usage,
            "cannot answer from this recording: its path is not UTF-8; hint: rename it",
        ));
    };
    Ok(ModelSetup::Server {
        wire: head.wire,
        base_url: head.base_url,
        model: head.model,
        entry: head.entry,
        options: head.options,
        recording: Some(recording),
    })
}
