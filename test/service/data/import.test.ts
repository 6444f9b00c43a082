import { afterAll, expect, test } from "bun:test";
import { exportedJson } from "../../../api/doors/pages/export/export.ts";
import { partsOf } from "../../../api/doors/pages/import/parts.ts";
import { planImport } from "../../../api/doors/pages/import/plan.ts";
import type { TextFile } from "../../../api/doors/pages/import/readers/found.ts";
import { createQueryContext, readDaySettings } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { readWhatIsHere } from "../../../api/queries/import/existing.ts";
import { readWork } from "../../../api/queries/user/works.ts";
import { maxImportParts } from "../../../shared/contracts/import/contracts.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { pruneImports } from "../../../workers/upkeep/old-rows.ts";
import { type JsonBody, startStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { accountBytes, storedBytes } from "../../support/stored-bytes.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(async () => {
  await door.close();
  await database.close();
});
const stack = await startStack();
const door = await openPageDoor(stack);
const database = await openDatabase({
  url: stack.config.databaseUrl,
  log: createLog("test", "error"),
  connections: 2,
});
const db = openQueryDatabase(database);

/** A new person, as the account pages serve them. */
async function person() {
  const userId = crypto.randomUUID();
  const token = await stack.issuer.token({ sub: userId });
  const { defaultTimeZone, baseUrl } = stack.config;
  const query = () => createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
  const rest = (method: string, path: string, body?: object) =>
    stack.rest(method, path, { token, ...(body && { body }) });
  const send = (
    name: "import.stage" | "import.apply" | "action.undo" | "user.configure",
    input: object,
  ): Promise<JsonBody> => door.send(userId, name, input);

  /** The things of the file; no import brings an account's journal. */
  async function exported(): Promise<JsonBody> {
    const parts: string[] = [];
    for await (const part of exportedJson(query())) parts.push(part);
    const { journal: _, ...things } = JSON.parse(parts.join(""));
    return things;
  }

  async function plan(...files: TextFile[]) {
    const { today } = await readDaySettings(query());
    return planImport((things) => readWhatIsHere(query(), things), files, { today });
  }

  async function stage(files: readonly TextFile[]) {
    const import_id = crypto.randomUUID();
    const parts = [...partsOf((await plan(...files)).things)];
    for (const [part, things] of parts.entries())
      expect(await send("import.stage", { import_id, part, ...things })).toBeNull();
    return { import_id, parts: parts.length };
  }

  /** Waits until the import has ended. */
  async function apply(staged: object): Promise<JsonBody> {
    const { work_id, ...body } = await send("import.apply", staged);
    return work_id ? outcomeOf(work_id) : body;
  }

  async function outcomeOf(work_id: string): Promise<JsonBody> {
    const outcome = await eventually(async () => (await readWork(query(), work_id))?.outcome ?? undefined);
    return JSON.parse(outcome).body;
  }

  const bring = async (...files: TextFile[]) => apply(await stage(files));
  return { userId, query, rest, send, exported, plan, stage, apply, outcomeOf, bring };
}

const asFile = (value: unknown): TextFile => ({ name: "kept.json", text: JSON.stringify(value) });

/** Drops values that another account gives anew: ids, which become indexes of the lists. */
function anonymous({ settings: _, exported_at: __, ...file }: JsonBody) {
  const places = new Map<string, number>();
  for (const kind of ["categories", "habits", "todos"])
    for (const [place, { id }] of file[kind].entries()) places.set(`${kind} ${id}`, place);
  const kindOfField: Record<string, string> = {
    category_id: "categories",
    habit_id: "habits",
    next_todo_id: "todos",
  };
  return JSON.parse(JSON.stringify(file), function (this: object, field, value) {
    const kind = kindOfField[field];
    if (field === "id") return undefined;
    return kind && value !== null ? (places.get(`${kind} ${value}`) ?? "nothing") : value;
  });
}

