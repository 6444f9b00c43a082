import { isIP } from "node:net";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { Pool } from "pg";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Config } from "../../shared/process/config.ts";
import { hashToken } from "../auth/token-format.ts";
import { parseJson } from "../http/input.ts";
import { type KeyRing, mapKeys } from "../web/key-ring.ts";
import { type Account, findAccount } from "./accounts/accounts.ts";
import type { IdentityContext } from "./accounts/context.ts";
import type { CheckedAccount } from "./accounts/passwords.ts";
import { inJournal, type Journaled } from "./journal.ts";

type Dependencies = Pick<IdentityContext, "config" | "keys" | "pool">;

/** Options for the browser to make a passkey that needs no typed address; undefined if the site can have none. */
export async function creationOptions(
  { config, keys, pool }: Dependencies,
  { account, holder }: Readonly<{ account: Account; holder: string }>,
): Promise<PublicKeyCredentialCreationOptionsJSON | undefined> {
  const site = passkeySite(config);
  if (!site) return undefined;
  const known = await listPasskeys(pool, account.id);
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: "Kept",
    rpID: site.id,
    userID: new TextEncoder().encode(account.id),
    userName: account.email,
    challenge: newChallenge(keys, { holder, purpose: "create" }),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/**
 * Stores the passkey that the browser made.
 * @returns false when its answer is wrong or the account has too many
 */
export async function createPasskey(
  { config, keys, ...journaled }: Pick<Dependencies, "config" | "keys"> & Journaled,
  { account, holder, text, name }: Readonly<{ account: Account; holder: string; text: string; name: string }>,
): Promise<boolean> {
  const site = passkeySite(config);
  const response = parseJson(text);
  if (!site || !creation.Check(response)) return false;
  const { verifyRegistrationResponse, ...helpers } = await webauthn();
  if (hasCertificates(helpers, response.response.attestationObject)) return false;
  const challenge = checkChallenge(keys, { holder, purpose: "create" });
  const wanted = { response, ...demandsOf(site), expectedChallenge: challenge.isOwn };
  const checked = await verifyRegistrationResponse(wanted).catch(() => undefined);
  if (!checked?.verified || !(await challenge.use(journaled.pool))) return false;
  const { id, publicKey, counter } = checked.registrationInfo.credential;
  const passkey = { id, publicKey, counter, name, accountId: account.id, sessionUid: holder };
  return storePasskey(journaled, passkey);
}

/** Options for the browser to sign in with any passkey; undefined if the site can have none. */
export async function signInOptions(
  { config, keys }: Pick<Dependencies, "config" | "keys">,
  holder: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const site = passkeySite(config);
  if (!site) return undefined;
  const challenge = newChallenge(keys, { holder, purpose: "get" });
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({ rpID: site.id, challenge, userVerification: "required" });
}

/**
 * Finds the account whose passkey answered this holder's challenge. User verification is required, because the passkey
 * stands for the password. Each challenge works once.
 */
export async function findByPasskey(
  { config, keys, pool }: Dependencies,
  holder: string,
  text: string,
): Promise<CheckedAccount | undefined> {
  const site = passkeySite(config);
  const response = parseJson(text);
  if (!site || !assertion.Check(response)) return undefined;
  const credential = await findPasskey(pool, response.id);
  if (!credential) return undefined;
  const challenge = checkChallenge(keys, { holder, purpose: "get" });
  const { isoBase64URL, verifyAuthenticationResponse } = await webauthn();
  const wanted = { response, credential, ...demandsOf(site), expectedChallenge: challenge.isOwn };
  const checked = await verifyAuthenticationResponse(wanted).catch(() => undefined);
  if (!checked?.verified) return undefined;
  const { id, accountId, passwordHash } = credential;
  if (isoBase64URL.toUTF8String(response.response.userHandle) !== accountId) return undefined;
  if (!(await challenge.use(pool))) return undefined;
  const isNew = await notePasskeyUse(pool, id, checked.authenticationInfo.newCounter);
  const account = isNew ? await findAccount(pool, accountId) : undefined;
  return account && { ...account, passwordHash };
}

/** Every answer must come from a page of the site, and from a device that has just recognised its person. */
const demandsOf = ({ id, origin }: PasskeySite) => ({
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: true,
});

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

/** Checks that a challenge was made for this answerer less than ten minutes ago, and uses it up afterwards. */
export function checkChallenge(keys: Keys, answerer: Answerer) {
  const options = { maxAge: lifetimeMs, encoding: "base64url" } as const;
  let answered = "";
  return {
    /** @param challenge in base64url, as the browser answers it */
    isOwn(challenge: string): boolean {
      answered = challenge;
      const isMadeWith = (secret: string) => Bun.CSRF.verify(challenge, { ...options, secret });
      return challenge !== "" && secretsFor(keys, answerer).some(isMadeWith);
    },
    /** Called after the answer was found right. @returns false when the challenge was used before */
    async use(pool: Pool): Promise<boolean> {
      const { rowCount } = await pool.query(
        `insert into identity.artifacts (kind, id_hash, payload, expires_at)
         values ('UsedChallenge', $1, '{}', now() + interval '${lifetimeMinutes} minutes')
         on conflict do nothing`,
        [hashToken(answered)],
      );
      return rowCount === 1;
    },
  };
}

/** An id of 1,023 bytes at most (Web Authentication §4). */
const Id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,1364}$" });
const Data = Type.String({ pattern: "^[A-Za-z0-9_-]+$" });
const common = {
  id: Id,
  rawId: Id,
  type: Type.Literal("public-key"),
  clientExtensionResults: Type.Object({}),
};

