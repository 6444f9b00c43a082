import "./quiet-packages.ts";
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { allScopes } from "../../shared/contracts/kernel/scopes.ts";
import { exclusively } from "../../shared/db/exclusively.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import { readConnections } from "../../shared/process/connections.ts";
import { databaseUrlOf } from "../../shared/process/database-roles.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createSecurityLog } from "../../shared/process/observe/security-log.ts";
import type { TokenKey } from "../auth/authenticate.ts";
import { rememberFor } from "../auth/provider.ts";
import { clientOf } from "../http/request.ts";
import type { KeyRing } from "../web/key-ring.ts";
import { createAccount, findAccountByEmail } from "./accounts/accounts.ts";
import type { IdentityContext, ProviderContext } from "./accounts/context.ts";
import { findSecret, loadKeys, storeSecret } from "./accounts/keys.ts";
import { createMailer } from "./accounts/mail.ts";
import { createDelivery, type Tell } from "./accounts/outbox.ts";
import { changePassword, hashPassword } from "./accounts/passwords.ts";
import { findSession } from "./accounts/sessions.ts";
import { createThrottle } from "./accounts/throttle.ts";
import { scheduleChores } from "./chores.ts";
import { fairPool } from "./fair-pool.ts";
import { listConnections, resourcesOf, revokeConnection, warnOfFormerResources } from "./grants.ts";
import { duringRequest } from "./journal.ts";
import { tellPeople } from "./notices.ts";
import { sessionIdIn } from "./pages/visitor.ts";
import { openSocket } from "./socket.ts";
import { createPersonalToken, findToken } from "./tokens.ts";

/** The built-in provider, which is a part of the front door's process. */
export type BuiltInProvider = Awaited<ReturnType<typeof startIdentity>>;

type Parts = Readonly<{
  config: Config;
  log: Log;
  registry: Registry;
  formKeys: KeyRing<string>;
  tell: Tell;
  /** Certificates to trust, in tests. */
  ca?: string;
}>;

/** Starts the built-in identity provider on a migrated database, with a pool and a database role of its own. */
export async function startIdentity(parts: Parts) {
  const { config, log } = parts;
  await mkdir(config.dataDir, { recursive: true });
  const database = await openDatabase({
    url: databaseUrlOf(config, "identity"),
    log,
    prepare: config.databasePrepare,
    connections: readConnections(config),
  });
  await demandRights(database.pool);
  const identity = await createContext(parts, fairPool(database.pool, log));
  const { pool } = identity;
  // oidc-provider and its pages take 12 MB, and most starts need them only when somebody signs in.
  const openProvider = rememberFor(Number.POSITIVE_INFINITY, async () => {
    const { openProvider } = await import("./oauth/middleware.ts");
    const provider = openProvider(identity, parts.ca);
    return { provider, listener: provider.callback() };
  });
  const owner = await exclusively(pool, { name: "kept.identity.owner", taken: "wait" }, () =>
    // The start itself prints the owner and the token.
    createOwner({ ...identity, security() {} }, async () => (await openProvider()).provider),
  );
  // Commands that run beside this may have other settings.
  await storeSecret(pool, "address", config.baseUrl);
  const former_address = await warnOfFormerResources(pool, identity.resources, log);
  const socket = await openSocket(
    async (...exchange) => (await openProvider()).listener(...exchange),
    config,
  );
  const stopChores = scheduleChores(identity);
  return {
    async answer(request: Request): Promise<Response> {
      await openProvider();
      return socket.answer(request);
    },
    findClaims: (token: string) => findToken(database.pool, config.authAudience, token),
    findSession: (request: Pick<Request, "headers">) =>
      duringRequest({ network: clientOf(request), userAgent: request.headers.get("user-agent") ?? "" }, () =>
        findSession(pool, sessionIdIn(request.headers, config)),
      ),
    findAccess: (accountId: string) => listConnections(identity, accountId),
    endToken: ({ userId, tokenId }: TokenKey) => revokeConnection(identity, userId, tokenId),
    pool: database.pool,
    /** The owner's sign-in, told at the first start. */
    details: { ...owner, ...(former_address && { former_address }) },
    async stop() {
      stopChores();
      await socket.close();
      await database.close();
    },
  };
}

/** @throws when the role of the database is that of a front door alone */
async function demandRights(pool: Pool): Promise<void> {
  const { rows } = await pool.query("select has_schema_privilege('identity', 'usage') as allowed");
  if (!rows[0].allowed)
    throw new Error(
      "The database's role may not read accounts: set IDENTITY_DATABASE_URL beside DATABASE_URL.",
    );
}

async function createContext(
  { config, log, registry, formKeys, tell }: Parts,
  pool: Pool,
): Promise<IdentityContext> {
  const identity: IdentityContext = {
    pool,
    security: createSecurityLog(log, registry),
    tellPeople: () => tellPeople(identity),
    config,
    keys: await loadKeys(pool, formKeys),
    resources: resourcesOf(config),
    log,
    throttle: createThrottle(pool),
    sendMail: await createMailer(config, log),
    deliverNews: createDelivery(pool, log, tell),
  };
  return identity;
}

const ownerEmail = "owner@localhost";
const tenYears = 3_650 * 24 * 60 * 60;

/**
 * Makes the owner's account and a token with all scopes, also written to DATA_DIR/owner-token (mode 0600).
 * @returns the facts to show once; undefined at later starts, even if the owner deleted the account
 */
async function createOwner(
  identity: IdentityContext,
  openProvider: () => Promise<ProviderContext["provider"]>,
): Promise<Record<string, string> | undefined> {
  const { pool, config } = identity;
  if ((await findSecret(pool, "owner")) !== undefined) return undefined;
  const password = randomBytes(15).toString("base64url");
  const accountId = await ownerAccount(identity, password);
  const token = await createOwnerToken({ ...identity, provider: await openProvider() }, accountId);
  await writeFile(join(config.dataDir, "owner-token"), `${token}\n`, { mode: 0o600 });
  // This row is stored last, so that a start that was interrupted before is repeated.
  await storeSecret(pool, "owner", accountId);
  return { owner_email: ownerEmail, owner_password: password, owner_token: token };
}

async function ownerAccount(identity: IdentityContext, password: string): Promise<string> {
  const created = await createAccount(identity, {
    email: ownerEmail,
    passwordHash: await hashPassword(password),
    // The zone is unknown; the owner's browser tells it at the first sign-in.
    timeZone: null,
  });
  if (created) return created.id;
  const account = await findAccountByEmail(identity.pool, ownerEmail);
  if (!account) throw new Error("The owner's account can neither be made nor found.");
  await changePassword(identity, { accountId: account.id, password, way: "link" });
  return account.id;
}

async function createOwnerToken(identity: ProviderContext, accountId: string): Promise<string> {
  const expiresAt = Math.floor(Date.now() / 1_000) + tenYears;
  const wanted = { accountId, name: "Owner's first token", scopes: allScopes, expiresAt };
  const created = await createPersonalToken(identity, wanted);
  if (created === undefined) throw new Error("The owner has too many tokens already.");
  return created.token;
}