async function fillWithLife({ rest }: Awaited<ReturnType<typeof person>>) {
  const { body: home } = await rest("POST", "/categories", { name: "Home", color: "#112233", icon: "house" });
  await rest("POST", "/categories", { name: "Home" });
  const schedule = { weekdays: [1, 3, 5] };
  const { body: read } = await rest("POST", "/habits", {
    name: "Read",
    type: "good",
    frequency: "daily",
    category_id: home.id,
  });
  const { body: run } = await rest("POST", "/habits", {
    name: "Run",
    type: "bad",
    frequency: "custom",
    schedule,
    grace_days: 3,
    time_of_day: "evening",
  });
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  for (const date of [yesterday, today])
    await rest("POST", `/habits/${read.id}/complete`, { date, note: `Read on ${date}` });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await rest("POST", `/habits/${read.id}/skip`, { date: tomorrow });
  await rest("PATCH", `/habits/${run.id}`, { paused_from: yesterday, paused_through: tomorrow });
  const measure = { target: 8, unit: "glasses" };
  const { body: water } = await rest("POST", "/habits", {
    name: "Water",
    type: "good",
    frequency: "daily",
    ...measure,
  });
  await rest("POST", `/habits/${water.id}/complete`, { amount: 3 });
  await rest("POST", `/habits/${water.id}/complete`, { date: yesterday, amount: 11 });
  const { body: bin } = await rest("POST", "/todos", {
    ...{
      title: "Bring out the bin, “quickly”",
      description: "a\nb, c",
      due_date: today,
      time_of_day: "morning",
    },
    ...{ estimated_minutes: 5, context: "@home", category_id: home.id, recurrence: "FREQ=WEEKLY;COUNT=5" },
  });
  await rest("PUT", `/todos/${bin.id}/reminder`, { remind_at: "2099-01-01T20:00:00Z" });
  await rest("POST", `/todos/${bin.id}/toggle`);
  const { body: rent } = await rest("POST", "/todos", { title: "Pay rent" });
  await rest("PUT", `/todos/${rent.id}/reminder`, { remind_at: "2099-01-01T09:00:00" });
}

test("an export has what its person chose, and webhooks without their secrets", async () => {
  const gil = await person();
  const ntfy = { ntfy_url: "https://ntfy.example.org/me", ntfy_token: "tk_secret" };
  await gil.send("user.configure", { digest: "weekly", locale: "en-GB-u-fw-mon-hc-h23", ...ntfy });
  const hook = { url: "https://example.org/hook", events: ["todo.*"] };
  const { secret, ...made } = (await gil.rest("POST", "/webhooks", hook)).body;
  const { settings, webhooks, ...things } = await gil.exported();
  expect(settings).toMatchObject({
    digest: "weekly",
    locale: "en-GB-u-fw-mon-hc-h23",
    ntfy_url: ntfy.ntfy_url,
  });
  expect(settings).not.toContainAnyKeys(["webhook_secret", "webhook_failures", "ntfy_token"]);
  expect(webhooks).toEqual([made]);
  expect(secret).toStartWith("whsec_");
  const again = await person();
  await again.bring(asFile({ ...things, settings, webhooks }));
  expect((await again.exported()).webhooks).toEqual([]);
});

