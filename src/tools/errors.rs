//! Structured failures of tools: their class, the evidence for it, the remedy.
//!
//! Must not know: any particular tool.

use std::io;

use rustix::io::Errno;

use overrule_base::text::visible;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_resilience::classify::of_json_rpc;

/// Makes untrusted text (a path, a server's words) fit for a message: short and visible.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    visible(&short)
}

/// Builds a failure that occurred before anything was done.
pub(super) fn refused(
    class: ErrorClass,
    message: impl Into<String>,
    evidence: &str,
    hint: &str,
) -> ToolError {
    ToolError {
        class,
        message: message.into(),
        evidence: evidence.to_owned(),
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
        partial: None,
        executed: false,
        retry_after_ms: None,
    }
}

/// Builds the outcome of a cancellation before anything was done.
pub(super) const fn untouched() -> Outcome {
    Outcome::Cancelled { executed: false }
}

/// Converts a system error to a tool's failure. `action` is what was attempted (`read`), `what` its object (a
/// path).
pub fn from_io(action: &str, what: &str, error: &io::Error, executed: bool) -> ToolError {
    let (class, evidence, why, hint) = classify(error);
    let why = if why.is_empty() {
        shown(&error.to_string())
    } else {
        why.to_owned()
    };
    ToolError {
        class,
        message: format!("cannot {action} `{}`: {why}", shown(what)),
        evidence,
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
        partial: None,
        executed,
        retry_after_ms: None,
    }
}

/// Converts a JSON-RPC error. If the server could not read the request, did not know the method or refused
/// the parameters, nothing was done.
pub fn from_json_rpc(code: i64, message: &str) -> ToolError {
    let class = of_json_rpc(code);
    let hint = match class {
        ErrorClass::Structural => {
            "this tool cannot be called this way: use another one, or tell the operator"
        }
        ErrorClass::Param => "correct the arguments",
        _ => "",
    };
    ToolError {
        class,
        message: shown(message),
        evidence: format!("JSON-RPC {code}"),
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
        partial: None,
        // A server that is not trusted says so. Only a request that it did not understand cannot have had an effect.
        executed: !matches!(code, -32_700 | -32_600 | -32_601),
        retry_after_ms: None,
    }
}

type Row = (Errno, &'static str, ErrorClass, &'static str, &'static str);

/// Error number, name, class, reason, hint.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    (Errno::NOENT, "ENOENT", ErrorClass::NotFound, "it does not exist", "list the directory to see what is there"),
    (Errno::NOTDIR, "ENOTDIR", ErrorClass::NotFound, "a part of the path is a file, not a directory", "list the directory to see what is there"),
    (Errno::ISDIR, "EISDIR", ErrorClass::Param, "it is a directory", "name a file, or use list_dir"),
    (Errno::NXIO, "ENXIO", ErrorClass::Param, "it is a device, pipe or socket, not a file", "name a regular file"),
    (Errno::NODEV, "ENODEV", ErrorClass::Param, "it is a device, pipe or socket, not a file", "name a regular file"),
    (Errno::NAMETOOLONG, "ENAMETOOLONG", ErrorClass::Param, "the name is too long", "use a shorter name"),
    (Errno::INVAL, "EINVAL", ErrorClass::Param, "the system does not accept it", ""),
    (Errno::ILSEQ, "EILSEQ", ErrorClass::Param, "the file system does not accept the name", "use plain characters"),
    (Errno::TOOBIG, "E2BIG", ErrorClass::Param, "the arguments are too long for one command", "write them to a file and name the file"),
    (Errno::NOEXEC, "ENOEXEC", ErrorClass::Param, "it is not a program", "name a program, or run it through an interpreter"),
    (Errno::ACCESS, "EACCES", ErrorClass::Auth, "this user has no permission", "ask the operator to grant it or to do it"),
    (Errno::PERM, "EPERM", ErrorClass::Auth, "the system forbids it to this user", "ask the operator to do it"),
    (Errno::ROFS, "EROFS", ErrorClass::Auth, "the file system is read-only", "choose another place, or ask the operator"),
    (Errno::LOOP, "ELOOP", ErrorClass::Auth, "a symbolic link is not allowed here", "name the real file"),
    (Errno::XDEV, "EXDEV", ErrorClass::Auth, "it leads out of the workspace", "stay inside the workspace"),
    (Errno::EXIST, "EEXIST", ErrorClass::Conflict, "it exists already", ""),
    (Errno::NOTEMPTY, "ENOTEMPTY", ErrorClass::Conflict, "the directory is not empty", ""),
    (Errno::TXTBSY, "ETXTBSY", ErrorClass::Conflict, "the program is running", "wait until it has ended"),
    (Errno::STALE, "ESTALE", ErrorClass::Conflict, "it was replaced meanwhile", "try again"),
    (Errno::NOSPC, "ENOSPC", ErrorClass::Business, "the disk is full", "ask the operator to free space"),
    (Errno::DQUOT, "EDQUOT", ErrorClass::Business, "this user's disk quota is used up", "ask the operator to free space"),
    (Errno::FBIG, "EFBIG", ErrorClass::Business, "the file would be too large", "write less"),
    (Errno::TIMEDOUT, "ETIMEDOUT", ErrorClass::Transient, "it took too long", "try again later"),
    (Errno::CONNREFUSED, "ECONNREFUSED", ErrorClass::Transient, "nothing accepts connections there", "check the address and that the server runs"),
    (Errno::CONNRESET, "ECONNRESET", ErrorClass::Transient, "the other side closed the connection", "try again"),
    (Errno::CONNABORTED, "ECONNABORTED", ErrorClass::Transient, "the connection was aborted", "try again"),
    (Errno::PIPE, "EPIPE", ErrorClass::Transient, "the other side has gone", "try again"),
    (Errno::NETUNREACH, "ENETUNREACH", ErrorClass::Transient, "the network cannot be reached", "try again later"),
    (Errno::HOSTUNREACH, "EHOSTUNREACH", ErrorClass::Transient, "the host cannot be reached", "check the address"),
    (Errno::AGAIN, "EAGAIN", ErrorClass::Transient, "the system is short of something just now", "try again"),
    (Errno::INTR, "EINTR", ErrorClass::Transient, "it was interrupted", "try again"),
    (Errno::BUSY, "EBUSY", ErrorClass::Transient, "it is in use", "try again later"),
    (Errno::MFILE, "EMFILE", ErrorClass::Transient, "too many files are open", "try again later"),
    (Errno::NFILE, "ENFILE", ErrorClass::Transient, "too many files are open on this machine", "try again later"),
    (Errno::NOMEM, "ENOMEM", ErrorClass::Transient, "there is not enough memory", "try again later"),
];

