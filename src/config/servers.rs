//! Reads the MCP servers of the settings and resolves them with the environment.
//!
//! Must not know: how a server is started.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::checks;
use super::env::Env;
use super::expand::expand;
use super::hosts::{self, Hosts};
use super::sandbox::{PathBase, Paths, level};
use super::server_secrets;
use overrule_base::document::{self, Document, Field, near, parsed, strings, texts};
use overrule_base::text::visible;
use overrule_domain::sandbox::Level;
use overrule_policy::Notice;
use overrule_policy::expiry::duration_ms;
use overrule_policy::parse::DURATION;
use overrule_tools::sources::mcp::{BearerToken, Confinement, ServerConfig, Via};

/// Longest time limit of a call.
const LONGEST: u64 = 3_600_000;
/// Longest name.
const NAME: usize = 32;

/// `[mcp.NAME]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpTable {
    #[serde(deserialize_with = "word")]
    command: Field<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    #[serde(deserialize_with = "word")]
    cwd: Field<String>,
    #[serde(deserialize_with = "url")]
    url: Field<String>,
    headers: BTreeMap<String, String>,
    #[serde(deserialize_with = "word")]
    token_env: Field<String>,
    #[serde(deserialize_with = "words")]
    token_cmd: Field<Vec<String>>,
    #[serde(deserialize_with = "words")]
    tools: Field<Vec<String>>,
    #[serde(deserialize_with = "limit")]
    timeout: Field<u64>,
    disabled: Field<bool>,
    #[serde(deserialize_with = "level")]
    sandbox: Field<Level>,
    write: Paths,
    network: Hosts,
}

strings! {
    word: String = checks::name, "write a text in quotes";
    url: String = |text| if text.starts_with("http://") || text.starts_with("https://") {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is no address"))
    }, "begin it with http:// or https://";
    limit: u64 = |text| duration_ms(text).filter(|ms| (1..=LONGEST).contains(ms)).ok_or_else(|| format!("`{text}` is no duration of at most 1h")), DURATION;
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<String>>, D::Error> {
    parsed(deserializer, |value| {
        Ok(texts(value)?.into_iter().map(str::to_owned).collect())
    })
}

/// A server before its variables are filled in.
#[derive(Debug, Clone, Default)]
pub struct RawServer {
    /// Its name.
    pub name: String,
    /// The file that names it, safe to show.
    pub file: String,
    /// Program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its variables.
    pub env: Vec<(String, String)>,
    /// Its working directory.
    pub cwd: Option<String>,
    /// Address.
    pub url: Option<String>,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The variable that has its token.
    pub token_env: Option<String>,
    /// The command that prints its token.
    pub token_cmd: Vec<String>,
    /// Globs of its tools.
    pub tools: Vec<String>,
    /// Time limit of a call in milliseconds.
    pub limit_ms: Option<u64>,
    /// True if it is not used.
    pub disabled: bool,
    /// How its program is confined.
    pub confinement: Option<Confinement>,
}

impl RawServer {
    /// Refuses a server that cannot be reached in exactly one way.
    pub fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.len() > NAME {
            return Err(format!("its name is not 1 to {NAME} bytes long"));
        }
        if self.name.contains("__") || self.name.ends_with('_') {
            return Err(
                "its name has `__` in it or `_` at its end, which separates it from its tools".to_owned(),
            );
        }
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err("it has a `command` and a `url`; keep one of them".to_owned()),
            (None, None) => Err("it has no `command` and no `url`; add one of them".to_owned()),
            (Some(command), None) if command.is_empty() => Err("its `command` is empty".to_owned()),
            _ => Ok(()),
        }
    }

    /// Returns everything that decides what is started or reached and what it is given, as written: variables are not
    /// filled in.
    pub fn written(&self) -> String {
        let mut line = self.line();
        for (name, value) in &self.headers {
            let _ = write!(line, " (header {}: {})", quoted(name), quoted(value));
        }
        if let Some(cwd) = &self.cwd {
            let _ = write!(line, " (in {})", quoted(cwd));
        }
        if !self.token_cmd.is_empty() {
            let words: Vec<String> = self.token_cmd.iter().map(|word| quoted(word)).collect();
            let _ = write!(line, " (token printed by {})", words.join(" "));
        } else if let Some(name) = &self.token_env {
            let _ = write!(line, " (token in {})", quoted(name));
        }
        line
    }

    /// Returns the command line or address as written.
    fn line(&self) -> String {
        let Some(command) = &self.command else {
            return quoted(self.url.as_deref().unwrap_or_default());
        };
        let mut words = vec![quoted(command)];
        words.extend(self.args.iter().map(|arg| quoted(arg)));
        let env = self
            .env
            .iter()
            .map(|(name, value)| format!("{name}={}", quoted(value)));
        let mut line: Vec<String> = env.collect();
        line.append(&mut words);
        line.join(" ")
    }

    /// Fills in the variables.
    fn resolve(&self, env: &Env) -> Result<ServerConfig, String> {
        let fill = |text: &String| expand(text, env);
        let pairs = |pairs: &[(String, String)]| {
            pairs
                .iter()
                .map(|(name, value)| Ok((name.clone(), expand(value, env)?.into())))
                .collect::<Result<BTreeMap<_, _>, String>>()
        };
        let via = match (&self.command, &self.url) {
            (Some(command), _) => Via::Command {
                program: fill(command)?,
                args: self.args.iter().map(fill).collect::<Result<_, _>>()?,
                env: pairs(&self.env)?,
                cwd: self.cwd.as_ref().map(fill).transpose()?.map(PathBuf::from),
            },
            (None, url) => Via::Http {
                url: fill(&url.clone().unwrap_or_default())?,
                headers: pairs(&self.headers)?,
                token: self.token(env)?,
            },
        };
        Ok(ServerConfig {
            name: self.name.clone(),
            via,
            tools: self.tools.clone(),
            limit: self.limit_ms.map_or(ServerConfig::LIMIT, Duration::from_millis),
            file: self.file.clone(),
            secrets: server_secrets::of(self, env),
            written: self.written(),
            confinement: self.confinement.clone().unwrap_or_default(),
        })
    }

    fn token(&self, env: &Env) -> Result<Option<BearerToken>, String> {
        if !self.token_cmd.is_empty() {
            return Ok(Some(BearerToken::Command(self.token_cmd.clone())));
        }
        let Some(name) = &self.token_env else {
            return Ok(None);
        };
        let value = env.variable(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| format!("the variable `{}` is not set", visible(name)))?;
        Ok(Some(BearerToken::Value(value.into())))
    }
}

