import { randomBytes } from "node:crypto";

/** 256 random bits in a form for addresses: nobody can guess them. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** The keys of one purpose. The first makes new values; values of all are accepted. */
export type KeyRing<Key> = readonly [Key, ...Key[]];

/** Derives a key for another purpose from each. */
export function mapKeys<From, To>([first, ...others]: KeyRing<From>, make: (key: From) => To): KeyRing<To> {
  return [make(first), ...others.map(make)];
}
