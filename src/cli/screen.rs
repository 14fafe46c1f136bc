//! Opens the console with the settings of this process. Must not know: what is behind the link.

use super::build::Ground;
use super::exit::{Code, Failure};
use crate::console::link::Link;
use crate::console::theme::Theme;

/// The theme that the settings name.
pub fn theme(ground: &Ground) -> Result<Theme, Failure> {
    Theme::load(&ground.settings.theme.value).map_err(|error| Failure::new(Code::Config, error))
}

/// Shows what comes through a link until the operator leaves.
pub async fn show(
    _ground: &Ground,
    _link: Box<dyn Link>,
    _session: &str,
    _recorded: bool,
) -> Result<(), Failure> {
    Ok(())
}
