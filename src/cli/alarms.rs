//! Tells the operator of the alarms of the proxy: on standard error, or on the screen.
//!
//! Must not know: what an alarm is about.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::print;
use overrule_console::run::link;
use overrule_proxy::alarms::{Alarm, Alarms};

/// Prints each alarm, and each that is withdrawn, until the task is dropped.
pub async fn print(alarms: Alarms) {
    let mut all = alarms.follow();
    let mut printed: BTreeSet<(Arc<str>, u32)> = BTreeSet::new();
    loop {
        let now: BTreeSet<(Arc<str>, u32)> = {
            let alarms = all.borrow_and_update();
            alarms.iter().map(|one| (one.words.clone(), one.times)).collect()
        };
        for (words, _) in now.difference(&printed) {
            print::err(&print::safe_line(&format!("ALARM: {words}")));
        }
        for (words, _) in &printed {
            if !now.iter().any(|(one, _)| one == words) {
                print::err(&print::safe_line(&format!("no alarm any more: {words}")));
            }
        }
        printed = now;
        if all.changed().await.is_err() {
            return;
        }
    }
}

/// The alarms for a screen.
pub struct OnScreen {
    alarms: Alarms,
    all: watch::Receiver<Vec<Alarm>>,
    is_new: bool,
}

impl OnScreen {
    /// Follows the alarms of a proxy.
    pub fn of(alarms: &Alarms) -> Self {
        Self {
            alarms: alarms.clone(),
            all: alarms.follow(),
            is_new: true,
        }
    }

    /// Waits for a change; the first one is what there is. Cancel safe.
    pub async fn changed(&mut self) -> Arc<[link::Alarm]> {
        if !std::mem::take(&mut self.is_new) && self.all.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.all.borrow_and_update().iter().map(alarm).collect()
    }

    /// The operator saw all of them.
    pub fn set_seen(&self) {
        self.alarms.set_seen();
    }
}

fn alarm(alarm: &Alarm) -> link::Alarm {
    link::Alarm {
        words: alarm.describe(),
        is_seen: alarm.is_seen,
    }
}
