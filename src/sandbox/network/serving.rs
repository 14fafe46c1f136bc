//! Accepts the connections of a child, and ends them with the child.
//!
//! Must not know: what is asked for on a connection.

use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use super::dial::{self, Resolve};
use super::proxy::{Limits, Proxy};
use overrule_domain::sandbox::Hosts;

/// Maximum number of refused hosts that are remembered.
const MAX_REFUSED: usize = 64;
/// How long to wait after a connection could not be accepted, for instance for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// The proxy of one child. Dropping it ends all its connections.
#[derive(Debug)]
pub struct Serving {
    accepting: JoinHandle<()>,
    refusals: Arc<Refusals>,
}

/// Hosts that were refused.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Vec<String>>);

impl Refusals {
    /// Adds a host with its port, safe to show.
    pub(super) fn add(&self, place: &str) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() < MAX_REFUSED && !places.iter().any(|one| one == place) {
            places.push(place.to_owned());
        }
    }

    fn list(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The hosts that were refused to a child that lives longer than one call. It can be read after the child has ended.
#[derive(Debug, Clone)]
pub struct RefusedHosts(Arc<Refusals>);

impl RefusedHosts {
    /// Returns what was refused since it was taken last, each `host:port` once. [`Serving::refused`] no longer has it.
    pub fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

/// Serves the connections of a listening socket: those to `hosts` are made, all others are refused.
///
/// At most 64 connections are served together; more wait. Fails outside of an asynchronous runtime, and if the socket
/// cannot be used.
pub fn serve(listener: TcpListener, hosts: Hosts) -> io::Result<Serving> {
    serve_with(listener, hosts, dial::system(), Limits::default())
}

pub(super) fn serve_with(
    listener: TcpListener,
    hosts: Hosts,
    resolve: Resolve,
    limits: Limits,
) -> io::Result<Serving> {
    let runtime = tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let refusals = Arc::new(Refusals::default());
    let proxy = Arc::new(Proxy {
        hosts,
        resolve,
        limits,
        refusals: Arc::clone(&refusals),
    });
    let accepting = runtime.spawn(accept(listener, proxy));
    Ok(Serving { accepting, refusals })
}

/// Accepts for ever. The connections end with this task.
async fn accept(listener: tokio::net::TcpListener, proxy: Arc<Proxy>) {
    let places = Arc::new(Semaphore::new(proxy.limits.connections));
    let mut connections = JoinSet::new();
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let proxy = Arc::clone(&proxy);
                connections.spawn(async move {
                    proxy.serve(stream).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection of a confined child was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

impl Serving {
    /// Returns what was refused, each `host:port` once, in order of first appearance. At most 64 are remembered.
    pub fn refused(&self) -> Vec<String> {
        self.refusals.list()
    }

    /// Returns what is refused from now on, and was not taken yet.
    pub fn refused_hosts(&self) -> RefusedHosts {
        RefusedHosts(Arc::clone(&self.refusals))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
