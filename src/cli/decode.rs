//! Prints the content of a captured model stream or request (`overrule decode`).
//!
//! Must not know: wire formats.

use super::args;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_model::decode::{events, summary};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::decode_request;
use overrule_regular_file as regular_file;

/// Maximum bytes of a stream, as for stored streams.
const MOST: u64 = 64 << 20;

/// Decodes a captured stream. Prints everything before a break; a broken stream exits with 1.
pub fn decode(args: &args::Decode) -> Result<Code, Failure> {
    let wire = Wire::named(&args.wire).ok_or_else(|| {
        Failure::new(
            Code::Usage,
            format!(
                "cannot decode wire format `{}`: it is unknown; hint: use {}",
                visible(&args.wire),
                Wire::names()
            ),
        )
    })?;
    let shown = args.file.display();
    let bytes = regular_file::read_input(&args.file, MOST);
    let bytes = bytes.map_err(|error| Failure::new(Code::Usage, format!("cannot read {shown}: {error}")))?;
    if args.request {
        return request(args, wire, &bytes);
    }
    let whole = if args.summary {
        let summary = summary(wire, &bytes);
        let text = serde_json::to_string(&summary).map_err(|error| Failure::new(Code::Other, error))?;
        print::out(&text);
        summary.error.is_none()
    } else {
        let (events, whole) = events(wire, &bytes);
        for event in events {
            if !print::out(&event.to_string()) {
                break;
            }
        }
        whole
    };
    Ok(if whole { Code::Ok } else { Code::Other })
}

/// Prints a request; a body that cannot be read exits with 1 and prints nothing.
fn request(args: &args::Decode, wire: Wire, bytes: &[u8]) -> Result<Code, Failure> {
    let request = decode_request(wire, bytes).map_err(|error| Failure::new(Code::Other, error))?;
    if args.json {
        print::out(&request.to_json());
        return Ok(Code::Ok);
    }
    for line in request.to_lines() {
        if !print::out(&line) {
            break;
        }
    }
    Ok(Code::Ok)
}
