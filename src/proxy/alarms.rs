//! Keeps the alarms of the proxy until the operator has seen them, or they turn out false.
//!
//! Must not know: screens, who prints them.

use std::sync::Arc;

use tokio::sync::watch;

/// Maximum number of alarms that are kept; the oldest is dropped.
const MOST: usize = 50;

/// What an operator must see. Its words may hold untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// What happened, and what to do.
    pub words: Arc<str>,
    /// How often.
    pub times: u32,
    /// True once the operator saw it.
    pub is_seen: bool,
}

impl Alarm {
    /// Returns the words, with their number if they came more than once.
    pub fn describe(&self) -> String {
        match self.times {
            0 | 1 => self.words.to_string(),
            times => format!("{} ({times} times)", self.words),
        }
    }
}

/// The alarms of a proxy, oldest first.
#[derive(Debug, Clone)]
pub struct Alarms(watch::Sender<Vec<Alarm>>);

impl Default for Alarms {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Alarms {
    /// Raises an alarm. One with the same words is counted, and stands again if it was seen.
    pub fn raise(&self, words: &str) {
        self.0.send_modify(|all| {
            let before = all.iter().position(|alarm| *alarm.words == *words);
            let times = before.map_or(0, |at| all.remove(at).times);
            if all.len() == MOST {
                all.remove(0);
            }
            all.push(Alarm {
                words: words.into(),
                times: times.saturating_add(1),
                is_seen: false,
            });
        });
    }

    /// Takes an alarm back that turned out false.
    pub fn take_back(&self, words: &str) {
        self.0.send_if_modified(|all| {
            let before = all.len();
            all.retain(|alarm| *alarm.words != *words);
            all.len() != before
        });
    }

    /// Marks all alarms as seen.
    pub fn set_seen(&self) {
        self.0.send_if_modified(|all| {
            let is_news = all.iter().any(|alarm| !alarm.is_seen);
            for alarm in all.iter_mut() {
                alarm.is_seen = true;
            }
            is_news
        });
    }

    /// Returns all alarms.
    pub fn all(&self) -> Vec<Alarm> {
        self.0.borrow().clone()
    }

    /// Follows the changes.
    pub fn follow(&self) -> watch::Receiver<Vec<Alarm>> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(alarms: &Alarms) -> Vec<(String, bool)> {
        let all = alarms.all().into_iter();
        all.map(|alarm| (alarm.describe(), alarm.is_seen)).collect()
    }

    #[test]
    fn an_alarm_stands_until_it_is_seen_or_taken_back_and_again_if_it_comes_again() {
        let alarms = Alarms::default();
        alarms.raise("one");
        alarms.raise("two");
        alarms.raise("one");
        assert_eq!(
            words(&alarms),
            [("two".to_owned(), false), ("one (2 times)".to_owned(), false)]
        );
        alarms.set_seen();
        assert!(words(&alarms).iter().all(|(_, is_seen)| *is_seen));
        alarms.take_back("two");
        alarms.take_back("two");
        alarms.raise("one");
        assert_eq!(words(&alarms), [("one (3 times)".to_owned(), false)]);
    }

    #[test]
    fn the_number_of_alarms_is_bounded_and_the_newest_stay() {
        let alarms = Alarms::default();
        (0..100).for_each(|number| alarms.raise(&number.to_string()));
        assert_eq!(alarms.all().len(), MOST);
        assert_eq!(&*alarms.all()[MOST - 1].words, "99");
    }
}
