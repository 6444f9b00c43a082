import { randomBytes } from "node:crypto";

/** 256 random bits, safe for an address: nobody can guess them. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** The keys of one purpose: the first makes new values, and values of all are accepted. */
export type KeyRing<Key> = readonly [Key, ...Key[]];

/** Derives another key from each. */
export function mapKeys<From, To>([first, ...others]: KeyRing<From>, make: (key: From) => To): KeyRing<To> {
  return [make(first), ...others.map(make)];
}
