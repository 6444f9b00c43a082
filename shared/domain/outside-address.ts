import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The metadata service of Azure has a public address. */
const azure = "168.63.129.16";
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * A user's webhook may reach only public unicast addresses. The special-purpose ranges of IANA (RFC 6890) are refused,
 * and so are IPv6 ranges that map or tunnel IPv4 and could hide a private address.
 * @param allowLoopback for receivers on the service's own machine
 */
export function isAllowedAddress(text: string, allowLoopback: boolean): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range === "loopback") return allowLoopback;
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return false;
  return range === "unicast" && text !== azure;
}

/** True if a URL's host may be public, judged without a DNS look-up: names pass. */
function mayBePublic(hostname: string, allowLoopback: boolean): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, "");
  if (isIP(host) !== 0) return isAllowedAddress(host, allowLoopback);
  return allowLoopback || !/^(.*\.)?localhost$/i.test(host);
}

/**
 * Reads an address that somebody outside named: an app, a person or a provider. All parts of the service know it in this
 * normal form (https://url.spec.whatwg.org) alone.
 */
export const readAddress = (text: string): URL | undefined =>
  (/\p{Cc}/u.test(text) ? null : URL.parse(text)) ?? undefined;

export const isWeb = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "http:";

/** True for https, and for http to this machine. */
export const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname));

/** Reads the address of a server to which the service sends something; undefined if it may send nothing there. */
export function readReceiver(text: string, allowLoopback: boolean): URL | undefined {
  const url = readAddress(text);
  const isBare = url?.username === "" && url.password === "";
  return isBare && isSafe(url) && mayBePublic(url.hostname, allowLoopback) ? url : undefined;
}

/** True if a provider that was asked at one address may call itself by the other: a last slash makes no difference. */
export function isSameAddress(named: string, asked: string): boolean {
  const [one, other] = [named, asked].map((text) => readAddress(text)?.href.replace(/\/$/, ""));
  return one !== undefined && one === other;
}
