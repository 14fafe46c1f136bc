//! Names the proxy in the environment of a child.
//!
//! Must not know: what the child is.

use std::path::Path;

use overrule_base::shell_line::quote;

/// Variables that hold the address of the proxy.
const PROXIES: [&str; 9] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "npm_config_proxy",
    "npm_config_https_proxy",
    "CARGO_HTTP_PROXY",
];
/// Variables that list the hosts that are reached without the proxy.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// The hosts of a child's own loopback.
const OWN: &str = "localhost,127.0.0.1,::1";

/// Returns the environment of a child whose proxy listens on this port of its loopback.
///
/// `program` is this program, which connects `ssh` to the proxy. If its path is not UTF-8, `GIT_SSH_COMMAND` is left
/// out.
pub fn variables(port: u16, program: &Path) -> Vec<(String, String)> {
    let address = format!("http://127.0.0.1:{port}");
    let proxies = PROXIES.iter().map(|name| (*name, address.clone()));
    let direct = DIRECT.iter().map(|name| (*name, OWN.to_owned()));
    let node = ("NODE_USE_ENV_PROXY", "1".to_owned());
    let ssh = program
        .to_str()
        .map(|program| ("GIT_SSH_COMMAND", ssh_command(program)));
    let all = proxies.chain(direct).chain([node]).chain(ssh);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the command line of `ssh` for git. A shell reads it; then `ssh` replaces what begins with `%` in its option,
/// and gives the result to a shell.
fn ssh_command(program: &str) -> String {
    let program = quote(program).replace('%', "%%");
    let option = quote(&format!("ProxyCommand={program} sandbox connect %h %p"));
    format!("ssh -o {option}")
}
