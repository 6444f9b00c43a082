import "./quiet-packages.ts";
import { mkdir } from "node:fs/promises";
import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { openDatabase } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import { readConnections } from "../../shared/process/connections.ts";
import { databaseUrlOf } from "../../shared/process/database-roles.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createSecurityLog } from "../../shared/process/observe/security-log.ts";
import type { TokenKey } from "../auth/authenticate.ts";
import type { FindClaims } from "../auth/claims.ts";
import type { FindOwnSession } from "../doors/pages/session/context.ts";
import { clientOf } from "../http/request.ts";
import type { KeyRing } from "../web/key-ring.ts";
import type { IdentityContext } from "./accounts/context.ts";
import { loadKeys } from "./accounts/keys.ts";
import { createMailer } from "./accounts/mail.ts";
import { createDelivery, type Tell } from "./accounts/outbox.ts";
import { findSession } from "./accounts/sessions.ts";
import { noteAddress } from "./accounts/sign-in-links.ts";
import { createThrottle } from "./accounts/throttle.ts";
import { findToken } from "./accounts/tokens/claims.ts";
import { scheduleChores } from "./chores.ts";
import { countForNetwork, fairPool } from "./fair-pool.ts";
import { revokeConnection } from "./grants/connections.ts";
import { resourcesOf, warnOfFormerResources } from "./grants/resources.ts";
import { duringRequest, networkUnderWay } from "./journal/origin.ts";
import { tellPeople } from "./notices/notices.ts";
import { boundAuthorizations, defaultScope, keepStrangersHere, signInFirst } from "./oauth/authorization.ts";
import { listScopes } from "./oauth/middleware.ts";
import { createProvider } from "./oauth/provider.ts";
import { throttleRegistrations } from "./oauth/registration.ts";
import { tellSignOut } from "./oauth/sign-out.ts";
import { createOwner } from "./owner.ts";
import { sessionIdIn } from "./pages/cookies.ts";
import { explainFailures } from "./pages/failures.ts";
import { servePages } from "./pages/router.ts";
import { openSocket } from "./socket.ts";

/** The built-in provider, which is a part of the front door's process. */
export type BuiltInProvider = Readonly<{
  /** Answers a request for one of `identityPaths`. */
  answer(request: Request): Promise<Response>;
  findClaims: FindClaims;
  findSession: FindOwnSession;
  endToken(key: TokenKey): Promise<void>;
  pool: Pool;
  /** The owner's sign-in, told at the first start. */
  details: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}>;

type Parts = Readonly<{
  config: Config;
  log: Log;
  registry: Registry;
  formKeys: KeyRing<string>;
  /** Sends the workers news of accounts. */
  tell: Tell;
  /** Certificates to trust, in tests. */
  ca?: string;
}>;

/** Starts the built-in identity provider on a migrated database, with a pool and a database role of its own. */
export async function startIdentity(parts: Parts): Promise<BuiltInProvider> {
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
  const { pool, provider } = identity;
  mount(identity);
  const owner = await createOwner(identity);
  await noteAddress(pool, config.baseUrl);
  const former_address = await warnOfFormerResources(pool, identity.resources, log);
  const socket = await openSocket(provider.callback(), config);
  const stopChores = scheduleChores(identity);
  return {
    answer: socket.answer,
    findClaims: (token) => findToken(database.pool, config.authAudience, token),
    findSession: (request) =>
      duringRequest({ network: clientOf(request), userAgent: request.headers.get("user-agent") ?? "" }, () =>
        findSession(pool, sessionIdIn(request.headers, config)),
      ),
    endToken: ({ userId, tokenId }) => revokeConnection(identity, userId, tokenId),
    pool: database.pool,
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
  { config, log, registry, formKeys, tell, ca }: Parts,
  pool: Pool,
): Promise<IdentityContext> {
  const throttle = createThrottle(pool);
  const parts = {
    pool,
    security: createSecurityLog(log, registry),
    tellPeople: () => tellPeople(identity),
    config,
    keys: await loadKeys(pool, formKeys),
    resources: resourcesOf(config),
  };
  // Reading an app's document counts as a registration, because strangers can ask for it.
  const mayFetch = async () => (await throttle.registration(networkUnderWay())) === 0;
  const identity: IdentityContext = {
    ...parts,
    log,
    provider: createProvider({ ...parts, mayFetch, ca }),
    throttle,
    sendMail: await createMailer(config, log),
    deliverNews: createDelivery(pool, log, tell),
  };
  return identity;
}

function mount(identity: IdentityContext): void {
  const { provider, log, throttle } = identity;
  provider.on("server_error", (_ctx, error) =>
    log.error({ reason: error.message }, "an OAuth request failed"),
  );
  // Koa sees only errors of clients that hung up, because explainFailures handles the others.
  provider.silent = true;
  provider.use(explainFailures(log));
  provider.use(countForNetwork);
  provider.use(servePages(identity));
  provider.use(throttleRegistrations(throttle));
  provider.use(boundAuthorizations);
  provider.use(signInFirst);
  provider.use(keepStrangersHere(provider));
  provider.use(defaultScope);
  provider.use(listScopes);
  provider.use(tellSignOut(identity));
}
