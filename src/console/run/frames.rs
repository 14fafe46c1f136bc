//! Schedules drawing: only on request, once for several requests, at most 60 times a second.
//!
//! Must not know: what is drawn, how.
//!
//! Typed input and events are drawn immediately, within that bound. More of a stream can wait a
//! little, and events leave room for a key, so that neither delays it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Duration, Instant, sleep_until};

/// The time of one frame. Three may come in a row; with a shorter time, the sixty-first frame could
/// fall into one second.
pub const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 57);
/// The least time before a frame that only shows more of a stream.
pub const STREAM: Duration = Duration::from_millis(40);

/// Requests frames. Clones share their requests.
#[derive(Debug, Clone, Default)]
pub struct FrameRequester(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    requested: Mutex<Soon>,
    changed: Notify,
}

/// Urgency of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Soon {
    /// Not needed: the screen has not changed.
    #[default]
    Never,
    /// Soon: more of a stream.
    Stream,
    /// As soon as possible: an event.
    Now,
    /// As soon as possible for typed input, which may come directly after an event's frame.
    Typed,
}

impl FrameRequester {
    /// Requests a frame as soon as possible.
    pub fn request_draw(&self) {
        self.request(Soon::Now);
    }

    /// Requests a frame.
    pub fn request(&self, how: Soon) {
        let mut target = self.0.requested.lock().unwrap_or_else(PoisonError::into_inner);
        if *target < how {
            *target = how;
            drop(target);
            self.0.changed.notify_one();
        }
    }
}

/// Decides when to draw.
#[derive(Debug)]
pub struct Frames {
    shared: Arc<Shared>,
    /// End of the frames so far if each took its whole time.
    end: Instant,
    /// No frame for a stream before this.
    stream: Instant,
}

impl Frames {
    /// A scheduler and its requester, without requests.
    pub fn new() -> (Self, FrameRequester) {
        let requester = FrameRequester::default();
        let now = Instant::now();
        let frames = Self {
            shared: Arc::clone(&requester.0),
            end: now,
            stream: now,
        };
        (frames, requester)
    }

    /// Takes the requests so far: a frame is drawn for them now. By itself it counts as none, as the first one does: what
    /// arrives right after that is not delayed by it.
    pub fn take_requests(&self) {
        *self
            .shared
            .requested
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Soon::Never;
    }

    /// Returns when a frame is due; draw it then. The frame satisfies all earlier requests. Cancel
    /// safe.
    pub async fn due(&mut self) {
        loop {
            let target = *self
                .shared
                .requested
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let changed = self.shared.changed.notified();
            let now = Instant::now();
            // One frame may be early, and then another one for typed input.
            let ahead = |frames| self.end.checked_sub(FRAME * frames).unwrap_or(now);
            let at = match target {
                Soon::Never => {
                    changed.await;
                    continue;
                }
                Soon::Stream => ahead(1).max(self.stream),
                Soon::Now => ahead(1),
                Soon::Typed => ahead(2),
            };
            if at > now {
                // A more urgent request may arrive meanwhile.
                tokio::select! {
                    () = sleep_until(at) => {}
                    () = changed => {}
                }
                continue;
            }
            self.take_requests();
            self.end = self.end.max(now) + FRAME;
            self.stream = now + STREAM;
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
    async fn the_first_frame_takes_the_requests_before_it_and_delays_none_after_it() {
        let (mut frames, requester) = Frames::new();
        requester.request_draw();
        frames.take_requests();
        assert!(!is_due(&mut frames, Duration::from_secs(1)).await, "it is drawn");
        let begin = Instant::now();
        for _ in 0..2 {
            requester.request_draw();
            frames.due().await;
        }
        assert_eq!(begin.elapsed().as_millis(), 0);
        requester.request_draw();
        assert!(
            !is_due(&mut frames, Duration::from_millis(1)).await,
            "then as ever"
        );
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
    async fn in_no_second_are_there_more_than_sixty() {
        let (mut frames, requester) = Frames::new();
        let begin = Instant::now();
        let mut drawn: Vec<Duration> = Vec::new();
        // Regardless of the pauses: also a burst after a rest.
        for pause in [0, 3, 40, 0, 1, 500, 0, 0, 7].into_iter().cycle().take(2000) {
            advance(Duration::from_millis(pause)).await;
            requester.request(if drawn.len().is_multiple_of(3) {
                Soon::Now
            } else {
                Soon::Typed
            });
            frames.due().await;
            drawn.push(begin.elapsed());
        }
        for (at, first) in drawn.iter().enumerate() {
            let within = drawn[at..]
                .iter()
                .take_while(|one| **one < *first + Duration::from_secs(1));
            let within = within.count();
            assert!(within <= 60, "{within} from {first:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_is_drawn_less_often_and_a_key_does_not_wait_for_it() {
        let (mut frames, requester) = Frames::new();
        let begin = Instant::now();
        for _ in 0..10 {
            requester.request(Soon::Stream);
            frames.due().await;
        }
        assert_eq!(begin.elapsed().as_millis() / 10, 36, "nine pauses");
        // The stream was just drawn, and continues.
        requester.request(Soon::Stream);
        let key = Instant::now();
        requester.request_draw();
        frames.due().await;
        assert_eq!(key.elapsed().as_millis(), 0, "the key is drawn immediately");
        requester.request(Soon::Stream);
        frames.due().await;
        assert_eq!(key.elapsed().as_millis(), 40, "the stream continues after that");
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_does_not_wait_for_what_happened_right_before_it() {
        let (mut frames, requester) = Frames::new();
        for _ in 0..2 {
            requester.request_draw();
            frames.due().await;
        }
        let begin = Instant::now();
        requester.request_draw();
        assert!(
            !is_due(&mut frames, Duration::from_millis(1)).await,
            "more of it waits"
        );
        requester.request(Soon::Typed);
        frames.due().await;
        assert_eq!(begin.elapsed().as_millis(), 1);
        requester.request(Soon::Typed);
        frames.due().await;
        assert!(begin.elapsed() > FRAME, "who types faster than that waits");
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_wait_overtakes_a_stream_that_does() {
        let (mut frames, requester) = Frames::new();
        requester.request(Soon::Stream);
        frames.due().await;
        let begin = Instant::now();
        requester.request(Soon::Stream);
        let asker = requester.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            asker.request_draw();
        });
        frames.due().await;
        assert_eq!(begin.elapsed().as_millis(), 5);
        assert!(
            !is_due(&mut frames, Duration::from_secs(60)).await,
            "one frame met both"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_wait_loses_no_request() {
        let (mut frames, requester) = Frames::new();
        for _ in 0..2 {
            requester.request_draw();
            frames.due().await;
        }
        requester.request_draw();
        assert!(!is_due(&mut frames, Duration::from_millis(1)).await, "too early");
        advance(FRAME).await;
        assert!(is_due(&mut frames, Duration::from_millis(1)).await);
    }
}
