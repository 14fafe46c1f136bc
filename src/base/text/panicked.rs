//! Extracts the message of a panic.
//!
//! Must not know: what broke, what is done about it.

use std::any::Any;

use super::visible;

/// Maximum number of characters that are reported.
const MOST: usize = 2000;

/// Returns the message of a panic, safe to show: it may quote text of a model or a tool.
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let words = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    visible(&words.chars().take(MOST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_safe_to_show_whatever_it_is() {
        assert_eq!(panic_message(&"at\u{7}once"), "at⟨U+0007⟩once");
        assert_eq!(panic_message(&String::from("two")), "two");
        assert_eq!(panic_message(&7_u8), "no message");
        assert_eq!(panic_message(&"x".repeat(9000)).len(), MOST);
    }
}
