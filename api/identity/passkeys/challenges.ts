import type { Pool } from "pg";
import { hashToken } from "../accounts/confirmation.ts";
import type { IdentityContext } from "../accounts/context.ts";

const lifetimeMinutes = 10;
const lifetimeMs = lifetimeMinutes * 60_000;

/** Who may answer a challenge: the holder of a page's forms, for one purpose. */
type Answerer = Readonly<{ holder: string; purpose: "create" | "get" }>;

type Keys = Pick<IdentityContext["keys"], "forms">;

const secretOf = ({ forms }: Keys, { holder, purpose }: Answerer): string =>
  `${forms}.passkey.${purpose}.${holder}`;

/** A random challenge that is signed instead of stored, so that strangers who open the sign-in page store nothing. */
export function newChallenge(keys: Keys, answerer: Answerer): Uint8Array<ArrayBuffer> {
  const token = Bun.CSRF.generate(secretOf(keys, answerer), { expiresIn: lifetimeMs, encoding: "base64url" });
  return Uint8Array.fromBase64(token, { alphabet: "base64url" });
}

/** Whether a challenge, in base64url as the browser answers it, was made for this answerer less than ten minutes ago. */
export function isOwnChallenge(keys: Keys, answerer: Answerer, challenge: string): boolean {
  const options = { secret: secretOf(keys, answerer), maxAge: lifetimeMs, encoding: "base64url" } as const;
  return challenge !== "" && Bun.CSRF.verify(challenge, options);
}

/** Uses a challenge up, after its answer was found right. @returns false when it was used before */
export async function useChallenge(pool: Pool, challenge: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into identity.artifacts (kind, id_hash, payload, expires_at)
     values ('UsedChallenge', $1, '{}', now() + interval '${lifetimeMinutes} minutes')
     on conflict do nothing`,
    [hashToken(challenge)],
  );
  return rowCount === 1;
}