/// Returns a word as a person would write it in a command line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@,+%${}".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What a file says about servers.
#[derive(Debug, Clone, Default)]
pub struct RawServers {
    /// Servers.
    pub servers: Vec<RawServer>,
    /// Tables without a command and a url: they are about a server of another file.
    pub about: Vec<RawServer>,
}

/// Compiles `[mcp]`.
pub(super) fn compiled(
    tables: BTreeMap<Spanned<String>, McpTable>,
    document: &Document<'_>,
    base: PathBase<'_>,
) -> Result<RawServers, document::Error> {
    let mut tables: Vec<_> = tables.into_iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let mut found = RawServers::default();
    for (name, mut table) in tables {
        let confinement = confinement(&mut table, base, document)?;
        for glob in table.tools.iter().flat_map(Spanned::get_ref) {
            let bare = glob.strip_prefix('!').unwrap_or(glob);
            if let (Err(why), Some(tools)) = (globset::Glob::new(bare), &table.tools) {
                return Err(document.error(tools.span(), &format!("`{glob}` is no glob: {}", why.kind())));
            }
        }
        let value = |field: Field<String>| field.map(Spanned::into_inner);
        let raw = RawServer {
            name: name.get_ref().clone(),
            file: visible(&base.file.to_string_lossy()),
            command: value(table.command),
            args: table.args,
            env: table.env.into_iter().collect(),
            cwd: value(table.cwd),
            url: value(table.url),
            headers: table.headers.into_iter().collect(),
            token_env: value(table.token_env),
            token_cmd: table.token_cmd.map(Spanned::into_inner).unwrap_or_default(),
            tools: table.tools.map(Spanned::into_inner).unwrap_or_default(),
            limit_ms: table.timeout.map(Spanned::into_inner),
            disabled: table.disabled.is_some_and(Spanned::into_inner),
            confinement,
        };
        if raw.command.is_none() && raw.url.is_none() {
            found.about.push(raw);
            continue;
        }
        raw.check().map_err(|why| document.error(name.span(), &why))?;
        found.servers.push(raw);
    }
    Ok(found)
}

