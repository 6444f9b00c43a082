import type { JWTPayload } from "jose";
import type { KeyRing } from "../../../web/key-ring.ts";
import { seal, unseal } from "../../../web/sealed.ts";

/** A cookie that nobody else can read, change or extend. */
export type SealedCookie<Content extends JWTPayload> = Readonly<{
  /** The Set-Cookie header that stores the content for its lifetime. */
  seal(content: Content): Promise<string>;
  /** @returns the content; undefined without a valid cookie */
  open(request: Pick<Request, "headers">): Promise<Content | undefined>;
  /** The Set-Cookie header that removes it. */
  clear(): string;
}>;

type Options = Readonly<{
  name: string;
  key: KeyRing<Uint8Array>;
  lifetimeSeconds: number;
  secure: boolean;
}>;

/** Makes a cookie of the account pages: for the whole host with https, else for their path only. */
export function sealedCookie<Content extends JWTPayload>(options: Options): SealedCookie<Content> {
  const { key, lifetimeSeconds, secure } = options;
  // Browsers accept this prefix only from the host itself, over https and with path / (RFC 6265bis §4.1.3.2).
  const name = secure ? `__Host-${options.name}` : options.name;
  const path = secure ? "/" : "/account";
  const serialize = (value: string, maxAge: number): string =>
    new Bun.Cookie({ name, value, maxAge, path, httpOnly: true, sameSite: "lax", secure }).serialize();

  return {
    seal: async (content) => serialize(await seal(content, key, lifetimeSeconds), lifetimeSeconds),
    async open(request) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(name);
      return value ? unseal<Content>(value, key) : undefined;
    },
    clear: () => serialize("", 0),
  };
}
