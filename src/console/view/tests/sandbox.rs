//! Pictures of what the sandbox refused, and of its page.

use super::decisions::pictured;
use crate::testing::Stage;
use overrule_domain::sandbox::{Guarantee, Profile};

const SIZES: [(&str, (u16, u16)); 2] = [("80x24", (80, 24)), ("160x50", (160, 50))];

#[test]
fn what_was_refused_is_a_list_with_keys() {
    for (size, area) in SIZES {
        pictured(&format!("sandbox_refused_{size}"), area, |stage| {
            stage.npm_refused();
            stage.press("@");
        });
    }
}

#[test]
fn a_partial_sandbox_names_what_is_missing() {
    for (size, area) in SIZES {
        pictured(&format!("sandbox_partial_{size}"), area, |stage| {
            stage.fixing();
            stage.confine(Stage::profile(Some(Guarantee::Attributes)));
            stage.press("@");
        });
    }
}

#[test]
fn no_sandbox_says_what_that_means() {
    for (size, area) in SIZES {
        pictured(&format!("sandbox_none_{size}"), area, |stage| {
            stage.fixing();
            stage.confine(Profile::default());
            stage.press("@");
        });
    }
}
