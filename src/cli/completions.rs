//! Prints the completion script of a shell (`overrule completions`).
//!
//! Must not know: which commands and flags there are.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Args;
use super::exit::Code;
use super::print;

/// Prints the script.
pub fn completions(shell: Shell) -> Code {
    print::out(script(shell).trim_end());
    Code::Ok
}

/// The script, made from the same definitions as the help.
fn script(shell: Shell) -> String {
    let mut command = Args::command();
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command, "overrule", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn the_script_of_every_shell_completes_commands_and_flags() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for word in ["approve", "completions", "base-url", "doctor"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
