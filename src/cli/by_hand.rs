//! Tries a command in a sandbox of the workspace (`overrule sandbox run`), and reaches the proxy of one.
//!
//! Must not know: sessions, how a kernel confines.

use std::ffi::OsString;
use std::io::{Read as _, Write};
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::signal::unix::{SignalKind, signal};

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::verbs::sandbox::ByHand;
use super::{print, run, sandbox};
use overrule_base::text::visible;
use overrule_config::Env;
use overrule_domain::sandbox::{Guarantee, Level, Profile};
use overrule_sandbox::network;
use overrule_sandbox::protected::Undone;
use overrule_sandbox::session::{Begun, Sandbox};
use overrule_tools::child::{self, Environment, Start, Started};

/// How the names of its private directories begin, before the id of the process.
const NAME: &str = "by-hand-";
/// The most bytes of the end of an output in which refusals are looked for.
const MOST: usize = 256 * 1024;
/// Bytes that are passed in one go.
const PART: usize = 16 * 1024;

/// Runs a command in a sandbox, and tells what it was refused. Ends with the exit code of the command.
pub fn run(common: &Common, what: &ByHand) -> Result<Code, Failure> {
    let mut context = AppContext::read(common)?;
    let name = format!("{NAME}{}", std::process::id());
    delete_ended(&context);
    let set = context.settings.sandbox.level.value;
    let level = what
        .level
        .unwrap_or(if set == Level::Off { Level::Workspace } else { set });
    if level == Level::Off {
        let why = "cannot try a command at level 0: it confines nothing; hint: write --level 1";
        return Err(Failure::new(Code::Usage, why));
    }
    let runtime = run::runtime()?;
    let done = runtime.block_on(in_sandbox(&mut context, what, &name, level));
    sandbox::delete(&context, &name);
    runtime.shutdown_background();
    done
}

async fn in_sandbox(
    context: &mut AppContext,
    what: &ByHand,
    name: &str,
    level: Level,
) -> Result<Code, Failure> {
    let mut request = context.sandbox_request(name, &context.workspace, level)?;
    request.namespaces = !what.without_namespaces;
    let prepared = Sandbox::prepare(AppContext::helper()?, &request).await;
    let (sandbox, profile) = prepared.map_err(|error| Failure::new(Code::Config, format!("{error}")))?;
    if profile.missing.len() == Guarantee::ALL.len() {
        let why = profile.missing.first().map_or("", |one| one.why.as_str());
        let why = format!(
            "cannot run it in a sandbox: {}; hint: overrule doctor",
            visible(why)
        );
        return Err(Failure::new(Code::Config, why));
    }
    for one in &profile.missing {
        let (number, loss) = (one.guarantee.number(), one.guarantee.loss());
        print::err(&format!(
            "[sandbox] missing {number}: {loss}: {}",
            visible(&one.why)
        ));
    }
    let mut begun = sandbox.begin(&profile);
    let own = begun.variables.iter();
    let own = own.map(|(name, value)| (OsString::from(name), value.clone().into_os_string()));
    let environment = Environment::allowed(context.env.all.0.iter().cloned()).with(own);
    let (program, args) = what
        .command
        .split_first()
        .ok_or_else(|| Failure::new(Code::Usage, "there is no command"))?;
    let started = child::start_fed(Start {
        program,
        args,
        cwd: &context.workspace,
        environment: &environment,
        confinement: Some(&begun.confinement),
    });
    let started = started.await.map_err(|error| {
        let program = visible(&program.to_string_lossy());
        Failure::new(Code::Other, format!("cannot run `{program}`: {error}"))
    })?;
    let (code, refused) = watch(started, &profile, &mut begun, &context.workspace).await?;
    for line in refused {
        print::err(&format!("[sandbox] {line}"));
    }
    Ok(code)
}

/// Passes the streams of a child until it has ended. Returns its exit code, and what was refused.
async fn watch(
    started: Started,
    profile: &Profile,
    begun: &mut Begun,
    cwd: &std::path::Path,
) -> Result<(Code, Vec<String>), Failure> {
    let other =
        |error: &dyn std::fmt::Display| Failure::new(Code::Other, format!("the command was lost: {error}"));
    let Started {
        mut child,
        mut tree,
        proxy,
    } = started;
    let hosts = profile.hosts().map_err(|error| other(&error))?;
    let serving = proxy.map(|listener| network::serve(listener, hosts));
    let serving = serving.transpose().map_err(|error| other(&error))?;
    if let Some(input) = child.stdin.take() {
        feed(input);
    }
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let passed = async { tokio::join!(pass(output, std::io::stdout()), pass(errors, std::io::stderr())) };
    let stopped = stopped().map_err(|error| other(&error))?;
    // What it left running may keep its streams open.
    let ended = async {
        let status = child.wait().await;
        tree.end().await;
        status
    };
    let found = tokio::select! {
        found = async { tokio::join!(ended, passed) } => Ok(found),
        code = stopped => Err(code),
    };
    let (status, (output, errors)) = match found {
        Ok(found) => found,
        Err(code) => {
            let _ = tokio::join!(tree.end(), child.wait());
            return Ok((code, begun.end().iter().map(Undone::sentence).collect()));
        }
    };
    let status = status.map_err(|error| other(&error))?;
    let hosts = serving.iter().flat_map(network::Serving::refused);
    let hosts = hosts.map(|host| format!("refused: network {}", visible(&host)));
    let mut refused: Vec<String> = hosts.collect();
    let text = String::from_utf8_lossy(&[output, errors].concat()).into_owned();
    let paths = begun.refused(&text, cwd).into_iter();
    refused.extend(paths.map(|one| format!("refused: {} {}", one.kind.label(), visible(&one.what))));
    refused.extend(begun.end().iter().map(Undone::sentence));
    Ok((code_of(status), refused))
}