fn classify(error: &io::Error) -> (ErrorClass, String, &'static str, &'static str) {
    if let Some(number) = error.raw_os_error() {
        let row = TABLE.iter().find(|row| row.0.raw_os_error() == number);
        return match row {
            Some((_, name, class, why, hint)) => (*class, format!("errno {name}"), why, hint),
            None => (ErrorClass::Unknown, format!("errno {number}"), "", ""),
        };
    }
    let class = match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::NotFound,
        io::ErrorKind::PermissionDenied => ErrorClass::Auth,
        io::ErrorKind::TimedOut
        | io::ErrorKind::ConnectionRefused
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::Interrupted => ErrorClass::Transient,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => ErrorClass::Param,
        _ => ErrorClass::Unknown,
    };
    (class, format!("system error: {}", error.kind()), "", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_json_rpc_get_class_evidence_and_what_was_done() {
        for (code, class, executed) in [
            (-32_700, ErrorClass::Structural, false),
            (-32_600, ErrorClass::Structural, false),
            (-32_601, ErrorClass::Structural, false),
            (-32_602, ErrorClass::Param, true),
            (-32_603, ErrorClass::Unknown, true),
            (-32_050, ErrorClass::Unknown, true),
        ] {
            let error = from_json_rpc(code, "no\u{1b}[31m");
            assert_eq!((error.class, error.executed), (class, executed), "{code}");
            assert_eq!(error.evidence, format!("JSON-RPC {code}"));
            assert_eq!(error.message, "no⟨U+001B⟩[31m");
        }
    }

    #[test]
    fn errors_of_the_system_get_class_evidence_and_advice() {
        let table = [
            (Errno::NOENT, ErrorClass::NotFound, "errno ENOENT", true),
            (Errno::ACCESS, ErrorClass::Auth, "errno EACCES", true),
            (
                Errno::CONNREFUSED,
                ErrorClass::Transient,
                "errno ECONNREFUSED",
                true,
            ),
            (Errno::NOSPC, ErrorClass::Business, "errno ENOSPC", true),
            (Errno::NXIO, ErrorClass::Param, "errno ENXIO", true),
            (Errno::NOLCK, ErrorClass::Unknown, "errno 37", false),
        ];
        for (errno, class, evidence, advised) in table {
            let error = from_io("read", "a\u{1b}[31m", &errno.into(), false);
            assert_eq!((error.class, error.hint.is_some()), (class, advised), "{errno:?}");
            if cfg!(target_os = "linux") {
                assert_eq!(error.evidence, evidence);
            }
            assert!(error.message.starts_with("cannot read `a"), "{}", error.message);
            assert!(!error.message.contains('\u{1b}'), "{}", error.message);
        }
    }

    #[test]
    fn errors_without_a_number_are_classed_by_kind() {
        let error = from_io("open", "x", &io::Error::from(io::ErrorKind::TimedOut), true);
        assert_eq!((error.class, error.executed), (ErrorClass::Transient, true));
        assert_eq!(error.evidence, "system error: timed out");
        let odd = from_io("open", "x", &io::Error::other("line\nbreak"), true);
        assert_eq!(odd.class, ErrorClass::Unknown);
        assert!(!odd.message.contains('\n'));
    }
}
