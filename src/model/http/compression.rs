//! Unpacks a reply that a server or a gateway compressed, also without being asked to.
//!
//! Must not know: sockets, what is in a reply.
//!
//! Bytes go in as they arrive, and what they complete comes out. The codings are those of RFC 9110 and RFC 8878.

use std::io::Write;

use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::FrameDecoder;

use crate::show::visible;

/// Bytes that the longest header of a Zstandard frame has.
const ZSTD_HEADER: usize = 18;
/// Bytes that are unpacked of a Zstandard frame in one step.
const STEP: usize = 64 * 1024;
/// The longest window of a Zstandard frame in bytes (RFC 9659).
const ZSTD_WINDOW: u64 = 8 << 20;
/// Maximum number of codings of a body.
const MAX_CODINGS: usize = 2;
/// Maximum bytes of a reply after it was unpacked.
pub const MAX_REPLY: usize = 64 << 20;

/// Why a reply cannot be unpacked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another coding than `gzip`, `deflate` and `zstd`.
    #[error("the reply is compressed in a way that is not known (`{}`)", visible(.0))]
    Unknown(String),
    /// It has more codings than any server needs.
    #[error("the reply is compressed {0} times, at most {MAX_CODINGS} are read")]
    TooMany(usize),
    /// It is too large.
    #[error("the reply is compressed and too large: it has more than {0} bytes when it is unpacked")]
    TooLarge(usize),
    /// It is not what its header says.
    #[error("the reply is compressed and cannot be unpacked: it is no {coding} ({why})")]
    Broken {
        /// The coding.
        coding: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// It ended too early.
    #[error("the reply is compressed and ended too early to be unpacked ({0})")]
    Cut(&'static str),
}

/// Unpacks one body.
#[derive(Default)]
pub struct Decompressor {
    /// The coding that was applied last comes first.
    stages: Vec<Stage>,
}

struct Stage {
    kind: Kind,
    /// What may be unpacked, in all.
    most: usize,
    /// What may still be unpacked.
    left: usize,
}

enum Kind {
    Gzip(MultiGzDecoder<Output>),
    Deflate(Deflate),
    Zstd(Box<Zstd>),
}

/// Takes bytes up to a budget.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    left: usize,
    is_over: bool,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() > self.left {
            self.is_over = true;
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.left -= bytes.len();
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Default)]
struct Deflate {
    /// The first bytes while the form is not known: some servers leave the frame of zlib out.
    begun: Vec<u8>,
    inflater: Option<Decompress>,
    has_ended: bool,
}

#[derive(Default)]
struct Zstd {
    decoder: FrameDecoder,
    /// Bytes that do not make a block yet.
    pending: Vec<u8>,
    /// True in the middle of a frame.
    is_open: bool,
}

impl Decompressor {
    /// Begins a body with this `Content-Encoding`: codings in the order in which they were applied. At most `most` bytes are
    /// unpacked.
    pub fn new(codings: &str, most: usize) -> Result<Self, Error> {
        let names = codings.rsplit(',').map(|name| name.trim().to_ascii_lowercase());
        let names = names.filter(|name| !matches!(name.as_str(), "" | "identity"));
        let stages = names.map(|name| {
            let kind = match name.as_str() {
                "gzip" | "x-gzip" => Kind::Gzip(MultiGzDecoder::new(Output {
                    left: most,
                    ..Output::default()
                })),
                "deflate" => Kind::Deflate(Deflate::default()),
                "zstd" => Kind::Zstd(Box::default()),
                _ => return Err(Error::Unknown(name)),
            };
            let left = most;
            Ok(Stage { kind, most, left })
        });
        let stages = stages.collect::<Result<Vec<_>, _>>()?;
        if stages.len() > MAX_CODINGS {
            return Err(Error::TooMany(stages.len()));
        }
        Ok(Self { stages })
    }

    /// Returns true if nothing is unpacked.
    pub fn is_plain(&self) -> bool {
        self.stages.is_empty()
    }

    /// Takes the next bytes, and returns what they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mut bytes = bytes.to_vec();
        for stage in &mut self.stages {
            bytes = stage.feed(&bytes)?;
        }
        Ok(bytes)
    }

    /// Ends the body.
    pub fn end(&mut self) -> Result<Vec<u8>, Error> {
        let mut rest = Vec::new();
        for stage in &mut self.stages {
            rest = stage.feed(&rest)?;
            rest.extend(stage.end()?);
        }
        Ok(rest)
    }
}

