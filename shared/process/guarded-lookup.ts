import { lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
import { isAllowedAddress } from "../domain/outside-address.ts";

const unreachable = "The address leads to no public server.";

/**
 * Resolves names for outgoing connections. It checks every address of a name and connects to a checked one, so that the
 * name cannot change its address in between (DNS rebinding).
 */
export function guardedLookup(allowLoopback: boolean, dns: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    dns(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(new Error(unreachable), "");
      const allowed = addresses.every(({ address }) => isAllowedAddress(address, allowLoopback));
      const [first] = addresses;
      if (!allowed || !first) return callback(new Error(unreachable), "");
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
