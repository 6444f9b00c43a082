import { mkdir } from "node:fs/promises";
import { openDatabase } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import { readConnections } from "../../shared/process/connections.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createSecurityLog } from "../../shared/process/observe/security-log.ts";
import type { Role } from "../../shared/process/role.ts";
import { identityClient } from "../auth/identity-client.ts";
import type { IdentityContext } from "./accounts/context.ts";
import { loadKeys } from "./accounts/keys.ts";
import { createMailer } from "./accounts/mail.ts";
import { createDelivery, type Tell } from "./accounts/outbox.ts";
import { noteAddress } from "./accounts/sign-in-links.ts";
import { createThrottle } from "./accounts/throttle.ts";
import { scheduleChores } from "./chores.ts";
import { countForNetwork, fairPool } from "./fair-pool.ts";
import { resourcesOf, warnOfFormerResources } from "./grants/resources.ts";
import { networkUnderWay } from "./journal/origin.ts";
import { createLifecycle } from "./lifecycle.ts";
import { tellPeople } from "./notices/notices.ts";
import { boundAuthorizations, defaultScope, keepStrangersHere, signInFirst } from "./oauth/authorization.ts";
import { describeToken, letScriptsCall, listScopes } from "./oauth/middleware.ts";
import { createProvider } from "./oauth/provider.ts";
import { throttleRegistrations } from "./oauth/registration.ts";
import { takeRevocations } from "./oauth/revocations.ts";
import { tellSignOut } from "./oauth/sign-out.ts";
import { createOwner } from "./owner.ts";
import { explainFailures } from "./pages/failures.ts";
import { servePages } from "./pages/router.ts";
import { pinAddress, serve } from "./server.ts";

/**
 * Starts the built-in identity provider on a migrated database; `tell` sends the service news of accounts, and tests have
 * certificates of their own (`ca`).
 */
export async function startIdentity(
  { config, log, ca }: { config: Config; log: Log; ca?: string | undefined },
  tell: Tell,
): Promise<Role> {
  await mkdir(config.dataDir, { recursive: true });
  const database = await openDatabase({
    url: config.databaseUrl,
    log,
    prepare: config.databasePrepare,
    connections: readConnections(config),
  });
  const pool = fairPool(database.pool, log);
  const ownClient = await identityClient(config, pool);
  const throttle = createThrottle(pool);
  const lifecycle = createLifecycle(config, { pool, log });
  const journaled = {
    pool,
    security: createSecurityLog(log, lifecycle.registry),
    tellPeople: () => tellPeople(identity),
  };
  const parts = {
    ...journaled,
    config,
    keys: await loadKeys(pool),
    resources: resourcesOf(config),
    ownClient,
  };
  // Reading an app's document counts as a registration, because strangers can ask for it.
  const mayFetch = async () => (await throttle.registration(networkUnderWay())) === 0;
  const provider = createProvider({ ...parts, mayFetch, ca });
  const identity: IdentityContext = {
    ...parts,
    log,
    provider,
    throttle,
    sendMail: await createMailer(config, log),
    deliverNews: createDelivery(pool, log, tell),
  };
  mount(identity);

  const owner = await createOwner(identity);
  await noteAddress(pool, config.authUrl);
  const former_address = await warnOfFormerResources(pool, identity.resources, log);
  const stopServer = await serve(lifecycle.wrap(pinAddress(provider.callback(), config)), config);
  const stopChores = scheduleChores(identity);
  return {
    details: { ...owner, ...(former_address && { former_address }) },
    async stop() {
      stopChores();
      await lifecycle.drain();
      await stopServer();
      await database.close();
    },
  };
}

function mount(identity: IdentityContext): void {
  const { provider, log, throttle, ownClient } = identity;
  provider.on("server_error", (_ctx, error) =>
    log.error({ reason: error.message }, "an OAuth request failed"),
  );
  // Koa sees only errors of clients that hung up, because explainFailures handles the others.
  provider.silent = true;
  provider.use(letScriptsCall);
  provider.use(explainFailures(log));
  provider.use(countForNetwork(ownClient));
  provider.use(servePages(identity));
  provider.use(takeRevocations(identity));
  provider.use(throttleRegistrations(throttle));
  provider.use(boundAuthorizations);
  provider.use(signInFirst);
  provider.use(keepStrangersHere(identity));
  provider.use(defaultScope);
  provider.use(listScopes);
  provider.use(describeToken(identity));
  provider.use(tellSignOut(identity));
}
