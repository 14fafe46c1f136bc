//! Decides which addresses are on the public network.
//!
//! Must not know: names of hosts, what the operator allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public, with the length of their prefixes.
const RESERVED_V4: &[(Ipv4Addr, u32)] = &[
    // This network.
    (Ipv4Addr::UNSPECIFIED, 8),
    // Private.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Shared by the customers of a provider.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, with the metadata of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Metadata of one cloud, on a public address.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // Protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Relays of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The IPv6 network of public addresses.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// Networks within the public one that are not public.
const RESERVED_V6: &[(Ipv6Addr, u32)] = &[
    // Protocol assignments: Teredo, benchmarking and others.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
];
/// Holds an IPv4 address in its last 32 bits.
const MAPPED: (Ipv6Addr, u32) = (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);
/// Holds an IPv4 address in its last 32 bits: NAT64.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
/// Holds an IPv4 address after its prefix: 6to4.
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);

/// Returns true for an address of the public network. Those that hold an IPv4 address are judged by that one.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match inner(address) {
            Some(inner) => is_public_v4(inner),
            None => {
                within_v6(address, GLOBAL_V6)
                    && !RESERVED_V6.iter().any(|network| within_v6(address, *network))
            }
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !RESERVED_V4.iter().any(|(network, length)| {
        let mask = u32::MAX << (32 - length);
        address.to_bits() & mask == network.to_bits()
    })
}

fn within_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    let mask = u128::MAX << (128 - length);
    address.to_bits() & mask == network.to_bits()
}

/// Returns the IPv4 address that an IPv6 address holds.
fn inner(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    if within_v6(address, MAPPED) || within_v6(address, NAT64) {
        return Some(Ipv4Addr::from_bits(bits as u32));
    }
    within_v6(address, SIX_TO_FOUR).then(|| Ipv4Addr::from_bits((bits >> 80) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            // Some tunnels and name servers give every host an address of documentation or of tests.
            "192.0.2.1",
            "198.18.0.1",
            "203.0.113.7",
            "2606:4700::1111",
            "2a00:1450:4001:800::200e",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.88.99.1",
            "192.168.1.1",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::1",
            "2002:a00:1::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(address), "{address}");
        }
    }
}
