import { BlockList, isIP } from "node:net";

/**
 * A user's webhook may reach only public unicast addresses. The special-purpose ranges of IANA (RFC 6890) are refused,
 * and so are IPv6 ranges that map or tunnel IPv4 and could hide a private address.
 */
const privateNetworks: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // The metadata service of Azure has a public address.
  ["168.63.129.16", 32],
];
/** All of IPv6 except global unicast (2000::/3), and the parts of it reserved for documentation or 6to4. */
const privateNetworks6: readonly [string, number][] = [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

// One list would also compare mapped IPv4 addresses with the IPv6 networks, so there are two.
const refused = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of privateNetworks) refused.ipv4.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of privateNetworks6) refused.ipv6.addSubnet(network, prefix, "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** @param allowLoopback for receivers on the service's own machine */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0) return false;
  if (allowLoopback && loopback.check(address, family)) return true;
  return !refused[family].check(address, family);
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
