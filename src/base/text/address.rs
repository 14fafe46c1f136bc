//! Shows the safe part of an address that cannot be used.
//!
//! Must not know: what it is for.

use super::visible;

/// Returns the address, safe to show: only the host if it may contain a password, a key or a token.
pub fn shown_address(text: &str) -> String {
    if !text.contains(['@', '?', '#']) {
        return visible(text);
    }
    // Any text before the last of these marks may be part of a password.
    let after = text.rsplit('@').next().unwrap_or_default();
    let after = after.split_once("://").map_or(after, |(_, rest)| rest);
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    visible(&format!("…{host}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_address_with_secrets_only_the_host_is_left() {
        for (text, shown) in [
            ("http://h:1/v1", "http://h:1/v1"),
            ("nonsense", "nonsense"),
            ("https://me:pass@h:1/v1", "…h:1…"),
            ("https://me:p@s/s@h", "…h…"),
            ("me:pass@h", "…h…"),
            ("https://h/v1?key=secret", "…h…"),
            ("https://h#secret", "…h…"),
            ("http://me:pass@[bad\u{1b}", "…[bad⟨U+001B⟩…"),
        ] {
            assert_eq!(shown_address(text), shown, "{text}");
        }
    }
}
