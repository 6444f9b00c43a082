import type { SQL, TransactionSQL } from "bun";
import type { Answer } from "../../harness.ts";
import { keepCalling, type Sample } from "./samples.ts";
import type { Stage } from "./stage.ts";

/** A row of `owner` that somebody holds, and the owner's commands on it meanwhile. */
export type HeldRow = Readonly<{
  name: string;
  prepare(stage: Stage): Promise<Held>;
}>;

type Held = Readonly<{
  hold(transaction: TransactionSQL): Promise<unknown>;
  write(turn: number): Promise<Answer>;
}>;

const owner = "owner";
const todo = { title: "Held" };
const habit = { name: "Held", type: "good", frequency: "daily" };

async function create({ call }: Stage, path: string, body: object): Promise<number> {
  return (await call(owner, "POST", path, { body })).body.id;
}

export const heldRows: readonly HeldRow[] = [
  {
    name: "todo",
    async prepare(stage) {
      const id = await create(stage, "/todos", todo);
      return {
        hold: (tx) => tx`select 1 from todos where id = ${id} for update`,
        write: (door) => stage.call(owner, "POST", `/todos/${id}/toggle`, { door }),
      };
    },
  },
  {
    name: "habit",
    async prepare(stage) {
      const id = await create(stage, "/habits", habit);
      return {
        hold: (tx) => tx`select 1 from habits where id = ${id} for update`,
        write: (door) =>
          stage.call(owner, door % 4 < 2 ? "POST" : "DELETE", `/habits/${id}/complete`, { door }),
      };
    },
  },
  {
    name: "category, changed",
    async prepare(stage) {
      const id = await create(stage, "/categories", { name: "Held" });
      return {
        hold: (tx) => tx`select 1 from categories where id = ${id} for update`,
        write: (door) =>
          stage.call(owner, "PUT", `/categories/${id}`, { door, body: { name: `Held ${door}` } }),
      };
    },
  },
  {
    name: "category, created in",
    async prepare(stage) {
      const category_id = await create(stage, "/categories", { name: "Held" });
      return {
        hold: (tx) => tx`select 1 from categories where id = ${category_id} for update`,
        write: (door) =>
          door % 2 === 0
            ? stage.call(owner, "POST", "/todos", { door: door / 2, body: { ...todo, category_id } })
            : stage.call(owner, "POST", "/habits", { door, body: { ...habit, category_id } }),
      };
    },
  },
  {
    name: "reminder",
    async prepare(stage) {
      const id = await create(stage, "/todos", todo);
      const remind = (door: number) =>
        stage.call(owner, "PUT", `/todos/${id}/reminder`, {
          door,
          body: { remind_at: `2099-01-01T09:${10 + (door % 50)}` },
        });
      await remind(0);
      return {
        hold: (tx) => tx`select 1 from reminders where todo_id = ${id} for update`,
        write: (door) => (door % 4 < 3 ? remind(door) : stage.call(owner, "POST", `/todos/${id}/toggle`)),
      };
    },
  },
  {
    name: "user settings",
    async prepare(stage) {
      const { call, issuer } = stage;
      const zones = ["Europe/Berlin", "Asia/Tokyo"];
      const issuedAt = Math.floor(Date.now() / 1000) - 3_000;
      // A newer token with another zone: its first request changes the settings before it is answered.
      const write = async (door: number) => {
        const iat = issuedAt + door;
        const token = await issuer.token({ sub: owner, zoneinfo: zones[door % 2], iat });
        return call(owner, "POST", "/todos", { door, token, body: todo });
      };
      await write(0);
      return { hold: (tx) => tx`select 1 from users where user_id = ${owner} for update`, write };
    },
  },
  {
    name: "inbox",
    async prepare(stage) {
      const write = (door: number) => stage.call(owner, "POST", "/todos", { door, key: "held", body: todo });
      await write(0);
      return { hold: (tx) => tx`select 1 from inbox where user_id = ${owner} for update`, write };
    },
  },
  {
    name: "inbox, not yet committed",
    async prepare({ call, sql }) {
      const write = (door: number) => call(owner, "POST", "/todos", { door, key: "under way", body: todo });
      await sql`delete from inbox where user_id = ${owner}`;
      await write(0);
      const rows: object[] = await sql`delete from inbox where user_id = ${owner} returning *`;
      return { hold: (tx) => tx`insert into inbox ${tx(rows)}`, write };
    },
  },
];

export type Neighbours = Readonly<{ bystanders: Sample[]; owners: Sample[] }>;

type HoldOptions = Readonly<{ holder: SQL; bystanders: number; pauseMs: number; seconds: number }>;

/** Locks the row like a person at psql, while its owner keeps writing to it and others write beside. */
export async function holdBeside(stage: Stage, row: HeldRow, options: HoldOptions): Promise<Neighbours> {
  const { holder, bystanders, pauseMs, seconds } = options;
  const { hold, write } = await row.prepare(stage);
  return await holder.begin(async (transaction) => {
    await hold(transaction);
    let turn = 0;
    const stopOwner = keepCalling(20, 300, () => write(turn++));
    const stopOthers = keepCalling(bystanders, pauseMs, (client) =>
      stage.call(`bystander ${client}`, "POST", "/todos", { door: client, body: { title: "Beside" } }),
    );
    await Bun.sleep(seconds * 1_000);
    const [others, owners] = await Promise.all([stopOthers(), stopOwner()]);
    return { bystanders: others, owners };
  });
}
