//! Entry point; everything else is in the library.

fn main() -> std::process::ExitCode {
    overrule::cli::main()
}
