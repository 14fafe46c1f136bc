//! Describes an image in the result of a call: its format, its size, and its width and height.
//!
//! Must not know: formats of requests, how an image is drawn.
//!
//! Width and height are those that the beginning of the file says (PNG: W3C PNG 11.2.2, GIF: GIF89a 18, JPEG: ITU-T T.81 B.2.2,
//! WebP: RFC 9649 2.5 to 2.7). Nothing else of the file is decoded.

use crate::frame;

/// Maximum characters of base64 text in which width and height are looked for. A JPEG file may have a picture before them.
const HEAD: usize = 256 * 1024;
/// Members in which formats keep the type and the data of an image, each beside the other.
const MEMBERS: [(&str, &str); 3] = [
    ("media_type", "data"),
    ("mimeType", "data"),
    ("mime_type", "data"),
];

/// Returns the words for an image, such as `image png 48 kB 640x480`; none for a block that is no image with its data.
pub fn describe(block: &str) -> Option<String> {
    let (kind, data) = found(block)?;
    let kind = kind.strip_prefix("image/")?;
    let kind = kind.split(['+', ';']).next().unwrap_or(kind);
    let bytes = data.trim_end_matches('=').len() as u64 * 3 / 4;
    let size = match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    };
    let head = decoded(data.get(..HEAD.min(data.len())).unwrap_or_default());
    Some(match dimensions(&head) {
        Some((width, height)) => format!("image {kind} {size} {width}x{height}"),
        None => format!("image {kind} {size}"),
    })
}

/// The type of an image and its base64 text.
fn found(block: &str) -> Option<(String, String)> {
    let text = |raw: &str, key: &str| {
        let value = frame::member(raw, key).and_then(frame::string);
        value.map(String::from)
    };
    for inner in [
        frame::member(block, "source"),
        frame::member(block, "inlineData"),
        Some(block),
    ] {
        let Some(inner) = inner else { continue };
        for (kind, data) in MEMBERS {
            if let (Some(kind), Some(data)) = (text(inner, kind), text(inner, data)) {
                return Some((kind, data));
            }
        }
    }
    let url = frame::member(block, "image_url")?;
    let url = text(url, "url").or_else(|| frame::string(url).map(String::from))?;
    let (kind, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some((kind.to_owned(), data.to_owned()))
}

/// The bytes of base64 text, up to the first character that is none of it.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    bytes
}

/// Width and height of an image, by the beginning of its file.
fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let at = |from: usize, to: usize| bytes.get(from..to);
    let big = |bytes: &[u8]| bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    let little = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((big(at(16, 20)?), big(at(20, 24)?)));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(at(6, 8)?), little(at(8, 10)?)));
    }
    if bytes.starts_with(b"RIFF") && at(8, 12)? == b"WEBP" {
        return match at(12, 16)? {
            b"VP8X" => Some((little(at(24, 27)?) + 1, little(at(27, 30)?) + 1)),
            b"VP8L" => {
                let bits = little(at(21, 25)?);
                Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
            }
            b"VP8 " => Some((little(at(26, 28)?) & 0x3FFF, little(at(28, 30)?) & 0x3FFF)),
            _ => None,
        };
    }
    if !bytes.starts_with(b"\xFF\xD8") {
        return None;
    }
    let mut place = 2;
    loop {
        let [0xFF, marker] = at(place, place + 2)? else {
            return None;
        };
        match marker {
            // A frame header, whatever its coding: not a table, and not one of arithmetic coding conditions.
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                return Some((big(at(place + 7, place + 9)?), big(at(place + 5, place + 7)?)));
            }
            0xFF => place += 1,
            0x01 | 0xD0..=0xD8 => place += 2,
            _ => place += 2 + big(at(place + 2, place + 4)?) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base64 text of bytes.
    fn encoded(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for three in bytes.chunks(3) {
            let all =
                three.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            for at in 0..=three.len() {
                out.push(DIGITS[(all >> (18 - 6 * at) & 63) as usize] as char);
            }
            out.push_str(&"=".repeat(3 - three.len()));
        }
        out
    }

    fn png(length: usize) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xE0".to_vec();
        bytes.resize(length, 0);
        bytes
    }

    #[test]
    fn the_beginning_of_a_file_says_how_large_an_image_is() {
        let jpeg = b"\xFF\xD8\xFF\xE0\x00\x04ab\xFF\xC4\x00\x03x\xFF\xFF\xC2\x00\x11\x08\x00\x20\x01\x00";
        let rows: [(&[u8], _); 9] = [
            (&png(24), Some((640, 480))),
            (b"GIF89a\x05\x00\x06\x01", Some((5, 262))),
            (jpeg, Some((256, 32))),
            (
                b"RIFF....WEBPVP8X........\x7F\x02\x00\xDF\x01\x00",
                Some((640, 480)),
            ),
            (b"RIFF....WEBPVP8 ..........\x80\x02\xE0\x01", Some((640, 480))),
            (b"RIFF....WEBPVP8L.....\x7F\xC2\x77\x00", Some((640, 480))),
            (b"\xFF\xD8\xFF\xE0\xFF\xFF", None),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"", None),
        ];
        for (bytes, expected) in rows {
            assert_eq!(dimensions(bytes), expected, "{bytes:?}");
            assert_eq!(decoded(&encoded(bytes)), bytes);
        }
    }

    #[test]
    fn an_image_of_every_format_is_named_with_its_size() {
        let data = encoded(&png(47_500));
        let words = "image png 48 kB 640x480";
        for block in [
            format!(
                r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
            ),
            format!(r#"{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}"#),
            format!(r#"{{"type":"input_image","image_url":"data:image/png;base64,{data}"}}"#),
            format!(r#"{{"inlineData":{{"mimeType":"image/png","data":"{data}"}}}}"#),
            format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#),
        ] {
            assert_eq!(describe(&block).as_deref(), Some(words), "{}", &block[..60]);
        }
        let small = r#"{"type":"image","source":{"media_type":"image/svg+xml","data":"PHN2Zz4="}}"#;
        assert_eq!(describe(small).as_deref(), Some("image svg 5 B"));
        for other in [
            r#"{"type":"image","source":{"type":"url","url":"https://x/y.png"}}"#,
            r#"{"type":"document","source":{"media_type":"application/pdf","data":"AAAA"}}"#,
            r#"{"type":"image_url","image_url":{"url":"https://x/y.png"}}"#,
        ] {
            assert_eq!(describe(other), None, "{other}");
        }
    }
}
