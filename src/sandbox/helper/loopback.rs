//! Starts the loopback device of a new network namespace.
//!
//! Must not know: who uses it.

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};

use super::Failed;

/// `RTM_NEWLINK`, from `linux/rtnetlink.h`.
const NEW_LINK: u16 = 16;
/// `NLM_F_REQUEST | NLM_F_ACK`, from `linux/netlink.h`.
const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
/// `IFF_UP`, from `linux/if.h`.
const UP: u32 = 1;
/// The loopback device is the first one of a namespace.
const LOOPBACK: i32 = 1;

/// Starts it, by one message of the route protocol.
pub(super) fn up() -> Result<(), Failed> {
    let failed = || Failed::at("loopback");
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // The protocol for routes and devices is number 0.
        None,
    )
    .map_err(failed())?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &message(), SendFlags::empty(), &kernel).map_err(failed())?;
    let mut reply = [0; 1024];
    let (_, length) = recv(&socket, &mut reply, RecvFlags::empty()).map_err(failed())?;
    // The header of the reply has 16 bytes; its code follows, 0 or a negative error number.
    let code = reply.get(..length).and_then(|reply| reply.get(16..20));
    let code = code
        .and_then(|bytes| bytes.try_into().ok())
        .map(i32::from_ne_bytes);
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(failed()(rustix::io::Errno::from_raw_os_error(
            code.saturating_neg(),
        ))),
        None => Err(Failed::because("loopback")(
            "the system did not answer".to_owned(),
        )),
    }
}

/// A `struct nlmsghdr` and a `struct ifinfomsg`.
fn message() -> Vec<u8> {
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend([0; 8]);
    // Family, padding and type are zero.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message
}
