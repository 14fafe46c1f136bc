//! Asks a model so that a defect of its adapter breaks the request, and does not leave the turn waiting for ever.
//! Must not know: providers, what follows from a broken request.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::domain::turn::{StreamFault, StreamFaultKind};
use crate::model::{Chunk, Model, Request};
use crate::text::panic_message;

/// Does what [`Model::ask`] does; a panic is a fault that asking again does not mend.
pub(super) async fn ask(
    model: &dyn Model,
    request: Request,
    chunks: mpsc::Sender<Chunk>,
    cancel: CancellationToken,
) -> Result<(), StreamFault> {
    let asked = async { model.ask(request, chunks, cancel).await };
    // Nothing that the panic may have left half done is looked at here.
    let result = AssertUnwindSafe(asked).catch_unwind().await;
    result.unwrap_or_else(|payload| {
        Err(StreamFault {
            kind: StreamFaultKind::Garbage,
            message: format!(
                "what talks to the model has a defect and broke off: {}",
                panic_message(&*payload)
            ),
            retry_after_ms: None,
        })
    })
}
