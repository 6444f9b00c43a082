import { SQL } from "bun";
import { type Answer, callRest, testEnvironment } from "../../harness.ts";
import { type Roles, startRoles } from "./roles.ts";

/** `token` replaces the user's own; any door number is mapped to an existing door. */
type CallOptions = Readonly<{ door?: number; body?: unknown; key?: string; token?: string }>;
type CallAs = (user: string, method: string, path: string, options?: CallOptions) => Promise<Answer>;

export type Stage = Readonly<{
  env: Record<string, string>;
  baseUrls: readonly string[];
  issuer: Roles["issuer"];
  sql: SQL;
  call: CallAs;
  stop(): Promise<void>;
}>;

/** Two front doors and two workers on a database and queue of their own, and many users who call them. */
export async function startStage(): Promise<Stage> {
  const env: Record<string, string> = { ...(await testEnvironment()), LOG_LEVEL: "silent" };
  const roles = await startRoles({ env, apis: 2, workers: 2 });
  const sql = new SQL(env.DATABASE_URL ?? "", { max: 3 });
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (user: string): Promise<string> => {
    const token = tokens.get(user) ?? roles.issuer.token({ sub: user });
    tokens.set(user, token);
    return token;
  };
  const call: CallAs = async (user, method, path, { door = 0, body, key, token } = {}) =>
    callRest({ baseUrl: roles.baseUrls[door % 2] ?? "" }, method, path, {
      token: token ?? (await tokenOf(user)),
      ...(body !== undefined && { body }),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  for (let turn = 0; turn < 120; turn++)
    await call(`warm ${turn % 20}`, "POST", "/todos", { door: turn, body: { title: "Warm" } });
  return {
    env,
    baseUrls: roles.baseUrls,
    issuer: roles.issuer,
    sql,
    call,
    async stop() {
      await sql.close();
      await roles.stop();
    },
  };
}
