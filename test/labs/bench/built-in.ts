import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { startCommand } from "../../service/embedded/instance.ts";
import { seed, userAt } from "./seed.ts";
import { ownRoot, type Subject } from "./subject.ts";

/** Starts what users have after `npm start`: servers and identity provider of its own, and opaque tokens. */
export async function startBuiltIn(users: number): Promise<Subject> {
  const [port, identityPort] = [await freePort(), await freePort()];
  const dataDir = join(ownRoot, `data-test-bench-${process.pid}`);
  const env = {
    HOST: "127.0.0.1",
    IDENTITY_PORT: String(identityPort),
    RATE_LIMIT_PER_MINUTE: "1000000000",
    MCP_RATE_LIMIT_PER_MINUTE: "1000000000",
  };
  const npm = startCommand({ dataDir, port, env }, ["npm", "start"], { cwd: ownRoot });
  process.on("exit", () => npm.end("SIGTERM"));
  await npm.printed("Ready in");
  const databaseUrl = await runningDatabase({ databaseUrl: undefined, dataDir });
  await seed(databaseUrl, users);
  const tokens = await issueTokens(databaseUrl, users);
  return {
    ...{ databaseUrl, port, issuerUrl: undefined },
    callers: tokens.map((token, index) => ({ index, token })),
    async stop() {
      await npm.end("SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Gives each user an account and a token like the owner's. Real sign-ups would take minutes of hashing. */
async function issueTokens(databaseUrl: string, users: number): Promise<string[]> {
  const tokens = Array.from({ length: users }, () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"),
  );
  const made = JSON.stringify(tokens.map((token, index) => ({ account: userAt(index), token })));
  await using sql = new SQL(databaseUrl, { max: 1 });
  await sql`insert into identity.accounts (id, email, password_hash)
    select m.account, m.account || '@example.org', '' from json_to_recordset(${made}::text::json) m(account text, token text)`;
  await sql`insert into identity.grants (id, account_id, client_id, name, payload, expires_at)
    select 'grant-' || m.account, m.account, g.client_id, g.name,
      g.payload || jsonb_build_object('accountId', m.account), g.expires_at
    from identity.grants g, json_to_recordset(${made}::text::json) m(account text, token text)`;
  await sql`insert into identity.artifacts (kind, id_hash, payload, account_id, grant_id, expires_at)
    select a.kind, sha256(convert_to(m.token, 'UTF8')),
      (a.payload::jsonb || jsonb_build_object('accountId', m.account, 'grantId', 'grant-' || m.account))::json,
      m.account, 'grant-' || m.account, a.expires_at
    from identity.artifacts a, json_to_recordset(${made}::text::json) m(account text, token text)
    where a.kind = 'AccessToken'`;
  return tokens;
}