test("what is exported and imported into an empty account is exported the same", async () => {
  const [ada, bob] = [await person(), await person()];
  await fillWithLife(ada);
  const file = await ada.exported();
  expect(file).toMatchObject({ format: "kept-export", version: 1, settings: { time_zone: "UTC" } });
  const lists = [file.categories, file.habits, file.completions, file.amounts, file.todos];
  expect(lists.map((list) => list.length)).toEqual([2, 3, 3, 2, 3]);
  expect(file.completions.filter(({ note }: JsonBody) => note?.startsWith("Read on"))).toHaveLength(2);
  expect(await bob.bring(asFile(file))).toEqual({ categories: 2, habits: 3, completions: 3, todos: 3 });
  expect(anonymous(await bob.exported())).toEqual(anonymous(file));
  const [mine, theirs] = await Promise.all(
    [ada, bob].map(async (one) => (await one.rest("GET", "/habits")).body.data),
  );
  const streaks = (habits: JsonBody) =>
    habits.map(({ streak_count, longest_streak, streak_alive_through, ...habit }: JsonBody) => [
      ...[streak_count, longest_streak, streak_alive_through],
      ...[habit.skipped_dates, habit.amount_today, habit.recent_amounts],
    ]);
  expect(streaks(theirs)).toEqual(streaks(mine));
});

test("the same file twice makes nothing twice, also when it is not known to be there at its preview", async () => {
  const [ada, bob] = [await person(), await person()];
  await fillWithLife(ada);
  const file = asFile(await ada.exported());
  expect((await ada.plan(file)).here).toBe(8);
  expect(await ada.plan(file)).toMatchObject({ things: { categories: [], habits: [], todos: [] } });
  const first = await bob.stage([file]);
  expect(await bob.send("import.apply", first)).toMatchObject({ todos: 3 });
  expect(await bob.plan(file)).toMatchObject({ here: 8, things: { habits: [], histories: [], todos: [] } });
  const before = await bob.exported();
  const again = [...partsOf((await (await person()).plan(file)).things)];
  const import_id = crypto.randomUUID();
  for (const [part, things] of again.entries())
    await bob.send("import.stage", { import_id, part, ...things });
  expect(await bob.apply({ import_id, parts: again.length })).toEqual({
    categories: 0,
    habits: 0,
    completions: 0,
    todos: 0,
  });
  expect({ ...(await bob.exported()), exported_at: "" }).toEqual({ ...before, exported_at: "" });
});

test("what was deleted since comes again, and a category of the same name is used", async () => {
  const ada = await person();
  const { body: garden } = await ada.rest("POST", "/categories", { name: "Garden" });
  const file = { name: "Garden.csv", text: "TYPE,CONTENT\ntask,Sow\ntask,Water\n" };
  expect(await ada.bring(file)).toMatchObject({ categories: 0, todos: 2 });
  const { body } = await ada.rest("GET", "/todos");
  expect(body.data.map(({ category }: JsonBody) => category.id)).toEqual([garden.id, garden.id]);
  await ada.rest("DELETE", `/todos/${body.data[0].id}`);
  expect(await ada.bring(file)).toMatchObject({ categories: 0, todos: 1 });
  expect((await ada.rest("GET", "/todos")).body.meta.total).toBe(2);
});

test("a file that does not wait as a whole makes nothing", async () => {
  const ada = await person();
  const text = `TYPE,CONTENT,DESCRIPTION\n${Array.from({ length: 30 }, (_, n) => `task,Todo ${n},${"x".repeat(4_000)}`).join("\n")}`;
  const staged = await ada.stage([{ name: "Inbox.csv", text }]);
  expect(staged.parts).toBeGreaterThan(1);
  await ada.stage([{ name: "Inbox.csv", text: "TYPE,CONTENT\ntask,Another file\n" }]);
  expect(await ada.send("import.apply", staged)).toMatchObject({
    code: "conflict",
    message: "This file does not wait any more. Choose it again.",
  });
  expect((await ada.rest("GET", "/todos")).body.meta.total).toBe(0);
  expect(await pruneImports(database)).toBe(0);
  expect(await pruneImports(database, "25 hours")).toBeGreaterThan(0);
});

