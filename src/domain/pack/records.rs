//! How the records that a run is made of are packed: nodes, calls, turns, executions.
//!
//! Every field is named: one that is added to a record and forgotten here does not compile. Must not know: what the
//! records mean.

use super::shapes::{pack_choices, pack_fields};
use super::{Pack, Packer, Unpacker};
use crate::domain::call::{
    AttemptRecord, Binding, Call, ConsentCause, EffectClass, ErrorClass, Outcome, Reach, Status, ToolError,
};
use crate::domain::ladder::Stage;
use crate::domain::node::{Channel, Content, Node, Origin, Revision};
use crate::domain::output_digest::OutputDigest;
use crate::domain::reference::{Expr, OutPath, Reference, Root, Target};
use crate::domain::state::{LedgerEntry, LedgerOutcome};
use crate::domain::turn::{Activity, Producer, Stop, Stream, StreamFault, StreamFaultKind, Turn, Usage};

pack_fields!(Node {
    id,
    turn,
    active,
    pinned,
    replaced,
    revisions,
    current,
    history,
});
pack_fields!(Revision {
    no,
    content,
    origin,
    epoch,
    event,
});
pack_choices!(Channel {
    0 = Spoken,
    1 = Reasoning,
});
pack_choices!(Origin {
    0 = Model,
    1 = Execution,
    2 = Operator { user },
    3 = Repair { attempt },
    4 = Engine { rule },
    5 = Reused { from },
    6 = Import,
});

impl Pack for Content {
    fn pack(&self, to: &mut Packer) {
        match self {
            Self::Text {
                text,
                channel,
                opaque,
            } => {
                to.byte(0);
                // What was said stands nowhere else; what a call says and gives does.
                to.text_alone(text);
                channel.pack(to);
                opaque.pack(to);
            }
            Self::Call { tool, args } => {
                to.byte(1);
                tool.pack(to);
                args.pack(to);
            }
            Self::Observation {
                call_rev,
                attempt,
                outcome,
            } => {
                to.byte(2);
                call_rev.pack(to);
                attempt.pack(to);
                outcome.pack(to);
            }
            Self::Deleted => to.byte(3),
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(match from.byte()? {
            0 => Self::Text {
                text: from.text()?,
                channel: Pack::unpack(from)?,
                opaque: Pack::unpack(from)?,
            },
            1 => Self::Call {
                tool: Pack::unpack(from)?,
                args: Pack::unpack(from)?,
            },
            2 => Self::Observation {
                call_rev: Pack::unpack(from)?,
                attempt: Pack::unpack(from)?,
                outcome: Pack::unpack(from)?,
            },
            3 => Self::Deleted,
            _ => return None,
        })
    }
}

pack_choices!(Outcome {
    0 = Ok { value, meta, discarded, exit },
    1 = Err(error),
    2 = Cancelled { executed },
});
pack_fields!(ToolError {
    class,
    message,
    evidence,
    hint,
    partial,
    executed,
    retry_after_ms,
});
pack_choices!(ErrorClass {
    0 = Structural,
    1 = Param,
    2 = Transient,
    3 = Auth,
    4 = NotFound,
    5 = Conflict,
    6 = Business,
    7 = Internal,
    8 = Cancelled,
    9 = Unknown,
});
pack_choices!(EffectClass {
    0 = Pure,
    1 = Read,
    2 = Idempotent,
    3 = Write,
    4 = Unknown,
});
pack_choices!(ConsentCause {
    0 = Orphaned,
    1 = Unknown,
    2 = Elsewhere,
    3 = SameCall,
});
pack_choices!(Stage {
    0 = Diagnosing,
    1 = Selecting,
    2 = Asking,
    3 = Choosing,
    4 = Applying,
});
pack_choices!(Status {
    0 = Proposed,
    1 = Invalid,
    2 = Blocked,
    3 = Ready,
    4 = Awaiting,
    5 = Consent(cause),
    6 = Queued,
    7 = Delayed,
    8 = Repairing(stage),
    9 = Running(attempt),
    10 = InDoubt(attempt),
    11 = Succeeded,
    12 = Failed(class),
    13 = Rejected,
    14 = Left,
    15 = Expired,
    16 = Skipped,
    17 = Unsatisfiable,
    18 = Exited(code),
});
pack_fields!(AttemptRecord {
    no,
    rev,
    args,
    epoch,
    intent,
    thread,
    outcome,
    digest,
    ms,
    fenced,
    under,
});
pack_fields!(Reach {
    out,
    references,
    bindings,
    stands_on,
});
pack_choices!(OutPath {
    0 = To(target),
    1 = Branch(well, ill),
    2 = Fan(targets),
});
pack_fields!(Target { root, head, path });
pack_choices!(Root {
    0 = Call,
    1 = State,
    2 = Input,
});
pack_choices!(Expr {
    0 = Read(target),
    1 = Fallback(all),
    2 = All(all),
});
pack_fields!(Reference { at, expr });
pack_fields!(Binding {
    reference,
    source,
    rev,
});
pack_fields!(Call {
    id,
    provider_id,
    label,
    status,
    suspect,
    reach,
    snags,
    resolved,
    digest,
    runs,
    verdict,
    effect,
    delegates,
    decisions,
    attempts,
    slot,
    ready,
    approved,
    asking,
    trouble,
    history,
});

pack_fields!(Turn {
    id,
    thread,
    pos,
    producer,
    reply,
    activity,
    stream,
    context,
    request,
    asked,
    nodes,
    bytes,
    received,
    slots,
    settled,
    split,
    last,
    drifted,
    usage,
    spent,
    asked_at,
    ended_at,
    more,
    history,
});
pack_choices!(Producer {
    0 = Model,
    1 = Operator,
    2 = Import,
    3 = Delegate,
});
pack_choices!(Activity {
    0 = Active,
    1 = Suspended(by),
    2 = Superseded(by),
});
pack_choices!(Stream {
    0 = Open,
    1 = Closed(stop),
    2 = Broken(fault),
    3 = Aborted(why),
});
pack_choices!(Stop {
    0 = End,
    1 = Calls,
    2 = Length,
    3 = Filter,
    4 = Refusal,
    5 = Kept,
    6 = Other(word),
    7 = Pause,
    8 = BadCall(why),
});
pack_fields!(StreamFault {
    kind,
    message,
    retry_after_ms,
});
pack_choices!(StreamFaultKind {
    0 = Network,
    1 = Timeout,
    2 = RateLimit,
    3 = Server,
    4 = Auth,
    5 = Request,
    6 = Garbage,
    7 = Truncated,
    8 = Length,
    9 = Filter,
    10 = Refusal,
    11 = Empty,
    12 = Script,
    13 = Crash,
    14 = Overload,
    15 = Quota,
    16 = Pause,
    17 = BadCall,
    18 = Unfit,
});
pack_fields!(Usage {
    input,
    cached,
    output,
    reasoning,
});

impl Pack for OutputDigest {
    fn pack(&self, to: &mut Packer) {
        let (version, hash) = self.parts();
        version.pack(to);
        hash.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self::from_parts(Pack::unpack(from)?, Pack::unpack(from)?))
    }
}

pack_choices!(LedgerOutcome {
    0 = Running,
    1 = Known(outcome),
    2 = Unknown,
    3 = DidNot,
});

pack_fields!(LedgerEntry {
    seq,
    call,
    rev,
    attempt,
    tool,
    odd_same,
    key,
    effect,
    task,
    at,
    thread,
    outcome,
    ended,
    epoch,
    more,
});
