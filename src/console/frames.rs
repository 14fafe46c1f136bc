//! When to draw: only when asked to, however often asked only once, at most 60 times a second.
//!
//! Must not know: what is drawn, how.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Duration, Instant, sleep_until};

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Asks for frames; clones ask the same.
#[derive(Debug, Clone, Default)]
pub struct FrameRequester(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The moments from which a frame is wanted.
    wanted: Mutex<BTreeSet<Instant>>,
    changed: Notify,
}

impl FrameRequester {
    /// Asks for a frame as soon as may be.
    pub fn request_draw(&self) {
        self.request_at(Instant::now());
    }

    /// Asks for a frame after a while, whatever is drawn before.
    pub fn request_draw_in(&self, wait: Duration) {
        self.request_at(Instant::now() + wait);
    }

    fn request_at(&self, at: Instant) {
        let mut wanted = self.0.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        // One that was asked for earlier and is not later meets this one too, if it is due already.
        let met = at <= Instant::now() && wanted.first().is_some_and(|first| *first <= at);
        if !met {
            let first = wanted.first().is_none_or(|first| at < *first);
            wanted.insert(at);
            drop(wanted);
            if first {
                self.0.changed.notify_one();
            }
        }
    }
}

/// Tells when to draw.
#[derive(Debug)]
pub struct Frames {
    shared: Arc<Shared>,
    /// No frame before this.
    next: Instant,
}

impl Frames {
    /// A pair of one that tells and one that asks. Nothing is asked for yet.
    pub fn new() -> (Self, FrameRequester) {
        let requester = FrameRequester::default();
        let frames = Self {
            shared: Arc::clone(&requester.0),
            next: Instant::now(),
        };
        (frames, requester)
    }

    fn first(&self) -> Option<Instant> {
        let wanted = self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.first().copied()
    }

    /// Returns when a frame is due; draw it then. Requests made before that are met by it. May be
    /// dropped and called again.
    pub async fn due(&mut self) {
        loop {
            let wanted = self.first();
            let changed = self.shared.changed.notified();
            let Some(wanted) = wanted else {
                changed.await;
                continue;
            };
            let at = wanted.max(self.next);
            if at > Instant::now() {
                // An earlier moment may be asked for meanwhile.
                tokio::select! {
                    () = sleep_until(at) => {}
                    () = changed => {}
                }
                continue;
            }
            let now = Instant::now();
            let mut wanted = self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            wanted.retain(|later| *later > now);
            drop(wanted);
            self.next = now + FRAME;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, timeout};

    use super::*;

    async fn is_due(frames: &mut Frames, within: Duration) -> bool {
        timeout(within, frames.due()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_drawn_unasked() {
        let (mut frames, requester) = Frames::new();
        assert!(!is_due(&mut frames, Duration::from_secs(3600)).await);
        requester.request_draw();
        assert!(is_due(&mut frames, Duration::from_millis(1)).await);
        assert!(!is_due(&mut frames, Duration::from_secs(3600)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn many_requests_are_one_frame() {
        let (mut frames, requester) = Frames::new();
        for _ in 0..1000 {
            requester.clone().request_draw();
        }
        assert!(is_due(&mut frames, Duration::from_millis(1)).await);
        assert!(!is_due(&mut frames, Duration::from_secs(1)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_sixty_in_a_second() {
        let (mut frames, requester) = Frames::new();
        let begin = Instant::now();
        let mut drawn = 0;
        let asker = requester.clone();
        let storm = tokio::spawn(async move {
            loop {
                asker.request_draw();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        while begin.elapsed() < Duration::from_secs(1) {
            frames.due().await;
            drawn += 1;
        }
        storm.abort();
        assert!((50..=61).contains(&drawn), "{drawn}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_request_waits_and_an_earlier_one_does_not() {
        let (mut frames, requester) = Frames::new();
        let begin = Instant::now();
        requester.request_draw_in(Duration::from_millis(500));
        let asker = requester.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            asker.request_draw();
        });
        frames.due().await;
        assert_eq!(begin.elapsed().as_millis(), 100);
        frames.due().await;
        assert_eq!(
            begin.elapsed().as_millis(),
            500,
            "what is asked for later is not met before"
        );
        assert!(!is_due(&mut frames, Duration::from_secs(60)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_wait_loses_no_request() {
        let (mut frames, requester) = Frames::new();
        requester.request_draw();
        frames.due().await;
        requester.request_draw();
        assert!(!is_due(&mut frames, Duration::from_millis(1)).await, "too early");
        advance(FRAME).await;
        assert!(is_due(&mut frames, Duration::from_millis(1)).await);
    }
}
