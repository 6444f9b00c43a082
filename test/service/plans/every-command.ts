import { createECDH, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import type { JsonBody } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";

/** Carries out a command of the user under test and gives its answer. @throws when it is refused */
export type Run = (name: CommandName, input: object, options?: { key?: string }) => Promise<JsonBody>;

type Target = ReturnType<typeof byDatabase> &
  Readonly<{
    /** The keys of the user's rows in the action log. */
    actions(): Promise<readonly object[]>;
    /** The address for reminders. */
    webhookUrl: string;
    /** The time when a reminder falls due, epoch ms. */
    dueAt: number;
  }>;

/** A life of one user with every command, in each form of its statements. */
export async function runEveryCommand(run: Run, target: Target): Promise<void> {
  const { webhookUrl, dueAt, actions } = target;
  await run("user.end-ways", {});
  await run("user.see", { newest: "2026-11-01T00:00:00.000Z" });
  await run("user.claim-zone", { time_zone: "Europe/Berlin", issued_at: "2026-11-01T00:00:00Z" });
  await run("user.configure", { time_zone: "UTC", reminder_channel: "webhook", webhook_url: webhookUrl });
  const category = await run("category.create", { name: "Home" });
  await run("category.update", { category_id: category.id, name: "House" });
  await changeHabits(run, category.id, target);
  await changeTodos(run, category.id, dueAt);
  await sendAgain(run, target);
  await importFile(run);
  for (const secret_hash of ["a".repeat(43), "b".repeat(43), null])
    await run("calendar.set", { secret_hash });
  const { id } = await run("push.subscribe", subscription());
  await run("push.unsubscribe", { id });
  await run("webhook.test", {});
  const webhook = await run("webhook.create", { url: webhookUrl, events: ["todo.*"] });
  await run("webhook.update", { webhook_id: webhook.id, is_active: false });
  const delivery_id = crypto.randomUUID();
  await target.finishDelivery(webhook.id, delivery_id);
  await run("webhook.send-again", { webhook_id: webhook.id, delivery_id });
  await run("webhook.delete", { webhook_id: webhook.id });
  await askFirst(run, target);
  await run("user.configure", { time_zone: "Asia/Tokyo" });
  await run("user.end-sessions", {});
  await run("journal.export", { what: "an export of everything" });
  await run("journal.count-use", { token_id: "token", client_name: null, network: "192.0.2.1", reads: 3 });
  await run("journal.send", {
    title: "A new token",
    notes: "It was made.",
    url: "https://kept.example/not-me",
  });
  const call = () => ({
    ...{ requestId: Bun.randomUUIDv7(), tokenId: "token", clientName: null },
    ...{ tool: "get-pending-todos", arguments: "{}", startedAt: Date.now() },
  });
  await run("action.record", { call: call(), outcome: "ok" });
  await run("action.count", { call: call(), calls: 2 });
  await run("category.delete", { category_id: category.id });
  for (const _ of ["undo", "undo of the undo"]) await run("action.undo", { actions: await actions() });
  const ever = { from: "2026-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
  await run("action.undo-run", { token_id: "nobody", ...ever });
  await run("action.forget", { kind: "category", id: category.id });
}

/** A request that waits, and is carried out when its person approves it. */
async function askFirst(run: Run, { waiting }: Target): Promise<void> {
  const limits = { changes_per_day: null, deletions_per_day: null, category_id: null };
  const others = { token_id: "token", asks_deletions: false, ...limits };
  const rules = (ask_above: number | null) => ({ ...others, ask_above });
  await run("token.set-rules", rules(0));
  const earlier = String(await waiting());
  // A busy machine may refuse the change instead of keeping it for the person.
  await eventually(async () => {
    await run("todo.create", { title: "asked for" }).catch(() => {});
    return String(await waiting()) !== earlier;
  });
  await run("token.set-rules", rules(null));
  const approval_ids = await waiting();
  for (const approve of [true, false]) await run("approval.decide", { approval_ids, approve });
}

/** A browser as its push service describes it. */
function subscription() {
  const keys = createECDH("prime256v1");
  keys.generateKeys();
  return {
    endpoint: `https://push.example.org/${crypto.randomUUID()}`,
    p256dh: keys.getPublicKey("base64url"),
    auth: randomBytes(16).toString("base64url"),
    browser: "Firefox on Linux",
  };
}

async function importFile(run: Run): Promise<void> {
  const import_id = crypto.randomUUID();
  const [garden, swim, sow] = ["g", "s", "t"].map((letter) => letter.repeat(22));
  const times = { created_at: "2026-01-01T00:00:00Z", updated_at: null };
  const rhythm = { frequency: "daily", schedule: null, grace_days: 1, time_of_day: null, description: null };
  const series = { recurrence: null, recurrence_from: "due", recurrence_anchor: null, next: null };
  const nothing = { due_date: null, time_of_day: null, estimated_minutes: null, context: null };
  const open = { ...nothing, is_completed: false, completed_at: null, completed_on: null };
  const reminder = { remind_at: "2099-01-01T00:00:00Z", wall_time: "2099-01-01T00:00", status: "scheduled" };
  const todo = { title: "Sow", category: garden, description: "x".repeat(100_000), reminder };
  const history = { dates: ["2026-01-01", "2026-01-02"], times: [null, "2026-01-02T10:00:00Z"] };
  const habit = { name: "Swim", type: "good", category: garden, ...rhythm, ...times };
  const parts = [
    ["categories", garden, { key: garden, name: "Garden", color: null, icon: null, ...times }],
    ["habits", swim, { key: swim, ...habit }],
    ["histories", swim, { habit: swim, ...history }],
    ["todos", sow, { key: sow, ...todo, ...open, ...series, ...times }],
  ] as const;
  for (const _ of ["a file", "the same again"]) {
    for (const [part, [kind, key, thing]] of parts.entries())
      await run("import.stage", { import_id, part, kind, keys: [key], content: JSON.stringify([thing]) });
    await run("import.apply", { import_id, parts: parts.length });
    const action = { called_at: new Date().toISOString(), request_id: import_id };
    await run("import.continue", { ...action, step: 2, parts: [parts.length] });
  }
}

async function changeHabits(run: Run, category_id: number, { ringHabit }: Target): Promise<void> {
  const fields = { name: "Walk", type: "good", frequency: "daily", category_id };
  const { id: habit_id } = await run("habit.create", fields, { key: "walk" });
  await run("habit.create", fields, { key: "walk" });
  await run("habit.update", { habit_id, name: "Run", remind_at: "07:00" });
  await run("habit.skip", { habit_id });
  await run("habit.unskip", { habit_id });
  await run("habit.complete", { habit_id });
  await run("habit.undo", { habit_id });
  const delivery_id = crypto.randomUUID();
  await ringHabit(habit_id, delivery_id);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await run("habit.act", { habit_id, delivery_id, act: "done", date: yesterday });
  await run("habit.complete", { habit_id });
  await run("habit.update", { habit_id, new_category: "Sport" });
  await run("category.rename", { category: "Sport", name: "Sports" });
  await run("habit.delete", { habit_id });
}

async function changeTodos(run: Run, category_id: number, dueAt: number): Promise<void> {
  const remind_at = new Date(dueAt).toISOString();
  const { id: todo_id } = await run("todo.create", {
    title: "Water the plants",
    due_date: "2026-11-20",
    recurrence: "FREQ=DAILY",
    category_id,
  });
  const input = { title: "Prune them", category_id };
  const asOne = (name: CommandName, inputs: readonly object[]) =>
    run("batch.run-as-one", { operations: inputs.map((one) => ({ name, input: one })) });
  const { ends } = await asOne("todo.create", [input, input]);
  const ids = ends.map(({ body }: JsonBody) => ({ todo_id: body.id }));
  await asOne("todo.delete", ids);
  await run("todo.update", { todo_id, title: "Water all plants", category: "House" });
  await run("reminder.set", { todo_id, remind_at: "2099-01-01T09:00:00" });
  await run("todo.toggle", { todo_id });
  await run("todo.toggle", { todo_id });
  await run("reminder.clear", { todo_id });
  await run("todo.delete", { todo_id });
  const { id: due } = await run("todo.create", { title: "Answer the letter", category_id });
  await run("reminder.set", { todo_id: due, remind_at });
}

async function sendAgain(run: Run, { failReminder }: Target): Promise<void> {
  const { id: todo_id } = await run("todo.create", { title: "Call Grace" });
  await run("reminder.set", { todo_id, remind_at: "2099-01-01T09:00:00Z" });
  const delivery_id = crypto.randomUUID();
  await failReminder(todo_id, delivery_id);
  const again = await run("reminder.send-again", { todo_id, delivery_id });
  await run("reminder.act", { todo_id, delivery_id: again.delivery_id, act: "tomorrow" });
  // It would ring beside the due one.
  await run("todo.toggle", { todo_id });
  await run("todo.delete", { todo_id });
}

/** The parts of a target that change rows behind the service's back. */
export function byDatabase(pool: Pick<Pool, "query">, user: string) {
  return {
    /** Makes a delivery of this id for a habit's reminder. */
    ringHabit: (habitId: number, id: string) =>
      pool.query(
        `insert into reminder_deliveries
           (user_id, id, habit_id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
         values ($1, $2, $3, 'sent', 1, false, now(), now(), now(), now())`,
        [user, id, habitId],
      ),
    /** Makes a reminder one whose delivery, of this id, failed. */
    failReminder: (todoId: number, id: string) =>
      pool.query(
        "update reminders set status = 'failed', delivery_id = $2 where user_id = $1 and todo_id = $3",
        [user, id, todoId],
      ),
    /** Makes a finished delivery of this id for a webhook. */
    finishDelivery: (webhookId: string, id: string) =>
      pool.query(
        `insert into webhook_deliveries
           (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at, finished_at)
         values ($1, $2, $3, 'todo', 1, 'delivered', 1, now(), now(), now())`,
        [user, id, webhookId],
      ),
    /** The ids of requests that wait for approval. Filled rows keep none that could be carried out. */
    waiting: async (): Promise<string[]> => {
      const text = "select id from approvals where user_id = $1 and request <> ''";
      return (await pool.query<{ id: string }>(text, [user])).rows.map(({ id }) => id);
    },
  };
}