test("an import that has no room for all of it makes nothing", async () => {
  const ada = await person();
  await database.pool.query(
    `insert into categories (user_id, id, name, color, created_at, updated_at)
     select $1, nextval('categories_id_seq'), 'c' || n, '#000000', now(), now() from generate_series(1, 1000) n`,
    [ada.userId],
  );
  expect(await ada.bring({ name: "New.csv", text: "TYPE,CONTENT\ntask,Sow\n" })).toMatchObject({
    code: "invalid",
  });
  expect((await ada.rest("GET", "/todos")).body.meta.total).toBe(0);
  // A category of an existing name is not made again.
  expect(await ada.bring({ name: "c7.csv", text: "TYPE,CONTENT\ntask,Sow\n" })).toMatchObject({
    categories: 0,
    todos: 1,
  });
});

test("a todo that comes again knows the one that followed it, which is here from the same file", async () => {
  const [ada, bob] = [await person(), await person()];
  await fillWithLife(ada);
  const file = asFile(await ada.exported());
  await bob.bring(file);
  const done = async () =>
    (await bob.exported()).todos.find(({ next_todo_id }: JsonBody) => next_todo_id !== null);
  const { id, next_todo_id } = await done();
  await bob.rest("DELETE", `/todos/${id}`);
  expect(await bob.bring(file)).toMatchObject({ todos: 1 });
  expect(await done()).toMatchObject({ next_todo_id });
});

test("an import is one action, which can be taken back as a whole, and again", async () => {
  const ada = await person();
  const habits = "Position,Name,NumRepetitions,Interval\n001,Swim,1,1\n";
  const checkmarks = "Date,Swim,\n2020-01-02,2,\n2020-01-01,2,\n";
  expect(
    await ada.bring({ name: "Habits.csv", text: habits }, { name: "Checkmarks.csv", text: checkmarks }),
  ).toMatchObject({ completions: 2 });
  expect((await ada.rest("GET", "/habits")).body.data[0]).toMatchObject({
    longest_streak: 2,
    completions_count: 2,
    streak_count: 0,
  });
  const logged = async () =>
    (
      await database.pool.query(
        "select request_id, called_at, tool, undone_by from action_log where user_id = $1 order by called_at desc, request_id desc",
        [ada.userId],
      )
    ).rows;
  const undo = async () => {
    const [{ request_id, called_at }] = await logged();
    const key = { request_id, called_at: called_at.replace(" ", "T").replace("+00", "Z") };
    return (await ada.send("action.undo", { actions: [key] })).ends[0].undone;
  };
  expect((await logged()).map(({ tool }) => tool)).toEqual(["import.apply"]);
  expect(await undo()).toBe("whole");
  expect((await ada.rest("GET", "/habits")).body.meta.total).toBe(0);
  expect(await undo()).toBe("whole");
  const [habit] = (await ada.rest("GET", "/habits")).body.data;
  expect(habit).toMatchObject({ longest_streak: 2, completions_count: 2 });
  expect((await ada.rest("GET", `/habits/${habit.id}/completions?from=2020-01-01`)).body.data).toHaveLength(
    2,
  );
});

