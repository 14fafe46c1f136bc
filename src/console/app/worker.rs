//! A thread for jobs that take longer than a frame.
//!
//! Must not know: what the jobs compute.

use std::sync::mpsc as std_mpsc;

use tokio::sync::mpsc;

use crate::ground::doc::Finding;
use crate::ground::work::Work;

/// Runs jobs one by one; its thread starts with the first.
#[derive(Debug)]
pub(super) struct Worker {
    orders: Option<std_mpsc::Sender<Work>>,
    sender: mpsc::UnboundedSender<Finding>,
    findings: mpsc::UnboundedReceiver<Finding>,
}

impl Default for Worker {
    fn default() -> Self {
        let (sender, findings) = mpsc::unbounded_channel();
        Self {
            orders: None,
            sender,
            findings,
        }
    }
}

impl Worker {
    /// Starts these jobs. Without a thread they run immediately.
    pub fn begin(&mut self, all: Vec<Work>) {
        for work in all {
            let Some(orders) = self.orders.take().or_else(|| thread(&self.sender)) else {
                self.at_once(work);
                continue;
            };
            match orders.send(work) {
                Ok(()) => self.orders = Some(orders),
                // The thread is gone: a job panicked.
                Err(std_mpsc::SendError(work)) => self.at_once(work),
            }
        }
    }

    fn at_once(&self, work: Work) {
        if let Some(finding) = work.run() {
            // This end listens as long as it is there.
            let _ = self.sender.send(finding);
        }
    }

    /// The next finished job; waits forever without one.
    pub async fn next(&mut self) -> Finding {
        match self.findings.recv().await {
            Some(finding) => finding,
            None => std::future::pending().await,
        }
    }
}

fn thread(sender: &mpsc::UnboundedSender<Finding>) -> Option<std_mpsc::Sender<Work>> {
    let (orders, all) = std_mpsc::channel::<Work>();
    let sender = sender.clone();
    std::thread::Builder::new()
        .name("worker".to_owned())
        .spawn(move || {
            // Cancelled jobs are skipped.
            for finding in all.into_iter().filter_map(Work::run) {
                if sender.send(finding).is_err() {
                    break;
                }
            }
        })
        .ok()
        .map(|_| orders)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ground::columns::measured;
    use crate::ground::doc::{Cache, Form};
    use crate::ground::pager::Wrap;
    use overrule_base::text::shown_in_ascii;

    fn long(letter: char) -> Arc<str> {
        let mut text = letter.to_string().repeat(150_000);
        text.push('\u{202e}');
        text.into()
    }

    /// Puts the next finished job into the cache.
    async fn put_next(cache: &mut Cache, worker: &mut Worker) {
        cache.put(worker.next().await);
    }

    #[tokio::test]
    async fn requested_work_uses_the_charset_of_its_screen_and_the_rest_is_skipped() {
        let _ascii = shown_in_ascii(true);
        let (mut cache, mut worker) = (Cache::default(), Worker::default());
        let (dropped, requested) = (long('a'), long('b'));
        let rows = |cache: &mut Cache, text: &Arc<str>| cache.pager(text, Form::Raw, 80, Wrap::Chars);
        drop(rows(&mut cache, &dropped));
        let ticket = rows(&mut cache, &requested).unwrap_err();
        let work = cache.take_work();
        assert_eq!(work.len(), 2);
        assert!(cache.take_work().is_empty());
        worker.begin(work);
        assert!(!ticket.is_done());
        put_next(&mut cache, &mut worker).await;
        assert!(ticket.is_done());
        let pager = rows(&mut cache, &requested).unwrap();
        let end = pager.window(pager.rows() - 1, 1, None);
        assert!(end[0].text().ends_with("<U+202E>"), "{:?}", end[0].text());
        assert!(rows(&mut cache, &dropped).is_err(), "no ticket waited for it");
    }

    #[tokio::test]
    async fn requested_work_uses_the_character_width_of_its_screen() {
        let (mut cache, mut worker) = (Cache::default(), Worker::default());
        let text = long('ж');
        for (wide, in_a_row) in [(false, 80), (true, 40)] {
            let _measure = measured(wide);
            let rows = |cache: &mut Cache| cache.pager(&text, Form::Raw, 80, Wrap::Chars);
            let _ticket = rows(&mut cache).unwrap_err();
            worker.begin(cache.take_work());
            put_next(&mut cache, &mut worker).await;
            let pager = rows(&mut cache).unwrap();
            assert!(
                pager.rows() >= 150_000 / in_a_row,
                "{} rows, wide: {wide}",
                pager.rows()
            );
            let all = pager.window(0, pager.rows(), None);
            assert_eq!(all.len(), pager.rows());
            let shown: usize = all.iter().map(|row| row.text().matches('ж').count()).sum();
            assert_eq!(shown, 150_000, "every letter is in a counted row, wide: {wide}");
        }
    }
}
