//! Turns a panic of a model adapter into a failed request, so that no turn waits forever.
//!
//! Must not know: providers, what follows from a failed request.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use overrule_base::text::panic_message;
use overrule_domain::turn::{StreamFault, StreamFaultKind};
use overrule_model::{Chunk, Model, Request};

/// Does what [`Model::ask`] does; a panic is a fault that a retry does not fix.
pub(super) async fn ask(
    model: &dyn Model,
    request: Request,
    chunks: mpsc::Sender<Chunk>,
    cancel: CancellationToken,
) -> Result<(), StreamFault> {
    let asked = async { model.ask(request, chunks, cancel).await };
    // Nothing that the panic may have left half done is used here.
    let result = AssertUnwindSafe(asked).catch_unwind().await;
    result.unwrap_or_else(|payload| {
        Err(StreamFault {
            kind: StreamFaultKind::Garbage,
            message: format!("the model adapter crashed: {}", panic_message(&*payload)),
            retry_after_ms: None,
        })
    })
}
