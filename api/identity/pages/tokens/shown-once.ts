import { hkdfSync } from "node:crypto";
import { type KeyRing, mapKeys, seal, unseal } from "../../../web/key-ring.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { NewToken } from "../../grants/personal-token.ts";
import { cookieNames } from "../cookies.ts";
import { tokensPath } from "../site.ts";
import type { SignedIn } from "../visitor.ts";

/** Two minutes, longer than any redirect takes. */
const lifetimeSeconds = 120;
const options = { signed: true, httpOnly: true, sameSite: "lax", overwrite: true, path: tokensPath } as const;

/**
 * A new token on its way to the list. It is for this session only, in case its cookie stays for the next person at the
 * same browser.
 */
type Handed = Readonly<{ holder: string; id: string; token: string }>;

/** Redirects to the list, which shows the new token once: a reload makes no second token. */
export async function showOnce(visitor: SignedIn, { id, token }: NewToken): Promise<Response> {
  const handed: Handed = { holder: visitor.holder, id, token };
  const value = await seal(handed, keysOf(visitor), lifetimeSeconds);
  visitor.ctx.cookies.set(nameOf(visitor), value, { ...options, maxAge: lifetimeSeconds * 1_000 });
  return seeOther(tokensPath);
}

/** @returns the token that was just made, at the first call only */
export async function takeShownOnce(visitor: SignedIn): Promise<NewToken | undefined> {
  const value = visitor.ctx.cookies.get(nameOf(visitor), options);
  if (!value) return undefined;
  visitor.ctx.cookies.set(nameOf(visitor), null, options);
  const handed = await unseal<Handed>(value, keysOf(visitor));
  return handed?.holder === visitor.holder ? handed : undefined;
}

const nameOf = ({ identity }: SignedIn): string => cookieNames(identity.config).newToken;

const keysOf = ({ identity }: SignedIn): KeyRing<Uint8Array> =>
  mapKeys(
    identity.keys.forms,
    (key) => new Uint8Array(hkdfSync("sha256", key, "kept identity pages", "new token", 32)),
  );
