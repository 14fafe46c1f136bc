//! Reads where the system has mounted something.
//!
//! Must not know: what is done with a mount.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// Returns the place of every mount of this process, each once, those above before those below.
pub(super) fn mount_points() -> Result<Vec<PathBuf>, String> {
    let text = std::fs::read("/proc/self/mountinfo").map_err(|error| error.to_string())?;
    let mut places: Vec<PathBuf> = text.split(|byte| *byte == b'\n').filter_map(place).collect();
    places.sort();
    places.dedup();
    Ok(places)
}

/// The fifth field of a line, with its escapes (`\040`) resolved.
fn place(line: &[u8]) -> Option<PathBuf> {
    let field = line.split(|byte| *byte == b' ').nth(4)?;
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.get(..3).and_then(octal)) {
            (b'\\', Some(escaped)) => {
                path.push(escaped);
                rest = after.get(3..).unwrap_or_default();
            }
            _ => path.push(*byte),
        }
    }
    Some(PathBuf::from(OsString::from_vec(path)))
}

fn octal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(text, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_mount_is_read_with_its_escapes() {
        let line = |place: &str| {
            format!("36 35 98:0 /mnt1 {place} rw,noatime master:1 - ext3 /dev/root rw,errors=continue")
        };
        for (written, meant) in [
            ("/mnt2", "/mnt2"),
            (r"/a\040b", "/a b"),
            (r"/tab\011end\134", "/tab\tend\\"),
            (r"/not\04", r"/not\04"),
            (r"/not\999", r"/not\999"),
        ] {
            assert_eq!(
                place(line(written).as_bytes()),
                Some(PathBuf::from(meant)),
                "{written}"
            );
        }
        assert_eq!(place(b""), None);
        assert_eq!(place(b"36 35 98:0 /mnt1"), None);
    }

    #[test]
    fn the_root_is_among_the_mounts() {
        let places = mount_points().unwrap();
        assert_eq!(places.first(), Some(&PathBuf::from("/")));
    }
}
