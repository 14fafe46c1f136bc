//! Says which model's server a request goes to: by its format, and by the agent that sends it.
//!
//! Must not know: what is in a request, how it is sent.

use std::sync::Arc;

use hyper::header::HeaderMap;

use super::Error;
use super::agents::{self, AGENTS, Agent};
use super::upstream::Upstream;
use overrule_base::text::visible;
use overrule_model::http::Authorities;
use overrule_model::wire::Wire;

/// Headers that only requests in one format have.
const HEADERS_OF: [(&str, &str); 2] = [("anthropic-version", "anthropic"), ("x-goog-api-key", "gemini")];

/// The servers of the models. A request in one format never goes to the server of another one: its log-in is for its own.
#[derive(Debug)]
pub struct Upstreams {
    /// Those that the operator named for a format.
    named: Vec<(Wire, Arc<Upstream>)>,
    others: Others,
}

/// Where formats go that the operator named no server for.
#[derive(Debug)]
enum Others {
    /// To the one that he named for all.
    One(Arc<Upstream>),
    /// To those of agents and vendors.
    Own {
        /// The program of the agent that this process starts.
        started: Option<&'static str>,
        agents: Vec<(&'static Agent, Address)>,
        vendors: Vec<(Wire, Address)>,
    },
}

/// A server, or why the address that the environment names is none.
type Address = Result<Arc<Upstream>, String>;

/// Why a request has no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoUpstream {
    /// Nothing in it says its format.
    #[error(
        "overrule cannot tell which model's server this request is for: neither its path nor its headers name a wire \
         format; hint: the operator can start the proxy with one address for all, --upstream URL"
    )]
    Unclear,
    /// The environment names an address that cannot be used.
    #[error("overrule has no server for this request: {0}")]
    Unusable(String),
}

impl Upstreams {
    /// Takes what the operator wrote: `URL` for all formats, `WIRE=URL` for one. The address of every other format is that of
    /// the agent that sends it, else that of its vendor; `variable` tells the ones that the environment names instead.
    pub fn new(
        written: &[String],
        started: Option<&'static Agent>,
        variable: impl Fn(&str) -> Option<String>,
        authorities: &Authorities,
    ) -> Result<Self, Error> {
        let (mut named, mut one) = (Vec::new(), None);
        for text in written {
            let (wire, url) = parts(text)?;
            let upstream = Arc::new(Upstream::new(url, authorities)?);
            upstream.open()?;
            let is_twice = match wire {
                Some(wire) => {
                    let is_twice = named.iter().any(|(known, _)| *known == wire);
                    named.push((wire, upstream));
                    is_twice
                }
                None => one.replace(upstream).is_some(),
            };
            if is_twice {
                return Err(Error::TwoUpstreams(
                    wire.map_or("all formats", |wire| wire.name()),
                ));
            }
        }
        let others = match one {
            Some(one) => Others::One(one),
            None => Others::Own {
                started: started.map(|agent| agent.program),
                agents: AGENTS
                    .iter()
                    .map(|agent| (agent, of_agent(agent, &variable, authorities)))
                    .collect(),
                vendors: Wire::all()
                    .map(|wire| (wire, of_vendor(wire, &variable, authorities)))
                    .collect(),
            },
        };
        let upstreams = Self { named, others };
        if let Some(wire) = started.and_then(Agent::wire) {
            let own = upstreams.of(wire, started);
            own.map_err(|why| Error::Variable(why.to_string()))?.open()?;
        }
        Ok(upstreams)
    }

    /// Returns the server of a request in this format; none by its path if it is no request for a reply and has no history.
    /// Then a header or its agent tells the format.
    pub fn of_request(&self, wire: Option<Wire>, headers: &HeaderMap) -> Result<&Arc<Upstream>, NoUpstream> {
        let agent = agents::of_request(headers);
        if let (Others::One(one), true) = (&self.others, self.named.is_empty()) {
            return Ok(one);
        }
        let by_header = || {
            let mut names = HEADERS_OF.iter();
            let (_, name) = names.find(|(header, _)| headers.contains_key(*header))?;
            Wire::named(name)
        };
        // An agent with several formats may have sent the log-in of any.
        let by_agent = || agent.filter(|agent| agent.wires.len() == 1)?.wire();
        let wire = wire.or_else(by_header).or_else(by_agent);
        self.of(wire.ok_or(NoUpstream::Unclear)?, agent)
    }

