//! Shows what the files of a workspace would loosen or start, and trusts them (`overrule trust`).
//!
//! Must not know: how a trusted file is used.

use std::path::{Path, PathBuf};

use super::args::{Common, Trust};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::operator::only_the_operator;
use super::print;
use overrule_base::document::At;
use overrule_base::text::{redact_literals, visible};
use overrule_config::{dot_mcp, files, load, servers, trust, written};
use overrule_policy::Origin;
use overrule_present::json;
use overrule_present::setup::TrustView;

/// A file that can be trusted.
struct Candidate {
    path: PathBuf,
    hash: String,
    trusted: bool,
    /// What it would start or loosen, line by line.
    lines: Vec<String>,
}

/// Shows or trusts the files of the workspace.
pub fn trust(common: &Common, args: &Trust) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let found = candidates(&context)?;
    let io = |error: std::io::Error| Failure::new(Code::Other, format!("cannot keep the trust: {error}"));
    if args.revoke {
        for one in &found {
            trust::remove(&context.env, &one.path).map_err(io)?;
        }
        print::out("the files of this workspace are not trusted");
        return Ok(Code::Ok);
    }
    if let Some(hash) = &args.hash {
        only_the_operator(&context.env, "trust the file")?;
        let one = found.iter().find(|one| one.hash == *hash).ok_or_else(|| {
            Failure::new(
                Code::Usage,
                "cannot trust: no file of the workspace has this hash now; hint: `overrule trust` shows the files",
            )
        })?;
        trust::add(&context.env, &one.path, hash).map_err(io)?;
        print::out(&format!("trusted until it changes: {}", shown(&one.path)));
        return Ok(Code::Ok);
    }
    if found.is_empty() && !common.json {
        print::out("nothing to trust: the workspace has no .mcp.json and no overrule.toml");
    }
    for one in found {
        print_one(common, &one);
    }
    Ok(Code::Ok)
}

/// What a file says, without the literal secrets in it.
fn safe(text: &str) -> String {
    visible(&redact_literals(text))
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

fn candidates(context: &AppContext) -> Result<Vec<Candidate>, Failure> {
    let mut found = Vec::new();
    let path = servers::dot_mcp(&context.workspace);
    if let Some(text) = files::read(&path)? {
        let lines = match dot_mcp::read(&path, &text.text) {
            Ok(servers) => {
                let starts = servers.servers.iter().map(starts);
                starts.chain(servers.notices).collect()
            }
            Err(why) => vec![format!("it cannot be read: {why}")],
        };
        found.push(candidate(context, path, &text.text, lines));
    }
    let path = load::workspace_file(&context.workspace);
    if let Some(text) = files::read(&path)? {
        let origin = Origin::Workspace { trusted: false };
        // A file that cannot be read is no question of trust.
        written::read(&path, &text.text, origin, context.env.home.as_deref())?;
        let values = written::values(&path, &text.text)?;
        let mut lines: Vec<String> = values.iter().map(|(key, at)| sets(key, at)).collect();
        if let Ok(trusted) = written::read(
            &path,
            &text.text,
            Origin::Workspace { trusted: true },
            context.env.home.as_deref(),
        ) {
            let servers = trusted.compiled.servers.servers.iter();
            lines.extend(servers.map(starts));
            let rules = trusted.compiled.policy.rules.iter();
            let allows = rules.filter(|rule| rule.gate == overrule_domain::call::Gate::Allow);
            lines.extend(allows.map(|rule| format!("allows {}", rule.cite())));
            let declared = trusted.compiled.tools.declared.iter();
            lines.extend(declared.map(|tool| format!("declares {}", safe(tool.written()))));
        }
        if lines.is_empty() {
            lines.push("only tightens: it needs no trust".to_owned());
        }
        found.push(candidate(context, path, &text.text, lines));
    }
    Ok(found)
}

/// Says what a value sets, in full.
fn sets(key: &str, at: &At<serde_json::Value>) -> String {
    let (name, value, line) = (visible(key), safe(&at.value.to_string()), at.place.line);
    if written::is_operators(key) {
        return format!("does not set {name} = {value} (line {line}): no workspace does, trusted or not");
    }
    format!("sets {name} = {value} (line {line})")
}

/// Says what a server starts or reaches, and what it is given.
fn starts(server: &servers::RawServer) -> String {
    let verb = if server.url.is_some() {
        "connects to"
    } else {
        "starts"
    };
    format!("{} {verb}: {}", visible(&server.name), safe(&server.written()))
}

fn candidate(context: &AppContext, path: PathBuf, text: &str, lines: Vec<String>) -> Candidate {
    Candidate {
        hash: trust::hash(&path, text),
        trusted: trust::holds(&context.env, &path, text),
        path,
        lines,
    }
}

fn print_one(common: &Common, one: &Candidate) {
    if common.json {
        print::out(&json(&TrustView {
            file: &one.path,
            hash: &one.hash,
            trusted: one.trusted,
            does: &one.lines,
        }));
        return;
    }
    let state = if one.trusted { "trusted" } else { "not trusted" };
    print::out(&format!("{}  {state}", shown(&one.path)));
    for line in &one.lines {
        print::out(&format!("  {}", print::safe_line(line)));
    }
    if !one.trusted {
        print::out(&format!(
            "  hint: `overrule trust --hash {}` trusts it until it changes",
            one.hash
        ));
    }
}
