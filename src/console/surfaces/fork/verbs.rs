//! Forks a new session from the shown point, after a preview.
//!
//! Must not know: how a session is written.
use crate::kernel::availability::offered;
use crate::kernel::context::{REPLAY, on};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Care, Rank, Verb};
use crate::run::link::{Forking, ReplayControl};
use crate::surfaces::fork::ForkView;
use crate::surfaces::fork::written::view;

/// The verb `fork`.
pub const FORK: Verb = Verb {
    name: "fork",
    keys: &["|"],
    contexts: REPLAY,
    doc: "fork a new session that starts with what is shown (asks first)",
    hint: "fork",
    rank: |_| Rank::Leads,
    run: |model, press| {
        ask(model, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `write-fork`.
pub const WRITE_FORK: Verb = Verb {
    name: "write-fork",
    keys: &["enter"],
    contexts: &[on(super::ID)],
    doc: "write the session and stay in the recording; nothing runs until you resume it",
    hint: "write it",
    rank: |_| Rank::Leads,
    care: Care::Careful,
    available: |model| offered(can_be_written(model)),
    run: |model, press| {
        write(model, false, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `resume-fork`.
pub const RESUME_FORK: Verb = Verb {
    name: "resume-fork",
    keys: &["r"],
    contexts: &[on(super::ID)],
    doc: "write the session, leave the recording and resume the session",
    hint: "write and resume it",
    run: |model, press| {
        write(model, true, press.out);
        Ok(())
    },
    ..WRITE_FORK
};

fn can_be_written(model: &Model) -> bool {
    model.stack.top().and_then(ForkView::can_be_written).is_some()
}

/// Requests a preview of the fork. The replay pauses meanwhile, at the point to fork from.
fn ask(model: &mut Model, out: &mut Vec<Out>) {
    if std::mem::take(&mut model.run.playing) {
        out.push(Out::Replay(ReplayControl::Pause));
    }
    model.stack.push(ForkView::default());
    out.push(Out::Fork(Forking::Foresee));
}

/// Requests the fork as it was shown.
fn write(model: &mut Model, resumes: bool, out: &mut Vec<Out>) {
    let Some(view) = view(model) else { return };
    let at = match &view.preview {
        _ if view.sent => return model.set_status("Writing the fork…"),
        None => return model.set_status("Loading the preview…"),
        Some(Err(_)) => return model.complain("Nothing to fork here"),
        Some(Ok(predicted)) => predicted.at,
    };
    view.sent = true;
    out.push(Out::Fork(Forking::Write { at, resume: resumes }));
}
