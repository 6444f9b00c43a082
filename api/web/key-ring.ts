import { randomBytes } from "node:crypto";

/** 256 bits, as they stand in an address: nobody can guess one. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** The keys of one purpose: the first makes what is new, and what any of them has made is accepted. */
export type KeyRing<Key> = readonly [Key, ...Key[]];

/** Makes another key of each. */
export function mapKeys<From, To>([first, ...others]: KeyRing<From>, make: (key: From) => To): KeyRing<To> {
  return [make(first), ...others.map(make)];
}
