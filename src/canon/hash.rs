//! BLAKE3 over tagged lists of parts. Must not know: what the parts are.

/// Hash of a list of parts under a tag that names its purpose, as 64 hexadecimal digits.
///
/// Hashed is the tag, then every part, each after its length as 8 bytes (little endian).
pub fn hash(tag: &str, parts: &[&[u8]]) -> String {
    digest(tag, None, parts).to_hex().to_string()
}

/// A hash that grows: each link covers everything before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    tag: String,
    head: blake3::Hash,
}

impl Chain {
    /// An empty chain under a tag.
    pub fn new(tag: &str) -> Self {
        Self {
            tag: tag.to_owned(),
            head: digest(tag, None, &[]),
        }
    }

    /// A chain that goes on from a head that [`Chain::head`] gave; none where that is no hash.
    pub fn resume(tag: &str, head: &str) -> Option<Self> {
        let head = blake3::Hash::from_hex(head).ok()?;
        Some(Self {
            tag: tag.to_owned(),
            head,
        })
    }

    /// Adds one link.
    pub fn add(&mut self, parts: &[&[u8]]) {
        self.head = digest(&self.tag, Some(&self.head), parts);
    }

    /// Hash of everything added so far, as 64 hexadecimal digits.
    pub fn head(&self) -> String {
        self.head.to_hex().to_string()
    }
}

fn digest(tag: &str, before: Option<&blake3::Hash>, parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut put = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    put(tag.as_bytes());
    if let Some(before) = before {
        put(before.as_bytes());
    }
    for part in parts {
        put(part);
    }
    hasher.finalize()
}