impl Stage {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let unpacked = match &mut self.kind {
            Kind::Gzip(decoder) => gunzip(decoder, bytes)?,
            Kind::Deflate(deflate) => deflate.feed(bytes, self.left)?,
            Kind::Zstd(zstd) => zstd.feed(bytes, self.left)?,
        };
        let Some(unpacked) = unpacked else {
            return Err(Error::TooLarge(self.most));
        };
        self.left = self.left.saturating_sub(unpacked.len());
        Ok(unpacked)
    }

    fn end(&mut self) -> Result<Vec<u8>, Error> {
        match &mut self.kind {
            Kind::Gzip(decoder) => {
                let finished = decoder.try_finish();
                if decoder.get_ref().is_over {
                    return Err(Error::TooLarge(self.most));
                }
                finished.map_err(|_| Error::Cut("gzip"))?;
                Ok(std::mem::take(&mut decoder.get_mut().bytes))
            }
            Kind::Deflate(deflate) if !deflate.has_ended && deflate.has_begun() => Err(Error::Cut("deflate")),
            Kind::Zstd(zstd) if zstd.is_open || !zstd.pending.is_empty() => Err(Error::Cut("zstd")),
            Kind::Deflate(_) | Kind::Zstd(_) => Ok(Vec::new()),
        }
    }
}

impl Deflate {
    fn has_begun(&self) -> bool {
        self.inflater.is_some() || !self.begun.is_empty()
    }

    /// Returns what the bytes complete; none if that is more than `left` bytes.
    fn feed(&mut self, bytes: &[u8], left: usize) -> Result<Option<Vec<u8>>, Error> {
        self.begun.extend_from_slice(bytes);
        let inflater = match (&mut self.inflater, self.begun.as_slice()) {
            (Some(inflater), _) => inflater,
            (none, &[first, second, ..]) => {
                let is_zlib = first & 0x0F == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
                none.insert(Decompress::new(is_zlib))
            }
            (None, _) => return Ok(Some(Vec::new())),
        };
        let mut rest = std::mem::take(&mut self.begun);
        let mut out = Vec::new();
        while !self.has_ended {
            let (read, written) = (inflater.total_in(), out.len());
            out.reserve(STEP);
            let status = inflater.decompress_vec(&rest, &mut out, FlushDecompress::None);
            let status = status.map_err(|error| Error::Broken {
                coding: "deflate",
                why: error.to_string(),
            })?;
            self.has_ended = status == Status::StreamEnd;
            let read = usize::try_from(inflater.total_in() - read).unwrap_or(usize::MAX);
            rest.drain(..read.min(rest.len()));
            if out.len() > left {
                return Ok(None);
            }
            if read == 0 && out.len() == written {
                break;
            }
        }
        Ok(Some(out))
    }
}

/// Returns what the bytes complete; none if that is more than the output takes.
fn gunzip(decoder: &mut MultiGzDecoder<Output>, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
    if decoder.get_ref().is_over {
        return Ok(None);
    }
    written.map_err(|error| Error::Broken {
        coding: "gzip",
        why: error.to_string(),
    })?;
    Ok(Some(std::mem::take(&mut decoder.get_mut().bytes)))
}

