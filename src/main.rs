//! Entry point; everything else is in the library.

fn main() -> std::process::ExitCode {
    // Before there is any thread: the helper enters namespaces of its own.
    let mut args = std::env::args_os();
    if args.next().is_some_and(|name| name == overrule::sandbox::HELPER) {
        return overrule::sandbox::main(args);
    }
    overrule::cli::main()
}
