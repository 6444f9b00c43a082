import { SQL } from "bun";
import { type Answer, callRest, testEnvironment } from "../../harness.ts";
import { type Roles, startRoles } from "../../support/chaos/roles.ts";

type CallOptions = Readonly<{
  door?: number;
  body?: unknown;
  key?: string;
  /** A token to use instead of the user's own. */
  token?: string;
}>;

/** Calls a front door as that user; any door number is mapped to an existing door. */
export type CallAs = (user: string, method: string, path: string, options?: CallOptions) => Promise<Answer>;

export type Stage = Readonly<{
  env: Record<string, string>;
  baseUrls: readonly string[];
  issuer: Roles["issuer"];
  sql: SQL;
  /** The user's one token. */
  tokenOf(user: string): Promise<string>;
  call: CallAs;
  stop(): Promise<void>;
}>;

type StageOptions = Readonly<{ apis?: number; workers?: number; env?: Record<string, string> }>;

/** Real processes on a database and queue prefix of their own, and many users who call them. */
export async function startStage({ apis = 1, workers = 1, env = {} }: StageOptions = {}): Promise<Stage> {
  const environment: Record<string, string> = { ...(await testEnvironment()), LOG_LEVEL: "silent", ...env };
  const roles = await startRoles({ env: environment, apis, workers });
  const sql = new SQL(environment.DATABASE_URL ?? "", { max: 3 });
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (user: string): Promise<string> => {
    const token = tokens.get(user) ?? roles.issuer.token({ sub: user });
    tokens.set(user, token);
    return token;
  };
  const call: CallAs = async (user, method, path, { door = 0, body, key, token } = {}) =>
    callRest({ baseUrl: roles.baseUrls[door % apis] ?? "" }, method, path, {
      token: token ?? (await tokenOf(user)),
      ...(body !== undefined && { body }),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  for (let turn = 0; turn < 60 * workers; turn++)
    if (workers > 0)
      await call(`warm ${turn % 20}`, "POST", "/todos", { door: turn, body: { title: "Warm" } });
  return {
    env: environment,
    baseUrls: roles.baseUrls,
    issuer: roles.issuer,
    sql,
    tokenOf,
    call,
    async stop() {
      await sql.close();
      await roles.stop();
    },
  };
}

/** Runs `work` on a stage that ends with it. */
export async function onStage<T>(options: StageOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await startStage(options);
  try {
    return await work(stage);
  } finally {
    await stage.stop();
  }
}
