import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from "jose";
import type { KeyRing } from "./key-ring.ts";

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
