//! The progress that a server reports of its open calls.
//!
//! Must not know: where it is shown.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};

use super::redaction::Redaction;
use crate::tool::OnOutput;
use overrule_base::text::visible_head;

/// Characters kept of a report.
const WORDS: usize = 400;

/// The open calls that a server may report progress of.
#[derive(Default)]
pub(super) struct Progress {
    calls: Mutex<HashMap<ProgressToken, OnOutput>>,
    redaction: Arc<Redaction>,
}

impl Progress {
    pub(super) fn new(redaction: Arc<Redaction>) -> Self {
        Self {
            calls: Mutex::default(),
            redaction,
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<ProgressToken, OnOutput>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes the reports about a call on until it is [forgotten](Self::forget), one a line.
    pub(super) fn follow(&self, token: ProgressToken, on_report: OnOutput) {
        self.open().insert(token, on_report);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.open().remove(token);
    }

    /// Takes a report. One that arrives after the end of its call is ignored.
    pub(super) fn note(&self, report: &ProgressNotificationParam) {
        let on_report = self.open().get(&report.progress_token).cloned();
        if let Some(on_report) = on_report {
            let total = report.total.map(|total| format!("/{total}")).unwrap_or_default();
            let message = self
                .redaction
                .apply(report.message.as_deref().unwrap_or_default());
            let words = format!("{}{total} {message}", report.progress);
            let line = visible_head(words.trim(), WORDS);
            on_report(format!("{line}\n").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn reports_go_to_the_output_of_their_call_until_it_ends() {
        let seen = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&seen);
        let progress = Progress::default();
        let token = ProgressToken(NumberOrString::Number(1));
        let on_report = move |bytes: &[u8]| heard.lock().unwrap().push_str(str::from_utf8(bytes).unwrap());
        progress.follow(token.clone(), Arc::new(on_report));
        let report = |no: i64, step: f64| {
            ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(no)), step)
                .with_total(3.0)
                .with_message("half\u{1b}[2J")
        };
        progress.note(&report(1, 1.0));
        progress.note(&report(2, 1.0));
        progress.forget(&token);
        progress.note(&report(1, 2.0));
        assert_eq!(*seen.lock().unwrap(), "1/3 half⟨U+001B⟩[2J\n");
    }
}