/// Reads how the program of a server is confined. The three keys count together: of two files that name any of them, those
/// of the stronger one.
fn confinement(
    table: &mut McpTable,
    base: PathBase<'_>,
    document: &Document<'_>,
) -> Result<Option<Confinement>, document::Error> {
    let (level, write, network) = (table.sandbox.take(), table.write.take(), table.network.take());
    let more = write.as_ref().map(Spanned::span);
    let more = more.or(network.as_ref().map(Spanned::span));
    let first = level.as_ref().map(Spanned::span).or(more.clone());
    if let (Some(_), Some(span)) = (&table.url, first) {
        return Err(document.error(
            span,
            "only goes with command: no server over HTTP is started; remove it",
        ));
    }
    let Some(level) = level else {
        return more.map_or(Ok(None), |span| {
            Err(document.error(span, "only goes with sandbox = 1 or 2; add it, or remove this"))
        });
    };
    let write = base.resolve(write, document)?;
    let network = hosts::read(network, document)?;
    Ok(Some(Confinement {
        level: level.into_inner(),
        write: write.map(Spanned::into_inner).unwrap_or_default(),
        network: network.map(Spanned::into_inner).unwrap_or_default(),
    }))
}

/// Resolves the servers of all files, the strongest first: one of an earlier file replaces one of the same name. A
/// server that cannot be resolved costs only itself.
pub(super) fn resolve(env: &Env, files: Vec<RawServers>, notices: &mut Vec<Notice>) -> Vec<ServerConfig> {
    let mut about = Vec::new();
    let mut all = Vec::new();
    for (rank, file) in files.into_iter().enumerate() {
        about.extend(file.about.into_iter().map(|table| (rank, table)));
        all.extend(file.servers.into_iter().map(|server| (rank, server)));
    }
    let mut ranks = BTreeMap::new();
    let mut servers: Vec<RawServer> = Vec::new();
    for (rank, server) in all {
        if let Some(known) = servers.iter().find(|known| known.name == server.name) {
            notices.push(Notice(format!(
                "ignored: the MCP server {} of {}: {} has one of that name",
                visible(&server.name),
                server.file,
                known.file
            )));
            continue;
        }
        ranks.insert(server.name.clone(), rank);
        servers.push(server);
    }
    // The strongest file last: what a weaker one says counts only where the stronger ones say nothing.
    for (rank, table) in about.iter().rev() {
        match servers.iter_mut().find(|server| server.name == table.name) {
            Some(server) => {
                let is_stronger = ranks.get(&server.name).is_some_and(|own| rank < own);
                if !table.tools.is_empty() && (is_stronger || server.tools.is_empty()) {
                    server.tools.clone_from(&table.tools);
                }
                server.limit_ms = if is_stronger {
                    table.limit_ms.or(server.limit_ms)
                } else {
                    server.limit_ms.or(table.limit_ms)
                };
                server.disabled |= table.disabled;
                match (&table.confinement, is_stronger) {
                    (None, _) => {}
                    (Some(_), _) if server.url.is_some() => notices.push(not_started(table)),
                    (Some(confinement), true) => server.confinement = Some(confinement.clone()),
                    (Some(confinement), false) => {
                        server.confinement.get_or_insert_with(|| confinement.clone());
                    }
                }
            }
            None => notices.push(Notice(unknown(table, &servers))),
        }
    }
    servers.retain(|server| !server.disabled);
    let mut resolved = Vec::new();
    for server in servers {
        match server.resolve(env) {
            Ok(server) => resolved.push(server),
            Err(why) => notices.push(Notice(format!(
                "ignored: the MCP server {} of {}: {}",
                visible(&server.name),
                server.file,
                visible(&why)
            ))),
        }
    }
    resolved
}

fn not_started(table: &RawServer) -> Notice {
    Notice(format!(
        "ignored: `mcp.{}.sandbox` in {}: no server over HTTP is started; remove it",
        visible(&table.name),
        table.file
    ))
}

fn unknown(table: &RawServer, servers: &[RawServer]) -> String {
    let names = servers.iter().map(|server| server.name.as_str());
    let advice = near(&table.name, names).map_or_else(
        || "add a command or a url to it".to_owned(),
        |near| format!("did you mean `{}`?", visible(near)),
    );
    format!(
        "ignored: `mcp.{}` in {}: there is no such server; {advice}",
        visible(&table.name),
        table.file
    )
}

/// Returns the path of a workspace's file.
pub fn dot_mcp(workspace: &Path) -> PathBuf {
    workspace.join(super::dot_mcp::FILE)
}