/// Waits for a signal that ends this program. Returns the exit code.
fn stopped() -> std::io::Result<impl Future<Output = Code>> {
    let (mut term, mut hup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => Code::Interrupted,
            _ = term.recv() => Code::of_signal(SignalKind::terminate().as_raw_value()),
            _ = hup.recv() => Code::of_signal(SignalKind::hangup().as_raw_value()),
        }
    })
}

/// Deletes what was left of those that were killed.
fn delete_ended(context: &AppContext) {
    for name in sandbox::sessions(context) {
        let number = name.strip_prefix(NAME).and_then(|number| number.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else {
            continue;
        };
        if test_kill_process(pid) == Err(Errno::SRCH) {
            sandbox::delete(context, &name);
        }
    }
}

fn code_of(status: ExitStatus) -> Code {
    match (status.code(), status.signal()) {
        (Some(code), _) => Code::Command(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, Some(signal)) => Code::of_signal(signal),
        (None, None) => Code::Other,
    }
}

/// Passes what this process reads to the child. A thread waits for it, which the end of the process ends.
fn feed(mut input: ChildStdin) {
    let (sender, mut parts) = tokio::sync::mpsc::channel::<Vec<u8>>(4);
    let read = move || {
        let mut part = vec![0; PART];
        let mut stdin = std::io::stdin().lock();
        while let Ok(length @ 1..) = stdin.read(&mut part) {
            let part = part.get(..length).unwrap_or_default().to_vec();
            if sender.blocking_send(part).is_err() {
                return;
            }
        }
    };
    if std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(read)
        .is_err()
    {
        return;
    }
    tokio::spawn(async move {
        while let Some(part) = parts.recv().await {
            if input.write_all(&part).await.is_err() {
                return;
            }
        }
    });
}

/// Copies a stream byte by byte, and returns its end.
async fn pass(stream: Option<impl AsyncRead + Unpin>, mut to: impl Write) -> Vec<u8> {
    let Some(mut stream) = stream else {
        return Vec::new();
    };
    let (mut kept, mut part) = (Vec::new(), vec![0; PART]);
    while let Ok(length @ 1..) = stream.read(&mut part).await {
        let bytes = part.get(..length).unwrap_or_default();
        // A reader that has gone ends nothing.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        kept.extend_from_slice(bytes);
        if kept.len() > 2 * MOST {
            kept.drain(..kept.len() - MOST);
        }
    }
    kept
}

/// Variables that name the proxy, the first one that is set.
const PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/// Connects standard input and output to a host.
pub fn connect(host: &str, port: u16) -> Result<Code, Failure> {
    let env = Env::read();
    let value = |name: &&str| {
        let mut all = env.all.0.iter();
        let (_, value) = all.find(|(key, _)| key.to_str() == Some(name))?;
        value.to_str()
    };
    let proxy = PROXIES.iter().find_map(value).and_then(address).ok_or_else(|| {
        let why =
            "cannot connect: no variable names the proxy of a sandbox; hint: this works in a sandbox only";
        Failure::new(Code::Config, why)
    })?;
    network::connect(proxy, host, port, std::io::stdin(), std::io::stdout())
        .map_err(|error| Failure::new(Code::Other, format!("{error}")))?;
    Ok(Code::Ok)
}

/// The address in the value of such a variable.
fn address(value: &str) -> Option<SocketAddr> {
    value.strip_prefix("http://")?.trim_end_matches('/').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_a_proxy_is_one() {
        assert_eq!(address("http://127.0.0.1:4096"), "127.0.0.1:4096".parse().ok());
        assert_eq!(address("http://127.0.0.1:4096/"), "127.0.0.1:4096".parse().ok());
        for other in [
            "",
            "127.0.0.1:4096",
            "https://127.0.0.1:4096",
            "http://proxy:4096",
            "http://127.0.0.1",
        ] {
            assert_eq!(address(other), None, "{other}");
        }
    }

    #[test]
    fn the_exit_code_is_that_of_the_command() {
        assert_eq!(code_of(ExitStatus::from_raw(7 << 8)).number(), 7);
        assert_eq!(code_of(ExitStatus::from_raw(0)).number(), 0);
        assert_eq!(code_of(ExitStatus::from_raw(9)).number(), 137);
    }
}
