//! Whether the definitions of a server that are in force are still its own.
//!
//! Must not know: how messages are carried, what the definitions are.
//!
//! Messages count in the order in which they arrive: the library handles notifications in tasks of their own, so an answer
//! behind a notification can be seen before it.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Notify, watch};

use super::live::Live;
use super::server::Phase;

/// Counts the times at which the definitions of a server may have changed. A call carries the count that it was decided
/// under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Changes(u64);

/// What the connection, the calls and the reader of the definitions share.
pub(super) struct Current {
    changes: AtomicU64,
    phase: watch::Sender<Phase>,
    refresh: Notify,
}

impl Current {
    pub(super) fn new(phase: watch::Sender<Phase>) -> Self {
        Self {
            changes: AtomicU64::new(0),
            phase,
            refresh: Notify::new(),
        }
    }

    /// Returns the count to compare with after a reading.
    pub(super) fn changes(&self) -> Changes {
        Changes(self.changes.load(Ordering::SeqCst))
    }

    /// Notes that the definitions may have changed: calls wait until they are read again.
    pub(super) fn outdate(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.phase.send_if_modified(|phase| {
            let is_ready = matches!(phase, Phase::Ready(_));
            if is_ready {
                *phase = Phase::Starting;
            }
            is_ready
        });
        self.refresh.notify_one();
    }

    /// Waits until the definitions may have changed.
    pub(super) async fn outdated(&self) {
        self.refresh.notified().await;
    }

    /// Takes calls under these definitions, unless they may have changed since they were asked for: then they are read
    /// again.
    pub(super) fn put(&self, live: Arc<Live>) {
        self.phase.send_if_modified(|phase| {
            let is_current = self.changes() == live.changes;
            if is_current {
                *phase = Phase::Ready(live);
            }
            is_current
        });
    }
}

/// A connection that knows of every change as soon as it arrives, and sends no call that was decided before it.
pub(super) struct Watched<T> {
    transport: T,
    current: Arc<Current>,
}

impl<T> Watched<T> {
    pub(super) const fn new(transport: T, current: Arc<Current>) -> Self {
        Self { transport, current }
    }
}

/// The cause of a call that is not sent because the definitions may have changed.
#[derive(Debug)]
pub(super) struct Outdated;

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server changed its tools")
    }
}

impl Error for Outdated {}

/// Why a message is not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsent<E: Error + 'static> {
    #[error("{0}")]
    Outdated(#[source] Outdated),
    #[error("{0}")]
    Failed(#[source] E),
}

/// Returns the count that a call was decided under; `None` for other messages.
fn decided(message: &TxJsonRpcMessage<RoleClient>) -> Option<Changes> {
    let JsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::CallToolRequest(call) = &request.request else {
        return None;
    };
    call.extensions.get::<Changes>().copied()
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = Unsent<T::Error>;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let is_outdated = decided(&message).is_some_and(|changes| changes != self.current.changes());
        let sends = (!is_outdated).then(|| self.transport.send(message));
        async move {
            match sends {
                Some(sends) => sends.await.map_err(Unsent::Failed),
                None => Err(Unsent::Outdated(Outdated)),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await?;
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ToolListChangedNotification(_) = &notification.notification
        {
            self.current.outdate();
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await.map_err(Unsent::Failed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;

    use rmcp::model::{CallToolRequest, CallToolRequestParams, RequestId};
    use serde_json::json;

    use super::*;

    /// Gives these messages and keeps what is sent.
    #[derive(Default)]
    struct Fake {
        gives: VecDeque<RxJsonRpcMessage<RoleClient>>,
        sent: Vec<TxJsonRpcMessage<RoleClient>>,
    }

    impl Transport<RoleClient> for Fake {
        type Error = Infallible;

        fn send(
            &mut self,
            message: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            self.sent.push(message);
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
            self.gives.pop_front()
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn call(decided: Changes) -> TxJsonRpcMessage<RoleClient> {
        let mut call = CallToolRequest::new(CallToolRequestParams::new("a"));
        call.extensions.insert(decided);
        JsonRpcMessage::request(ClientRequest::CallToolRequest(call), RequestId::Number(1))
    }

    #[tokio::test]
    async fn a_change_counts_before_the_message_behind_it_and_ends_the_calls_before_it() {
        let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        let gives = [changed, answer].map(|message| serde_json::from_value(message).unwrap());
        let fake = Fake {
            gives: gives.into(),
            sent: Vec::new(),
        };
        let current = Arc::new(Current::new(watch::channel(Phase::Starting).0));
        let mut watched = Watched::new(fake, Arc::clone(&current));
        let before = current.changes();
        watched.send(call(before)).await.unwrap();
        assert_eq!(watched.transport.sent.len(), 1);
        watched.receive().await.unwrap();
        // Nothing ran in between: the answer behind it was not even received.
        assert_eq!(watched.transport.gives.len(), 1);
        assert_ne!(current.changes(), before);
        let unsent = watched.send(call(before)).await;
        assert!(matches!(unsent, Err(Unsent::Outdated(_))), "{unsent:?}");
        assert_eq!(watched.transport.sent.len(), 1, "it was not sent");
        watched.send(call(current.changes())).await.unwrap();
        assert_eq!(watched.transport.sent.len(), 2);
    }
}
