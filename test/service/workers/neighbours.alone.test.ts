import { afterAll, describe, expect, test } from "bun:test";
import { SQL, type TransactionSQL } from "bun";
import { loadConfig } from "../../../shared/process/config.ts";
import { type Answer, testEnvironment } from "../../harness.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { keepCalling, msAt, type Sample, sample, succeeded, tally } from "../../support/chaos/samples.ts";
import { type Call, callDoors } from "../../support/chaos/world.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { exportFile, stageFile } from "../../support/pages/staged-import.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { storeTodos } from "../../support/todos.ts";

const stage = await startStage();
const { call, sql, issuer } = stage;

const authentication = { BASE_URL: stage.baseUrls[0] ?? "", AUTH_URL: issuer.url };
const page = await openPageDoor({
  config: loadConfig({ ...stage.env, ...authentication }),
  clock: { now: undefined },
});

afterAll(async () => {
  await page.close();
  await stage.stop();
});

/** Even on a busy machine, only waiting for somebody else explains a longer time. */
const patienceMs = 1_000;

function expectUntouched(bystanders: readonly Sample[]): void {
  expect(bystanders.length).toBeGreaterThan(20);
  expect(tally(bystanders.filter((one) => !succeeded(one)))).toBe("none");
  expect(msAt(bystanders, 0.99)).toBeLessThan(patienceMs);
}

async function bystandersDuring(work: () => Promise<unknown>): Promise<Sample[]> {
  const stop = keepBeside(stage);
  await Bun.sleep(200);
  await work();
  await Bun.sleep(200);
  return stop();
}

const delaysNobody = async (attempt: () => Promise<boolean>) =>
  expectUntouched(await bystandersDuring(() => eventually(attempt)));

describe("while somebody else holds a row and its owner writes to it, strangers are served as ever", () => {
  for (const row of heldRows) {
    test(row.name, async () => {
      expectUntouched(await holdBeside(stage, row));
    });
  }
});

/** Both doors set each todo to the same state at once, all todos together, this many times. */
async function contend(users: number, todos: number, rounds: number): Promise<Sample[]> {
  const owned: { user: string; path: string }[] = [];
  for (let n = 0; n < users * todos; n++) {
    const user = `contender ${n % users}`;
    const { body } = await call(user, "POST", "/todos", { body: { title: "Contended" } });
    owned.push({ user, path: `/todos/${body.id}/toggle` });
  }
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    const body = { is_completed: round % 2 === 0 };
    const calls = owned.flatMap(({ user, path }) =>
      [0, 1].map((door) => sample(() => call(user, "POST", path, { door, body }))),
    );
    samples.push(...(await Promise.all(calls)));
    await Bun.sleep(30);
  }
  return samples;
}

test.each([
  [1, 20],
  [20, 1],
  [20, 4],
])(
  "two doors change the same rows at once, %d users with %d todos: none is refused",
  async (users, todos) => {
    expect(tally(await contend(users, todos, 4))).toBe(`${users * todos * 2 * 4} × 200`);
  },
);

test("creating in categories while they are deleted is answered without a 5xx, and strangers are served as ever", async () => {
  let over = false;
  const statuses: number[] = [];
  const churn = async () => {
    while (!over) {
      const { body } = await call("churner", "POST", "/categories", { body: { name: "Brief" } });
      const creation = { title: "In it", category_id: body.id };
      const calls = [0, 1, 2, 3].map((door) => call("churner", "POST", "/todos", { door, body: creation }));
      calls.push(call("churner", "DELETE", `/categories/${body.id}`, { door: 1 }));
      for (const { status } of await Promise.all(calls)) statuses.push(status);
    }
  };
  const bystanders = await bystandersDuring(async () => {
    const churning = [churn(), churn(), churn()];
    await Bun.sleep(2_000);
    over = true;
    await Promise.all(churning);
  });
  expectUntouched(bystanders);
  expect(statuses.filter((status) => ![201, 204, 422].includes(status))).toEqual([]);
});

describe("a heavy command of one user delays no stranger", () => {
  test("the deletion of a category with 30,000 todos", async () => {
    const { body } = await call("hoarder", "POST", "/categories", { body: { name: "Everything" } });
    await storeTodos(stage.env.DATABASE_URL ?? "", "hoarder", 30_000, { category_id: String(body.id) });
    await delaysNobody(async () => {
      await call("hoarder", "DELETE", `/categories/${body.id}`);
      const [left] = await sql`select 1 from categories where user_id = 'hoarder'`;
      return left === undefined;
    });
  });

  test("the change of a zone with 1,500 habits", async () => {
    const habit = { name: "Walk", type: "good", frequency: "daily" };
    const { body } = await call("mover", "POST", "/habits", { body: habit });
    await copyHabit(body.id, 1_500);
    await delaysNobody(async () => {
      const token = await issuer.token({ sub: "mover", zoneinfo: "Pacific/Auckland" });
      await call("mover", "GET", "/habits", { token });
      const [user] = await sql`select time_zone from users where user_id = 'mover'`;
      return user?.time_zone === "Pacific/Auckland";
    });
  });

  test("the import of 18,000 completions and 1,900 todos", async () => {
    const staged = await stageFile(page, "importer", longFile);
    await delaysNobody(async () => {
      await page.send("importer", "import.apply", staged);
      const [left] = await sql`select 1 from import_parts where user_id = 'importer'`;
      return left === undefined;
    });
    const [made] = await sql`
      select (select count(*)::int from todos where user_id = 'importer') as todos,
        (select count(*)::int from habit_completions where user_id = 'importer') as days`;
    expect(made).toEqual({ todos: 1_900, days: 18_000 });
  });
});

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const longFile = exportFile({
  habits: ids(5).map((id) => ({ id, name: "Years", type: "good", frequency: "daily", grace_days: 1 })),
  completions: ids(18_000).map((day) => ({
    habit_id: (day % 5) + 1,
    date: new Date(Math.floor(day / 5) * 86_400_000).toISOString().slice(0, 10),
  })),
  todos: ids(1_900).map((id) => ({ id, title: `Todo ${id}`, is_completed: false, recurrence_from: "due" })),
});

/** Copies a row with all its columns, as often as commands would have created it. */
async function copyHabit(id: number, count: number): Promise<void> {
  await sql`
    insert into habits
    select (jsonb_populate_record(habits, jsonb_build_object('id', 5000000 + n))).*
    from habits, generate_series(1, ${count}::int) n where id = ${id}`;
}

/** `token` replaces the user's own; any door number is mapped to an existing door. */
type CallOptions = NonNullable<Parameters<Call>[2]> & { token?: string };
type CallAs = (user: string, method: string, path: string, options?: CallOptions) => Promise<Answer>;

type Stage = Awaited<ReturnType<typeof startStage>>;

/** Two front doors and two workers on a database and queue of their own, and many users who call them. */
async function startStage() {
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

const heldRows: readonly HeldRow[] = [
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
async function holdBeside(stage: Stage, row: HeldRow): Promise<Sample[]> {
  const { hold, write } = await row.prepare(stage);
  return await stage.sql.begin(async (transaction) => {
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
const keepBeside = ({ call }: Stage): (() => Promise<Sample[]>) =>
  keepCalling(20, 50, (client) =>
    call(`bystander ${client}`, "POST", "/todos", { door: client, body: { title: "Beside" } }),
  );
