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

export function sealedCookie<Content extends JWTPayload>(options: Options): SealedCookie<Content> {
  const { key, lifetimeSeconds, secure } = options;
  // Browsers accept this prefix only from the host itself, over https and with path / (RFC 6265bis §4.1.3.2).
  const name = secure ? `__Host-${options.name}` : options.name;
  const path = secure ? "/" : "/account";

  function serialize(value: string, maxAge: number): string {
    return new Bun.Cookie({
      name,
      value,
      maxAge,
      path,
      httpOnly: true,
      sameSite: "lax",
      secure,
    }).serialize();
  }

  return {
    async seal(content) {
      const value = await new EncryptJWT(content)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .encrypt(key);
      return serialize(value, lifetimeSeconds);
    },
    async open(request) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(name);
      if (!value) return undefined;
      try {
        const { payload } = await jwtDecrypt<Content>(value, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
    clear: () => serialize("", 0),
  };
}
