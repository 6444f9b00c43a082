import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from "jose";

/** A cookie whose value is an encrypted JWT (RFC 7519 over RFC 7516): nobody else can read, change or extend it. */
export type SealedCookie<Content extends JWTPayload> = Readonly<{
  /** The Set-Cookie header that stores the content for its lifetime. */
  seal(content: Content): Promise<string>;
  /** @returns the content; undefined when the request has no cookie that we made and that is still valid */
  open(request: Pick<Request, "headers">): Promise<Content | undefined>;
  /** The Set-Cookie header that removes it. */
  clear(): string;
}>;

type Options = Readonly<{ name: string; key: Uint8Array; lifetimeSeconds: number; secure: boolean }>;

/** Makes a cookie of the account pages: for the whole host with https, else for their path only. */
export function sealedCookie<Content extends JWTPayload>(options: Options): SealedCookie<Content> {
  const { key, lifetimeSeconds, secure } = options;
  // Browsers accept this prefix only from the host itself, over https and with path / (RFC 6265bis §4.1.3.2).
  const name = secure ? `__Host-${options.name}` : options.name;
  const path = secure ? "/" : "/account";
  const serialize = (value: string, maxAge: number): string =>
    new Bun.Cookie({ name, value, maxAge, path, httpOnly: true, sameSite: "lax", secure }).serialize();

  return {
    seal: async (content) => serialize(await encrypt(content, key, lifetimeSeconds), lifetimeSeconds),
    async open(request) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(name);
      return value ? decrypt<Content>(value, key) : undefined;
    },
    clear: () => serialize("", 0),
  };
}

function encrypt(content: JWTPayload, key: Uint8Array, lifetimeSeconds: number): Promise<string> {
  return new EncryptJWT(content)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .encrypt(key);
}

const algorithms = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };

/** @returns undefined when the value was not made with this key, or has expired */
async function decrypt<Content>(value: string, key: Uint8Array): Promise<Content | undefined> {
  try {
    return (await jwtDecrypt<Content>(value, key, algorithms)).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