    fn of(&self, wire: Wire, agent: Option<&'static Agent>) -> Result<&Arc<Upstream>, NoUpstream> {
        if let Some((_, own)) = self.named.iter().find(|(named, _)| *named == wire) {
            return Ok(own);
        }
        let (started, agents, vendors) = match &self.others {
            Others::One(one) => return Ok(one),
            Others::Own {
                started,
                agents,
                vendors,
            } => (started, agents, vendors),
        };
        // What is not known may belong to the agent that was started.
        let program = agent.map(|agent| agent.program).or(*started);
        let is_its = |agent: &Agent| Some(agent.program) == program && agent.wire() == Some(wire);
        let of_agent = agents.iter().find(|(agent, _)| is_its(agent));
        let of_vendor = || {
            vendors
                .iter()
                .find(|(of, _)| *of == wire)
                .map(|(_, address)| address)
        };
        let address = of_agent.map(|(_, address)| address).or_else(of_vendor);
        match address {
            Some(Ok(upstream)) => Ok(upstream),
            Some(Err(why)) => Err(NoUpstream::Unusable(why.clone())),
            None => Err(NoUpstream::Unclear),
        }
    }

    /// Returns the addresses for people, each with the format or the agent that goes there; one alone where all do.
    pub fn shown(&self) -> Vec<String> {
        let named = |wire: &Wire, upstream: &Upstream| format!("{wire}: {}", upstream.shown());
        let is_named = |wire: Wire| self.named.iter().any(|(named, _)| *named == wire);
        let mut lines: Vec<String> = self.named.iter().map(|(wire, one)| named(wire, one)).collect();
        match &self.others {
            Others::One(one) if lines.is_empty() => lines.push(one.shown()),
            Others::One(one) => lines.push(format!("all other formats: {}", one.shown())),
            Others::Own { agents, vendors, .. } => {
                let vendors = vendors.iter().filter(|(wire, _)| !is_named(*wire));
                lines.extend(vendors.filter_map(|(wire, _)| Some(named(wire, self.of(*wire, None).ok()?))));
                let elsewhere = agents.iter().filter_map(|(agent, address)| {
                    let wire = agent.wire().filter(|wire| !is_named(*wire))?;
                    let (own, address) = (address.as_ref().ok()?, self.of(wire, None).ok()?);
                    (!own.is_same_server(address)).then(|| format!("{}: {}", agent.program, own.shown()))
                });
                lines.extend(elsewhere);
            }
        }
        lines
    }
}

/// Divides what the operator wrote into the format, if it names one, and the address. An address may have `=` in it.
fn parts(text: &str) -> Result<(Option<Wire>, &str), Error> {
    let is_word = |name: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !name.is_empty() && name.chars().all(is_plain)
    };
    let Some((name, url)) = text.split_once('=').filter(|(name, _)| is_word(name)) else {
        return Ok((None, text));
    };
    let unknown = || Error::UpstreamWire {
        name: visible(name),
        known: Wire::names(),
    };
    Ok((Some(Wire::named(name).ok_or_else(unknown)?), url))
}

/// The server of an agent: its variable may name another than its vendor's.
fn of_agent(agent: &Agent, variable: &dyn Fn(&str) -> Option<String>, authorities: &Authorities) -> Address {
    match agent
        .upstream_variable
        .and_then(|name| Some((name, variable(name)?)))
    {
        Some((name, url)) => of_variable(name, &url, authorities),
        None => of_table(agent.upstream, agent.other_log_in, authorities),
    }
}

/// The server of a format's vendor, or the one that a variable names instead.
fn of_vendor(wire: Wire, variable: &dyn Fn(&str) -> Option<String>, authorities: &Authorities) -> Address {
    let mut names = wire.key_env().iter().map(|key| key.base_url);
    if let Some((name, url)) = names.find_map(|name| Some((name, variable(name)?))) {
        return of_variable(name, &url, authorities);
    }
    let mut agents = AGENTS.iter().filter(|agent| agent.wire() == Some(wire));
    let other_log_in = agents.find_map(|agent| agent.other_log_in);
    of_table(wire.default_base(), other_log_in, authorities)
}

fn of_variable(name: &str, url: &str, authorities: &Authorities) -> Address {
    let upstream = Upstream::new(url, authorities).map(Arc::new);
    upstream.map_err(|error| format!("the variable {name} has no address of a model: {error}"))
}

fn of_table(url: &str, other_log_in: Option<(&'static str, &str)>, authorities: &Authorities) -> Address {
    let upstream = Upstream::new(url, authorities).and_then(|upstream| match other_log_in {
        Some((header, url)) => upstream.with_other(header, url, authorities),
        None => Ok(upstream),
    });
    upstream.map(Arc::new).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