impl Zstd {
    /// Unpacks whole blocks. What refers back to the window comes with a later block, or with the end of the frame. Returns
    /// none if it is more than `left` bytes.
    fn feed(&mut self, bytes: &[u8], left: usize) -> Result<Option<Vec<u8>>, Error> {
        self.decoder.set_max_window_size(ZSTD_WINDOW);
        self.pending.extend_from_slice(bytes);
        let mut out = Vec::new();
        let mut target = vec![0; STEP];
        loop {
            if out.len() > left {
                return Ok(None);
            }
            if !self.is_open && self.pending.is_empty() {
                return Ok(Some(out));
            }
            let step = self.decoder.decode_from_to(&self.pending, &mut target);
            let (read, unpacked) = match step {
                Ok(step) => step,
                // The header of the frame is not whole yet.
                Err(_) if !self.is_open && self.pending.len() < ZSTD_HEADER => return Ok(Some(out)),
                Err(error) => {
                    return Err(Error::Broken {
                        coding: "zstd",
                        why: error.to_string(),
                    });
                }
            };
            self.is_open = true;
            if read > self.pending.len() {
                return Ok(Some(out));
            }
            self.pending.drain(..read);
            out.extend(target.iter().take(unpacked));
            if self.decoder.is_finished() && self.decoder.can_collect() == 0 {
                self.decoder = FrameDecoder::new();
                self.decoder.set_max_window_size(ZSTD_WINDOW);
                self.is_open = false;
            } else if read == 0 && unpacked == 0 {
                return Ok(Some(out));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn packed(coding: &str, body: &[u8]) -> Vec<u8> {
        let level = Compression::default();
        match coding {
            "gzip" => {
                let mut out = GzEncoder::new(Vec::new(), level);
                out.write_all(body).unwrap();
                out.finish().unwrap()
            }
            "zlib" => {
                let mut out = ZlibEncoder::new(Vec::new(), level);
                out.write_all(body).unwrap();
                out.finish().unwrap()
            }
            "raw" => {
                let mut out = DeflateEncoder::new(Vec::new(), level);
                out.write_all(body).unwrap();
                out.finish().unwrap()
            }
            _ => compress_to_vec(body, CompressionLevel::Fastest),
        }
    }

    fn unpacked(header: &str, bytes: &[u8], size: usize) -> Result<Vec<u8>, Error> {
        let mut unpacker = Decompressor::new(header, MAX_REPLY)?;
        let mut out = Vec::new();
        for piece in bytes.chunks(size) {
            out.extend(unpacker.feed(piece)?);
        }
        out.extend(unpacker.end()?);
        Ok(out)
    }

    #[test]
    fn a_reply_is_unpacked_wherever_its_bytes_are_cut() {
        let long: Vec<u8> = (0..40_000_u32)
            .flat_map(|n| format!("data: {n}\n\n").into_bytes())
            .collect();
        for body in [b"data: one\n\n".as_slice(), b"", &long] {
            for (header, coding) in [
                ("gzip", "gzip"),
                ("x-gzip", "gzip"),
                ("deflate", "zlib"),
                ("deflate", "raw"),
                ("zstd", "zstd"),
            ] {
                let bytes = packed(coding, body);
                for size in [1, 7, 4096, usize::MAX] {
                    if size == 1 && body.len() > 1000 {
                        continue;
                    }
                    let got = unpacked(header, &bytes, size.min(bytes.len().max(1)));
                    assert!(
                        got.as_deref() == Ok(body),
                        "{header} {coding} in {size}: {}",
                        body.len()
                    );
                }
            }
        }
        let twice = packed("zstd", &packed("gzip", b"both"));
        assert_eq!(unpacked("gzip, zstd", &twice, 3).unwrap(), b"both");
        let frames = [packed("zstd", b"one"), packed("zstd", b"two")].concat();
        assert_eq!(unpacked("zstd", &frames, 2).unwrap(), b"onetwo");
        assert_eq!(unpacked("identity", b"plain", 2).unwrap(), b"plain");
        assert!(Decompressor::new("", 0).unwrap().is_plain());
    }

    #[test]
    fn what_is_complete_comes_before_the_end() {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(b"data: one\n\n").unwrap();
        out.flush().unwrap();
        let mut unpacker = Decompressor::new("gzip", MAX_REPLY).unwrap();
        assert_eq!(unpacker.feed(out.get_ref()).unwrap(), b"data: one\n\n");
    }

    #[test]
    fn no_more_is_unpacked_than_allowed() {
        let body = vec![b'a'; 100_000];
        let table = [
            ("gzip", packed("gzip", &body)),
            ("deflate", packed("zlib", &body)),
            ("deflate", packed("raw", &body)),
            ("zstd", packed("zstd", &body)),
            ("gzip, zstd", packed("zstd", &packed("gzip", &body))),
            (
                "gzip",
                [packed("gzip", &body[1..]), packed("gzip", b"a")].concat(),
            ),
            (
                "zstd",
                [packed("zstd", &body[1..]), packed("zstd", b"a")].concat(),
            ),
        ];
        for (header, bytes) in table {
            for size in [13, usize::MAX] {
                let all = |most: usize| {
                    let mut unpacker = Decompressor::new(header, most)?;
                    let mut sum = 0;
                    for piece in bytes.chunks(size.min(bytes.len())) {
                        sum += unpacker.feed(piece)?.len();
                        assert!(sum <= most, "{header} in {size}: {sum}");
                    }
                    Ok(sum + unpacker.end()?.len())
                };
                assert_eq!(all(body.len()), Ok(body.len()), "{header} in {size}");
                let most = body.len() - 1;
                assert_eq!(all(most), Err(Error::TooLarge(most)), "{header} in {size}");
            }
        }
        // A bomb is packed twice: it is small on both sides of the first coding.
        let bomb = packed("gzip", &packed("gzip", &vec![0; 4 << 20]));
        let mut unpacker = Decompressor::new("gzip, gzip", 1 << 20).unwrap();
        assert_eq!(unpacker.feed(&bomb), Err(Error::TooLarge(1 << 20)));
        let many = Decompressor::new("gzip, identity, gzip, zstd", 1).err();
        assert_eq!(many, Some(Error::TooMany(3)));
    }

    #[test]
    fn what_cannot_be_unpacked_is_called_that() {
        let said = |header, bytes: &[u8]| unpacked(header, bytes, 64).unwrap_err().to_string();
        assert_eq!(
            said("br", b"x"),
            "the reply is compressed in a way that is not known (`br`)"
        );
        for (header, coding) in [("gzip", "gzip"), ("deflate", "zlib"), ("zstd", "zstd")] {
            let noise = said(header, &b"data: {}\n\n".repeat(8));
            assert!(
                noise.starts_with("the reply is compressed and cannot be unpacked"),
                "{noise}"
            );
            let whole = packed(coding, &b"data: one\n\n".repeat(50));
            let cut = said(header, &whole[..whole.len() / 2]);
            assert!(cut.contains("ended too early"), "{header}: {cut}");
        }
    }
}
