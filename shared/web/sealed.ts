import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from "jose";

/** Encrypts what a cookie holds (RFC 7519 over RFC 7516): nobody else can read, change or extend it. */
export function seal(content: JWTPayload, key: Uint8Array, lifetimeSeconds: number): Promise<string> {
  return new EncryptJWT(content)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .encrypt(key);
}

const algorithms = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };

/** @returns undefined when the value was not made with this key, or has expired */
export async function unseal<Content>(value: string, key: Uint8Array): Promise<Content | undefined> {
  try {
    return (await jwtDecrypt<Content>(value, key, algorithms)).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
