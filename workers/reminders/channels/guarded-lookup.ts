import { lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
import { isAllowedAddress } from "../../../shared/domain/public-address.ts";

/** One text for all that cannot be reached: another one would tell which names exist in the service's own network. */
export const refusal = "The webhook's address leads to no public server.";

/**
 * A look-up for connecting: every address of the name is checked, and the connection goes to what was checked,
 * so that a name cannot change its address in between (DNS rebinding).
 */
export function guardedLookup(allowLoopback: boolean, dns: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    dns(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(new Error(refusal), "");
      const allowed = addresses.every(({ address }) => isAllowedAddress(address, allowLoopback));
      const [first] = addresses;
      if (!allowed || !first) return callback(new Error(refusal), "");
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
