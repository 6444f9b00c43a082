import { expect, test } from "bun:test";
import type { LookupAddress } from "node:dns";
import { isAllowedAddress } from "../../../shared/domain/outside-address.ts";
import { guardedLookup } from "../../../shared/process/guarded-lookup.ts";
import { wordsIn } from "../../support/text-table.ts";

/** @returns the address or error that a connection gets when the name resolves to these addresses */
function connectTo(addresses: string[], allowLoopback = false): Promise<string | LookupAddress[]> {
  const dns = (_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  const lookup = guardedLookup(allowLoopback, dns as never);
  return new Promise((resolve) =>
    lookup("hooks.example.com", { all: true }, (error, found) => resolve(error ? error.message : found)),
  );
}

const refusal = "The address leads to no public server.";

test("a name with public addresses is connected to at those addresses", async () => {
  expect(await connectTo(["93.184.215.14", "2a00:1450:4001::8b"])).toEqual([
    { address: "93.184.215.14", family: 4 },
    { address: "2a00:1450:4001::8b", family: 6 },
  ]);
});

test("a name with one private address among its addresses is refused", async () => {
  expect(await connectTo(["93.184.215.14", "10.0.0.1"])).toBe(refusal);
  expect(await connectTo(["::ffff:169.254.169.254"])).toBe(refusal);
  expect(await connectTo([])).toBe(refusal);
});

test("loopback is allowed where a setting says so, and only loopback", async () => {
  expect(await connectTo(["127.0.0.1"])).toBe(refusal);
  expect(await connectTo(["127.0.0.1"], true)).toEqual([{ address: "127.0.0.1", family: 4 }]);
  expect(await connectTo(["127.0.0.1", "192.168.0.1"], true)).toBe(refusal);
});

test("the borders of the private networks are where the registries draw them", () => {
  const allowed = wordsIn(`
  9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0`);
  const refused = wordsIn(`
  10.255.255.255 100.64.0.0 100.127.255.255 172.16.0.0 172.31.255.255 fe80::1%1`);
  expect(allowed.filter((address) => !isAllowedAddress(address, false))).toEqual([]);
  expect(refused.filter((address) => isAllowedAddress(address, false))).toEqual([]);
  expect(["2000::", "2003::1", "3ffe::1"].filter((address) => !isAllowedAddress(address, false))).toEqual([]);
  expect(
    ["1fff::1", "4000::1", "not an address"].filter((address) => isAllowedAddress(address, false)),
  ).toEqual([]);
});
