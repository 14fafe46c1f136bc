//! A server whose certificate is signed by an authority that only the tests know (`tls/`).
//!
//! Must not know: what is tested.
//!
//! The key of the authority is deleted; the certificates last until 2120.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The authority, in PEM.
pub const AUTHORITY: &str = include_str!("tls/authority.pem");

/// A server for one connection, with TLS: its port, and the request that came, or why none did. It answers once the request
/// ends so.
pub fn server(
    at: &str,
    end: &'static str,
    answer: &'static str,
) -> (u16, JoinHandle<Result<String, String>>) {
    let chain = CertificateDer::pem_slice_iter(include_bytes!("tls/server.pem"));
    let chain: Vec<_> = chain.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let listener = TcpListener::bind((at, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let talk = ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = StreamOwned::new(talk, socket);
        let mut request = String::new();
        let mut buffer = [0; 4096];
        while !request.ends_with(end) {
            match stream.read(&mut buffer) {
                Ok(0) => return Err("the connection was closed".to_owned()),
                Ok(count) => request.push_str(&String::from_utf8_lossy(buffer.get(..count).unwrap())),
                Err(error) => return Err(error.to_string()),
            }
        }
        stream.write_all(answer.as_bytes()).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        Ok(request)
    });
    (port, served)
}