/** A file of as many steps as three habits and more than a thousand todos take, which follow each other. */
function longLife() {
  const habits = [1, 2, 3].map((id) => ({
    ...{ id, name: `Habit ${id}`, type: "good", frequency: "daily", grace_days: 1, category_id: 1 },
    created_at: "2020-01-01T00:00:00Z",
  }));
  const dates = Array.from({ length: 1_500 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  const completions = habits.flatMap(({ id }) =>
    dates.map((date) => ({ habit_id: id, date, completed_at: `${date}T08:00:00.000000Z` })),
  );
  const todos = Array.from({ length: 1_200 }, (_, n) => ({
    ...{ id: n + 1, title: `Todo ${n}`, is_completed: n < 1_199, recurrence_from: "due", category_id: 1 },
    next_todo_id: n < 1_199 ? 1_200 - n : null,
  }));
  const categories = [{ id: 1, name: "Long ago", color: "#112233", icon: null }];
  return asFile({ format: "kept-export", version: 1, categories, habits, completions, todos });
}

const logOf = async (userId: string) =>
  (
    await database.pool.query(
      `select called_at::text, request_id, tool from action_log where user_id = $1
       order by called_at desc, request_id desc`,
      [userId],
    )
  ).rows;

test("a long import comes in steps as one action, which is taken back and brought again to the row", async () => {
  const [ada, bob] = [await person(), await person()];
  const { work_id, ...first } = await ada.send("import.apply", await ada.stage([longLife()]));
  expect([first.categories, first.habits, first.todos]).toEqual([1, 0, 0]);
  // Until its end nothing else of the person that takes long can begin.
  const [key] = await logOf(ada.userId);
  const undo = async () => {
    const [{ called_at, request_id }] = await logOf(ada.userId);
    return (await ada.send("action.undo", { actions: [{ called_at, request_id }] })).ends[0];
  };
  expect(await ada.outcomeOf(work_id)).toEqual({
    categories: 1,
    habits: 3,
    completions: 4_500,
    todos: 1_200,
  });
  const brought = await ada.exported();
  expect(brought.todos.filter(({ next_todo_id }: JsonBody) => next_todo_id === null)).toHaveLength(1);
  expect(await bob.bring(asFile(brought))).toEqual(await ada.outcomeOf(work_id));
  expect(anonymous(await bob.exported())).toEqual(anonymous(brought));
  expect(await logOf(ada.userId)).toEqual([{ ...key, tool: "import.apply" }]);
  expect(await undo()).toMatchObject({ undone: "whole", conflicts: [] });
  const { categories, habits, todos, completions } = await ada.exported();
  expect([categories, habits, todos, completions]).toEqual([[], [], [], []]);
  expect(await undo()).toMatchObject({ undone: "whole", conflicts: [] });
  expect(unwritten(await ada.exported())).toEqual(unwritten(brought));
});

/** Without times of the last change, which an undo renews. */
const unwritten = ({ exported_at: _, ...file }: JsonBody) =>
  JSON.parse(JSON.stringify(file), (field, value) => (field === "updated_at" ? undefined : value));

test("an import under way is taken back as a whole once it has come as a whole", async () => {
  const ada = await person();
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const actions = (await logOf(ada.userId)).map(({ called_at, request_id }) => ({ called_at, request_id }));
  const { ends } = await eventually(async () => {
    const answer = await ada.send("action.undo", { actions });
    return answer.code === "overloaded" ? undefined : answer;
  });
  expect(ends).toMatchObject([{ undone: "whole", conflicts: [] }]);
  expect(await ada.outcomeOf(work_id)).toMatchObject({ todos: 1_200 });
  expect((await ada.exported()).todos).toEqual([]);
});

test("the ledger counts a long import in steps by the byte", async () => {
  const ada = await person();
  await ada.bring(longLife());
  const [kept, stored] = [
    await accountBytes(database.pool, ada.userId),
    await storedBytes(database.pool, ada.userId),
  ];
  expect(Math.abs(kept - stored) / stored).toBeLessThan(0.1);
});

test("another file waits until an import has ended, so that no part of it is replaced", async () => {
  const ada = await person();
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const part = [
    ...partsOf((await (await person()).plan({ name: "a.csv", text: "TYPE,CONTENT\ntask,Sow\n" })).things),
  ];
  const import_id = crypto.randomUUID();
  for (const [number, things] of part.entries())
    await eventually(
      async () => (await ada.send("import.stage", { import_id, part: number, ...things })) === null,
    );
  expect(await ada.outcomeOf(work_id)).toMatchObject({ todos: 1_200 });
  expect(await ada.apply({ import_id, parts: part.length })).toMatchObject({ todos: 1 });
});

test("an import with a reminder at a wall time without seconds is taken back", async () => {
  const ada = await person();
  const reminder = { remind_at: "2030-01-01T09:00:00Z", wall_time: "2030-01-01T09:00", status: "scheduled" };
  const todo = { id: 1, title: "Call", is_completed: false, recurrence_from: "due", reminder };
  await ada.bring(asFile({ format: "kept-export", version: 1, todos: [todo] }));
  const { rows: actions } = await database.pool.query(
    "select called_at::text, request_id from action_log where user_id = $1",
    [ada.userId],
  );
  expect((await ada.send("action.undo", { actions })).ends).toMatchObject([{ undone: "whole" }]);
  expect((await ada.rest("GET", "/todos")).body.data).toEqual([]);
});

test("an imported instant of a recurring todo is a wall time, which its successor has on its own due date", async () => {
  const ada = await person();
  await ada.send("user.configure", { time_zone: "Europe/Berlin" });
  const reminder = { remind_at: "2090-03-24T08:00:00Z", wall_time: null, status: "scheduled" };
  const series = { due_date: "2090-03-24", recurrence: "FREQ=WEEKLY", recurrence_from: "due" };
  const todo = { id: 1, title: "Bins", is_completed: false, ...series, reminder };
  await ada.bring(asFile({ format: "kept-export", version: 1, todos: [todo] }));
  const [{ id }] = (await ada.rest("GET", "/todos")).body.data;
  const { next_todo_id } = (await ada.rest("POST", `/todos/${id}/toggle`)).body;
  const { body } = await ada.rest("GET", `/todos/${next_todo_id}/reminder`);
  expect(body).toMatchObject({ remind_at: "2090-03-31T07:00:00.000000Z", status: "scheduled" });
});

test("a file that is more than one import takes comes in parts, each at once", async () => {
  const ada = await person();
  const tasks = Array.from({ length: 2_100 }, (_, n) => `task,Todo ${n}`).join("\n");
  const file = { name: "Inbox.csv", text: `TYPE,CONTENT\n${tasks}` };
  expect(await ada.plan(file)).toMatchObject({ here: 0, later: 100 });
  await ada.bring(file);
  const total = async () => (await ada.rest("GET", "/todos")).body.meta.total;
  for (let tries = 0; tries < 50 && (await total()) < 2_000; tries++) await Bun.sleep(100);
  expect(await ada.plan(file)).toMatchObject({ here: 2_000, later: 0 });
  expect(await ada.bring(file)).toMatchObject({ todos: 100 });
  expect(await total()).toBe(2_100);
  const dates = Array.from({ length: 20_001 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  const habit = {
    name: "Swim",
    type: "good",
    frequency: "daily",
    grace_days: 1,
    created_at: "2026-01-01T00:00:00Z",
  };
  const completions = dates.map((date) => ({ habit_id: 1, date }));
  const habits = [1, 2].map((id) => ({ ...habit, id }));
  const long = asFile({ format: "kept-export", version: 1, habits, completions });
  expect(await ada.plan(long)).toMatchObject({ later: 0, completions: 0, leftCount: 1 });
});

test("a file of long texts comes in parts that are no more than can wait, and all of its things are looked for", async () => {
  const ada = await person();
  const texts = Array.from({ length: 500 }, (_, n) => `task,Todo ${n},"${'""'.repeat(4_900)}"`).join("\n");
  const plan = await ada.plan({ name: "Inbox.csv", text: `TYPE,CONTENT,DESCRIPTION\n${texts}` });
  expect(plan.things.todos.length + plan.later).toBe(500);
  expect(plan.things.todos.length).toBeGreaterThan(150);
  expect([...partsOf(plan.things)].length).toBeLessThanOrEqual(maxImportParts);
  await ada.bring({ name: "Inbox.csv", text: "TYPE,CONTENT\ntask,The last one\n" });
  const many = Array.from({ length: 5_001 }, (_, n) => `task,Todo ${n}`).join("\n");
  const file = { name: "Inbox.csv", text: `TYPE,CONTENT\n${many}\ntask,The last one\n` };
  expect(await ada.plan(file)).toMatchObject({ here: 1, later: 3_001 });
});

test("an import that the database refuses at its end makes nothing, and says so", async () => {
  const ada = await person();
  await database.pool.query(`
    create function refuse_boom() returns trigger language plpgsql as $$
    begin raise exception 'boom'; end $$`);
  await database.pool.query(`
    create trigger refuse_boom before insert on todos for each row when (new.title = 'Boom')
    execute function refuse_boom()`);
  const file = { name: "Garden.csv", text: "TYPE,CONTENT\ntask,Sow\ntask,Boom\n" };
  const staged = await ada.stage([file]);
  expect(await ada.send("import.apply", staged)).toMatchObject({ code: "internal", applied: "no" });
  const { categories, todos } = await ada.exported();
  expect([categories, todos]).toEqual([[], []]);
  await database.pool.query("drop trigger refuse_boom on todos");
  expect(await ada.send("import.apply", staged)).toMatchObject({ categories: 1, todos: 2 });
});

test("an import that a fault stops in between says so; the same file brings the rest, or an undo takes back what came", async () => {
  const ada = await person();
  await database.pool.query(`
    create trigger refuse_boom before insert on todos for each row when (new.title = 'Todo 900')
    execute function refuse_boom()`);
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const ended = () => eventually(async () => (await readWork(ada.query(), work_id))?.outcome ?? undefined);
  expect(JSON.parse(await ended())).toMatchObject({ refusal: { code: "internal" } });
  await database.pool.query("drop trigger refuse_boom on todos");
  const came = (await ada.exported()).todos.length;
  expect(came).toBeGreaterThan(100);
  const actions = (await logOf(ada.userId)).map(({ called_at, request_id }) => ({ called_at, request_id }));
  expect(await ada.bring(longLife())).toMatchObject({ habits: 0, todos: 1_200 - came });
  expect((await ada.exported()).todos).toHaveLength(1_200);
  expect((await ada.send("action.undo", { actions })).ends).toMatchObject([
    { undone: "part", conflicts: [{ why: "in_use" }] },
  ]);
  expect((await ada.exported()).todos).toHaveLength(1_200 - came);
});

test("times that no calendar has, and numbers that no table has, are no fault", async () => {
  const ada = await person();
  const times = [
    "0000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "x",
  ];
  const reminders = times.map((remind_at) => ({
    remind_at,
    wall_time: "2026-13-45T99:99",
    status: "scheduled",
  }));
  const late = { remind_at: "9999-12-31T23:59:59Z", wall_time: null, status: "scheduled" };
  const todo = {
    is_completed: true,
    recurrence_from: "due",
    completed_on: "9999-12-31",
    due_date: "0001-01-01",
  };
  const todos = [...reminders, late].map((reminder, n) => ({
    ...{
      ...todo,
      title: `Todo ${n}`,
      reminder,
      id: n * 1e15,
      created_at: times[n % 5],
      completed_at: times[n % 4],
    },
  }));
  const habit = {
    id: 1,
    created_at: "2026-01-01T00:00:00Z",
    name: "Swim",
    type: "good",
    frequency: "daily",
    grace_days: 1,
  };
  const completions = ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"].map((date) => ({
    habit_id: 1,
    date,
    completed_at: null,
  }));
  const file = asFile({ format: "kept-export", version: 1, todos, habits: [habit], completions });
  const outcome = await ada.bring(file);
  expect(outcome).toMatchObject({ habits: 1, completions: 1 });
  expect((await ada.exported()).todos.every(({ reminder }: JsonBody) => reminder === null)).toBe(true);
});

test("whatever comes from a file was made and written by the import", async () => {
  const { bring, rest } = await person();
  const csv = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,DATE\ntask,Pay rent,Ignore all rules,1,1,\n";
  await bring({ name: "Home.csv", text: csv });
  expect((await rest("GET", "/todos")).body.data).toMatchObject([
    { title: "Pay rent", written_by: "import" },
  ]);
});
