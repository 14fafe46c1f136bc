//! Decompresses the bodies of requests: some agents compress them.
//!
//! Must not know: formats, what a body holds.

use std::io::Read;

use hyper::body::Bytes;

/// Why a body cannot be decompressed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// Another coding than `gzip`, `deflate` and `zstd`.
    #[error("its body is compressed in a way that the proxy does not know ({0})")]
    Unknown(String),
    /// It is not what the header says.
    #[error("its body is no {coding}: {why}")]
    Broken {
        /// The coding.
        coding: String,
        /// What is wrong with it.
        why: String,
    },
    /// It is too large.
    #[error("its body has more than {0} bytes when it is decompressed")]
    TooLarge(usize),
}

/// Returns a body without the codings of its `Content-Encoding` header, which are listed in the order in which they were
/// applied. At most `most` bytes are made of it.
pub fn decompressed(codings: &str, body: Bytes, most: usize) -> Result<Bytes, Error> {
    let mut body = body;
    for coding in codings.rsplit(',').map(str::trim) {
        body = match coding {
            "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(&*body), coding, most)?.into(),
            "deflate" => read(flate2::read::ZlibDecoder::new(&*body), coding, most)?.into(),
            "zstd" => zstd(&body, most)?.into(),
            _ => return Err(Error::Unknown(overrule_base::text::visible_head(coding, 40))),
        };
    }
    Ok(body)
}

fn read(from: impl Read, coding: &str, most: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    append(&mut out, from, coding, most)?;
    Ok(out)
}

/// Reads to the end; `out` has at most `most` bytes then.
fn append(out: &mut Vec<u8>, from: impl Read, coding: &str, most: usize) -> Result<(), Error> {
    let left = most.saturating_sub(out.len());
    let limit = u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1);
    from.take(limit).read_to_end(out).map_err(|error| Error::Broken {
        coding: coding.to_owned(),
        why: error.to_string(),
    })?;
    if out.len() > most {
        return Err(Error::TooLarge(most));
    }
    Ok(())
}

/// Frames of Zstandard (RFC 8878), one after the other.
fn zstd(body: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    let broken = |why: String| Error::Broken {
        coding: "zstd".to_owned(),
        why,
    };
    let (mut rest, mut all) = (body, Vec::new());
    while !rest.is_empty() {
        let decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest);
        let decoder = decoder.map_err(|error| broken(error.to_string()))?;
        append(&mut all, decoder, "zstd", most)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(body).unwrap();
        out.finish().unwrap()
    }

    fn deflate(body: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        out.write_all(body).unwrap();
        out.finish().unwrap()
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        compress_to_vec(body, CompressionLevel::Fastest)
    }

    #[test]
    fn each_coding_gives_the_bytes_back_and_no_more_than_the_limit() {
        let text = "żółć 🦀 ".repeat(5_000);
        let body = text.as_bytes();
        for (codings, packed) in [
            ("gzip", gzip(body)),
            ("x-gzip", gzip(body)),
            ("deflate", deflate(body)),
            ("zstd", zstd(body)),
            ("gzip, zstd", zstd(&gzip(body))),
            ("zstd", [zstd(&body[..9_000]), zstd(&body[9_000..])].concat()),
        ] {
            let all = decompressed(codings, packed.clone().into(), body.len());
            assert_eq!(all.as_deref(), Ok(body), "{codings}");
            let less = decompressed(codings, packed.into(), body.len() - 1);
            assert_eq!(less, Err(Error::TooLarge(body.len() - 1)), "{codings}");
        }
    }

    #[test]
    fn a_small_body_that_becomes_huge_is_refused_at_the_limit() {
        let zeros = vec![0; 64 << 20];
        for (coding, packed) in [("gzip", gzip(&zeros)), ("zstd", zstd(&zeros))] {
            assert!(packed.len() < 1 << 20, "{coding}: {}", packed.len());
            let found = decompressed(coding, packed.into(), 1 << 20);
            assert_eq!(found, Err(Error::TooLarge(1 << 20)), "{coding}");
        }
    }

    #[test]
    fn a_body_of_another_coding_is_an_error() {
        for coding in ["gzip", "deflate", "zstd"] {
            for body in [&b"{\"messages\":[]}"[..], b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08"] {
                let found = decompressed(coding, Bytes::copy_from_slice(body), 1_000);
                assert!(matches!(found, Err(Error::Broken { .. })), "{coding}: {found:?}");
            }
        }
        let found = decompressed("br", Bytes::from_static(b"x"), 1_000);
        assert_eq!(found, Err(Error::Unknown("br".to_owned())));
        let cut = zstd(&vec![7; 100_000]);
        let cut = Bytes::copy_from_slice(&cut[..cut.len() - 3]);
        assert!(matches!(
            decompressed("zstd", cut, 1 << 20),
            Err(Error::Broken { .. })
        ));
    }
}
