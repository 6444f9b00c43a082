import { randomBytes } from "node:crypto";
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from "jose";

/** 256 random bits in a form for addresses: nobody can guess them. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** The keys of one purpose. The first makes new values; values of all are accepted. */
export type KeyRing<Key> = readonly [Key, ...Key[]];

/** Derives a key for another purpose from each. */
export function mapKeys<From, To>([first, ...others]: KeyRing<From>, make: (key: From) => To): KeyRing<To> {
  return [make(first), ...others.map(make)];
}

/** Encrypts the content of a cookie (RFC 7519 over RFC 7516): nobody else can read, change or extend it. */
export function seal(
  content: JWTPayload,
  [key]: KeyRing<Uint8Array>,
  lifetimeSeconds: number,
): Promise<string> {
  return new EncryptJWT(content)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .encrypt(key);
}

const algorithms = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };

/** @returns undefined when none of these keys made the value, or it has expired */
export async function unseal<Content>(
  value: string,
  keys: KeyRing<Uint8Array>,
): Promise<Content | undefined> {
  for (const key of keys)
    try {
      return (await jwtDecrypt<Content>(value, key, algorithms)).payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  return undefined;
}
