import type { Pool } from "pg";
import { type KeyRing, mapKeys } from "../../web/key-ring.ts";
import { hashToken } from "../accounts/confirmation.ts";
import type { IdentityContext } from "../accounts/context.ts";

const lifetimeMinutes = 10;
const lifetimeMs = lifetimeMinutes * 60_000;

/** The only party that may answer a challenge: the holder of a page's forms, for one purpose. */
type Answerer = Readonly<{ holder: string; purpose: "create" | "get" }>;

type Keys = Pick<IdentityContext["keys"], "forms">;

const secretsFor = ({ forms }: Keys, { holder, purpose }: Answerer): KeyRing<string> =>
  mapKeys(forms, (key) => `${key}.passkey.${purpose}.${holder}`);

/** A random challenge that is signed instead of stored, so that strangers who open the sign-in page store nothing. */
export function newChallenge(keys: Keys, answerer: Answerer): Uint8Array<ArrayBuffer> {
  const [secret] = secretsFor(keys, answerer);
  const token = Bun.CSRF.generate(secret, { expiresIn: lifetimeMs, encoding: "base64url" });
  return Uint8Array.fromBase64(token, { alphabet: "base64url" });
}

/** Checks that a challenge is the answerer's own, and uses it up afterwards. */
export function checkChallenge(keys: Keys, answerer: Answerer) {
  let answered = "";
  return {
    isOwn(challenge: string): boolean {
      answered = challenge;
      return isOwnChallenge(keys, answerer, challenge);
    },
    use: (pool: Pool): Promise<boolean> => useChallenge(pool, answered),
  };
}

/** True if a challenge (base64url, as the browser answers it) was made for this answerer less than ten minutes ago. */
function isOwnChallenge(keys: Keys, answerer: Answerer, challenge: string): boolean {
  const options = { maxAge: lifetimeMs, encoding: "base64url" } as const;
  const isMadeWith = (secret: string) => Bun.CSRF.verify(challenge, { ...options, secret });
  return challenge !== "" && secretsFor(keys, answerer).some(isMadeWith);
}

/** Uses a challenge up, after its answer was found right. @returns false when it was used before */
async function useChallenge(pool: Pool, challenge: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into identity.artifacts (kind, id_hash, payload, expires_at)
     values ('UsedChallenge', $1, '{}', now() + interval '${lifetimeMinutes} minutes')
     on conflict do nothing`,
    [hashToken(challenge)],
  );
  return rowCount === 1;
}
