import { type BlockList, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** A person with one IPv6 address has its whole /64 (RFC 6177 §2), so all addresses of a /64 count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address) || address.includes(".")) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

/** True if this peer's X-Forwarded-For counts. Others could claim a new network for each request. */
function isTrustedProxy(proxies: BlockList, peer: string): boolean {
  const address = plainAddress(peer);
  return proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The network of a client; the last proxy has added its address to X-Forwarded-For. */
export function clientNetwork(proxies: BlockList, headers: Headers, peer: string): string {
  const forwarded = headers.get("x-forwarded-for");
  const isForwarded = forwarded !== null && isTrustedProxy(proxies, peer);
  return networkOf(isForwarded ? (forwarded.split(",").at(-1)?.trim() ?? "") : plainAddress(peer));
}

/** A socket for both families shows IPv4 addresses in an IPv6 form. */
const plainAddress = (peer: string): string => peer.replace(/^::ffff:/, "");
