//! Authorities whose certificates are trusted in addition to those of the system.
//!
//! Must not know: where they were set, which server is asked.

use std::fmt;
use std::sync::Arc;

use reqwest::{Certificate, ClientBuilder};

/// Certificates of authorities, in addition to those of the system.
#[derive(Clone, Default)]
pub struct Authorities(Arc<[Certificate]>);

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authorities({})", self.0.len())
    }
}

impl Authorities {
    /// Reads the certificates in a text in PEM (RFC 7468). Other parts of the text count for nothing.
    ///
    /// # Errors
    /// What is wrong with the text, for people.
    pub fn read(pem: &str) -> Result<Self, &'static str> {
        let read = Certificate::from_pem_bundle(pem.as_bytes());
        let read = read.map_err(|_| "it is no text in PEM")?;
        if read.is_empty() {
            return Err("it has no certificate in PEM");
        }
        let authorities = Self(read.into());
        // A certificate is read when a client is made.
        super::connect::install_provider();
        let client = authorities.trusted_by(reqwest::Client::builder()).build();
        client.map_err(|_| "it has a certificate that cannot be read")?;
        Ok(authorities)
    }

    /// Lets a client trust them.
    pub(super) fn trusted_by(&self, builder: ClientBuilder) -> ClientBuilder {
        builder.tls_certs_merge(self.0.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTHORITY: &str = include_str!("../../../tests/it/cli/tls/authority.pem");

    #[test]
    fn a_text_without_a_readable_certificate_is_refused() {
        let read = |text: &str| Authorities::read(text).map(|all| format!("{all:?}"));
        assert_eq!(read(AUTHORITY), Ok("Authorities(1)".to_owned()));
        let two = format!("the first\n{AUTHORITY}\nthe second\n{AUTHORITY}");
        assert_eq!(read(&two), Ok("Authorities(2)".to_owned()));
        let wrong = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (text, why) in [
            ("", "it has no certificate in PEM"),
            ("hello", "it has no certificate in PEM"),
            (wrong, "it has a certificate that cannot be read"),
            (
                &format!("{AUTHORITY}{wrong}"),
                "it has a certificate that cannot be read",
            ),
            (
                "-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n",
                "it is no text in PEM",
            ),
            ("-----BEGIN CERTIFICATE-----\nAAAA", "it is no text in PEM"),
        ] {
            assert_eq!(read(text), Err(why), "{text}");
        }
    }
}
