import { SQL, type TransactionSQL } from "bun";
import { type Answer, testEnvironment } from "../../harness.ts";
import { type Roles, startRoles } from "./roles.ts";
import { keepCalling, type Sample } from "./samples.ts";
import { type Call, callDoors } from "./world.ts";

/** `token` replaces the user's own; any door number is mapped to an existing door. */
type CallOptions = NonNullable<Parameters<Call>[2]> & { token?: string };
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
  const call: CallAs = async (user, method, path, { token, ...options } = {}) =>
    callDoors(roles.baseUrls, token ?? (await tokenOf(user)))(method, path, options);
  for (let turn = 0; turn < 120; turn++)
    await call(`warm ${turn % 20}`, "POST", "/todos", { door: turn, body: { title: "Warm" } });
  const stop = () => sql.close().then(roles.stop);
  return { env, baseUrls: roles.baseUrls, issuer: roles.issuer, sql, call, stop };
}

/** A row of `owner` that somebody holds, and the owner's commands on it meanwhile. */
type HeldRow = Readonly<{ name: string; prepare(stage: Stage): Promise<Held> }>;
type Held = Readonly<{
  hold(transaction: TransactionSQL): Promise<unknown>;
  write(turn: number): Promise<Answer>;
}>;
type Write = (stage: Stage, id: number, turn: number) => Promise<Answer>;

const owner = "owner";
const todo = { title: "Held" };
const habit = { name: "Held", type: "good", frequency: "daily" };
const category = { name: "Held" };

/** A row of this condition, which `path` and `body` make. */
function locked(name: string, condition: string, [path, body]: [string, object], write: Write): HeldRow {
  return {
    name,
    async prepare(stage) {
      const { id } = (await stage.call(owner, "POST", path, { body })).body;
      await write(stage, id, 0);
      return {
        hold: (tx) => tx.unsafe(`select 1 from ${condition} = $1 for update`, [id]),
        write: (turn) => write(stage, id, turn),
      };
    },
  };
}

/** A newer token with another zone: its first request changes the settings before it is answered. */
const settings: HeldRow = {
  name: "user settings",
  async prepare({ call, issuer }) {
    const issuedAt = Math.floor(Date.now() / 1000) - 3_000;
    const write = async (door: number) => {
      const zoneinfo = door % 2 === 0 ? "Europe/Berlin" : "Asia/Tokyo";
      const token = await issuer.token({ sub: owner, zoneinfo, iat: issuedAt + door });
      return call(owner, "POST", "/todos", { door, token, body: todo });
    };
    await write(0);
    return { hold: (tx) => tx`select 1 from users where user_id = ${owner} for update`, write };
  },
};

const inbox: HeldRow = {
  name: "inbox",
  async prepare({ call }) {
    const write = (door: number) => call(owner, "POST", "/todos", { door, key: "held", body: todo });
    await write(0);
    return { hold: (tx) => tx`select 1 from inbox where user_id = ${owner} for update`, write };
  },
};

const uncommitted: HeldRow = {
  name: "inbox, not yet committed",
  async prepare({ call, sql }) {
    const write = (door: number) => call(owner, "POST", "/todos", { door, key: "under way", body: todo });
    await sql`delete from inbox where user_id = ${owner}`;
    await write(0);
    const rows: object[] = await sql`delete from inbox where user_id = ${owner} returning *`;
    return { hold: (tx) => tx`insert into inbox ${tx(rows)}`, write };
  },
};

export const heldRows: readonly HeldRow[] = [
  locked("todo", "todos where id", ["/todos", todo], ({ call }, id, door) =>
    call(owner, "POST", `/todos/${id}/toggle`, { door }),
  ),
  locked("habit", "habits where id", ["/habits", habit], ({ call }, id, door) =>
    call(owner, door % 4 < 2 ? "POST" : "DELETE", `/habits/${id}/complete`, { door }),
  ),
  locked("category, changed", "categories where id", ["/categories", category], ({ call }, id, door) =>
    call(owner, "PUT", `/categories/${id}`, { door, body: { name: `Held ${door}` } }),
  ),
  locked("category, created in", "categories where id", ["/categories", category], ({ call }, id, door) =>
    door % 2 === 0
      ? call(owner, "POST", "/todos", { door: door / 2, body: { ...todo, category_id: id } })
      : call(owner, "POST", "/habits", { door, body: { ...habit, category_id: id } }),
  ),
  locked("reminder", "reminders where todo_id", ["/todos", todo], ({ call }, id, door) => {
    const body = { remind_at: `2099-01-01T09:${10 + (door % 50)}` };
    return door % 4 < 3
      ? call(owner, "PUT", `/todos/${id}/reminder`, { door, body })
      : call(owner, "POST", `/todos/${id}/toggle`);
  }),
  settings,
  inbox,
  uncommitted,
];

/**
 * Locks the row for a second like a person at psql, while its owner keeps writing to it and others write beside.
 * @returns the calls of the others
 */
export async function holdBeside(stage: Stage, row: HeldRow, holder: SQL): Promise<Sample[]> {
  const { hold, write } = await row.prepare(stage);
  return await holder.begin(async (transaction) => {
    await hold(transaction);
    let turn = 0;
    const stopOwner = keepCalling(20, 300, () => write(turn++));
    const stopOthers = keepBeside(stage);
    await Bun.sleep(1_000);
    const [others] = await Promise.all([stopOthers(), stopOwner()]);
    return others;
  });
}

/** Twenty bystanders who create todos until the returned function stops them. */
export const keepBeside = ({ call }: Stage): (() => Promise<Sample[]>) =>
  keepCalling(20, 50, (client) =>
    call(`bystander ${client}`, "POST", "/todos", { door: client, body: { title: "Beside" } }),
  );
