//! Connects to a host that is allowed, by an address that was checked.
//!
//! Must not know: requests, who asked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::is_public;
use overrule_domain::sandbox::{Hosts, Target};

/// Maximum number of addresses of a name that are tried.
const MAX_ADDRESSES: usize = 8;

/// The addresses of a name, once they are known.
pub(super) type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// Finds the addresses of a name.
pub(super) type Resolve = Arc<dyn Fn(String) -> Addresses + Send + Sync>;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum DialError {
    /// The host is not on the list.
    #[error("not on the list")]
    NotListed,
    /// The name is on the list, its addresses are not, and none is public.
    #[error("resolves to a private address; list the address itself")]
    Private,
    /// The name has no address.
    #[error("its address was not found: {0}")]
    Resolve(io::Error),
    /// No address took the connection.
    #[error("it took no connection: {0}")]
    Connect(io::Error),
    /// The time is over.
    #[error("it took no connection in time")]
    Late,
}

/// Finds names as this machine does.
pub(super) fn system() -> Resolve {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// Connects to this host and port, as a child wrote them. A name is resolved once, and only if it is allowed.
pub(super) async fn dial(
    hosts: &Hosts,
    resolve: &Resolve,
    (host, port): (&str, u16),
    limit: Duration,
) -> Result<TcpStream, DialError> {
    let target = hosts.target(host, port).ok_or(DialError::NotListed)?;
    let connected = timeout(limit, async {
        let addresses = checked(hosts, resolve, target, port).await?;
        connect(&addresses, limit).await
    });
    connected.await.unwrap_or(Err(DialError::Late))
}

/// Returns the addresses that may be connected to, at least one.
async fn checked(
    hosts: &Hosts,
    resolve: &Resolve,
    target: Target,
    port: u16,
) -> Result<Vec<SocketAddr>, DialError> {
    let name = match target {
        Target::Address(address) => return Ok(vec![SocketAddr::new(address, port)]),
        Target::Name(name) => name,
    };
    let found = resolve(name).await.map_err(DialError::Resolve)?;
    if found.is_empty() {
        return Err(DialError::Resolve(io::ErrorKind::NotFound.into()));
    }
    let all = found.into_iter().map(|address| SocketAddr::new(address, port));
    let allowed = all.filter(|address| is_public(address.ip()) || hosts.lists(*address));
    let allowed: Vec<_> = allowed.take(MAX_ADDRESSES).collect();
    if allowed.is_empty() {
        return Err(DialError::Private);
    }
    Ok(allowed)
}

/// Tries the addresses in turn. Each has an equal part of the time.
async fn connect(addresses: &[SocketAddr], limit: Duration) -> Result<TcpStream, DialError> {
    let part = limit / addresses.len().max(1) as u32;
    let mut last = DialError::Late;
    for address in addresses {
        match timeout(part, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = DialError::Connect(error),
            Err(_) => last = DialError::Late,
        }
    }
    Err(last)
}