const creation = Compile(
  Type.Object({ ...common, response: Type.Object({ clientDataJSON: Data, attestationObject: Data }) }),
);

const assertion = Compile(
  Type.Object({
    ...common,
    response: Type.Object({
      clientDataJSON: Data,
      authenticatorData: Data,
      signature: Data,
      userHandle: Data,
    }),
  }),
);

/** Kept asks for no certificates, and checking a stranger's would fetch addresses that they name. */
function hasCertificates(
  { decodeAttestationObject, isoBase64URL }: typeof import("@simplewebauthn/server/helpers"),
  attestationObject: string,
): boolean {
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
    const format = attestation.get("fmt");
    if (format === "none") return false;
    return format !== "packed" || attestation.get("attStmt").get("x5c") !== undefined;
  } catch {
    return true;
  }
}

/** The site that passkeys belong to (Web Authentication §5.1.2): its id is the host, its pages have this origin. */
type PasskeySite = Readonly<{ id: string; origin: string }>;

/** @returns undefined where browsers make no passkeys: an address without TLS, or an IP address */
export function passkeySite({ authUrl }: Pick<Config, "authUrl">): PasskeySite | undefined {
  const { protocol, hostname, origin } = new URL(authUrl);
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return undefined;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isLocal ? { id: hostname, origin } : undefined;
}

/** A passkey of an account as its page lists it; times are epoch milliseconds. */
export type Passkey = Readonly<{ id: string; name: string; createdAt: number; lastUsedAt: number | null }>;

type StoredPasskey = Readonly<{
  id: string;
  accountId: string;
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
  /** The account's hash, because a new password may end its passkeys while one is checked. */
  passwordHash: string;
}>;

type NewPasskey = Omit<StoredPasskey, "passwordHash"> & Readonly<{ name: string; sessionUid: string }>;

export const maxPasskeys = 20;

export async function listPasskeys(pool: Pool, accountId: string): Promise<Passkey[]> {
  const { rows } = await pool.query<Passkey>(
    `select credential_id as id, name, extract(epoch from created_at)::double precision * 1000 as "createdAt",
       extract(epoch from last_used_at)::double precision * 1000 as "lastUsedAt"
     from identity.passkeys where account_id = $1 order by created_at desc, credential_id`,
    [accountId],
  );
  return rows;
}

/**
 * Stores a passkey. A lock on the account's row counts simultaneous ones one after the other and refuses a session that
 * a new password has just ended.
 * @returns false when it is registered already, the account has too many, or the session has ended
 */
async function storePasskey(
  journaled: Journaled,
  { id, accountId, sessionUid, publicKey, counter, name }: NewPasskey,
): Promise<boolean> {
  return inJournal(journaled, accountId, async (client, record) => {
    await client.query(`select from identity.accounts where id = $1 for no key update`, [accountId]);
    const { rowCount } = await client.query(
      `insert into identity.passkeys (credential_id, account_id, public_key, counter, name)
       select $1, account_id, $4, $5, $6 from identity.session_browsers
       where session_uid = $3 and account_id = $2
         and (select count(*) from identity.passkeys where account_id = $2) < ${maxPasskeys}
       on conflict (credential_id) do nothing`,
      [id, accountId, sessionUid, Buffer.from(publicKey), counter, name],
    );
    if (rowCount === 1) await record("passkey_added", { name }, { thing: id });
    return rowCount === 1;
  });
}

async function findPasskey(pool: Pool, id: string): Promise<StoredPasskey | undefined> {
  const { rows } = await pool.query<StoredPasskey>(
    `select p.credential_id as id, p.account_id as "accountId", p.public_key as "publicKey",
       p.counter::double precision as counter, a.password_hash as "passwordHash"
     from identity.passkeys p join identity.accounts a on a.id = p.account_id where p.credential_id = $1`,
    [id],
  );
  const [row] = rows;
  return row && { ...row, publicKey: new Uint8Array(row.publicKey) };
}

/**
 * Records a use. The counter of an authenticator must grow with each use; otherwise it was copied.
 * @returns false when a simultaneous use with this count came first, or the passkey is gone
 */
async function notePasskeyUse(pool: Pool, id: string, counter: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update identity.passkeys set counter = $2, last_used_at = now()
     where credential_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [id, counter],
  );
  return rowCount === 1;
}

export async function removePasskey(journaled: Journaled, accountId: string, id: string): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<Pick<Passkey, "name">>(
      `delete from identity.passkeys where account_id = $1 and credential_id = $2 returning name`,
      [accountId, id],
    );
    if (rows[0]) await record("passkey_removed", rows[0]);
  });
}

/** Loads the library of passkeys, which takes 10 MB, with the first page that offers one. */
async function webauthn() {
  const [server, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...server, ...helpers };
}
