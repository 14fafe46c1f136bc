//! Hashes tagged lists of parts with BLAKE3.
//!
//! Must not know: what the parts are.

/// Hashes a list of parts under a tag that names its purpose, and returns 64 hexadecimal digits.
///
/// The input is the tag, then every part preceded by its length as 8 bytes (little endian).
pub fn hash(tag: &str, parts: &[&[u8]]) -> String {
    blake(tag, parts).to_hex().to_string()
}

/// A hash that is not written anywhere.
pub type Digest = [u8; 32];

/// The bytes of [`hash`].
pub fn digest(tag: &str, parts: &[&[u8]]) -> Digest {
    blake(tag, parts).into()
}

/// The first 16 bytes of [`hash`].
pub fn short_hash(tag: &str, parts: &[&[u8]]) -> [u8; 16] {
    let digest = blake(tag, parts);
    *digest.as_bytes().first_chunk().unwrap_or(&[0; 16])
}

/// Parts are joined up to this many bytes before they are hashed: most lists are short, and one pass over few
/// bytes costs a fraction of one pass per part.
const TOGETHER: usize = 4 * 1024;

fn blake(tag: &str, parts: &[&[u8]]) -> blake3::Hash {
    let all = || std::iter::once(tag.as_bytes()).chain(parts.iter().copied());
    let length: usize = all().map(|part| part.len() + size_of::<u64>()).sum();
    if length > TOGETHER {
        let mut hasher = blake3::Hasher::new();
        for part in all() {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        return hasher.finalize();
    }
    let mut bytes = Vec::with_capacity(length);
    for part in all() {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    blake3::hash(&bytes)
}
