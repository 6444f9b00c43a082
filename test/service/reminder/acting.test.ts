import { expect, test } from "bun:test";
import { conflicts } from "../../../shared/domain/conflicts.ts";
import { eventually, useReminders } from "../../support/reminder/stack.ts";

const reminders = await useReminders();
const { rest, config, sub, travelTo, createTodo, remind, reminderOf } = reminders;
const { statusBecomes, tick, configure, rows, actionsOn } = reminders;
const receiver = await reminders.useWebhook({ time_zone: "Europe/Berlin", day_start_hour: 3 });
const start = "2026-11-21T08:00:00Z";
/** 01:30 in Berlin: before the start of the user's day, so a habit's ring belongs to the 21st. */
const night = "2026-11-22T00:30:00Z";

type Action = Readonly<{ act: string; label: string; url: string }>;
type Links = Readonly<Record<"done" | "hour" | "tomorrow" | "skip", string>>;

/** Waits for the message of a todo or habit. @returns the links in it */
async function messageOf(kind: "todo" | "habit", id: number) {
  await tick();
  const found = await eventually(() => receiver.received.find(({ event }) => event.data[kind]?.id === id));
  const actions: Action[] = found.event.data.actions;
  const links = Object.fromEntries(actions.map(({ act, url }) => [act, url])) as Links;
  return { id, ...links, labels: actions.map(({ act, label }) => [act, label]) };
}

/** Makes a todo whose reminder rings. */
async function ringTodo(fields: object = {}) {
  travelTo(start);
  const todo = await createTodo({ title: "Call Grace", ...fields });
  await remind(todo, "2026-11-21T09:00:00");
  await statusBecomes(todo, "sent");
  return messageOf("todo", todo);
}

/** Makes a habit whose reminder rings. */
async function ringHabit(fields: object = {}, at = night) {
  travelTo("2026-11-21T20:00:00Z");
  const body = { name: "Run", type: "good", frequency: "daily", remind_at: "01:30", ...fields };
  const { id } = (await rest("POST", "/habits", { body })).body;
  travelTo(at);
  return messageOf("habit", id);
}

async function request(url: string, method: "GET" | "HEAD" | "POST") {
  const response = await fetch(url, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const open = (url: string) => request(url, "GET");
const press = (url: string) => request(url, "POST");
const saying = (status: number, text: string) => ({ status, text: expect.stringContaining(text) });
const isDone = async (todo: number) => (await rest("GET", `/todos/${todo}`)).body.is_completed;
const skipsOf = async (habit: number) => (await rest("GET", `/habits/${habit}`)).body.skipped_dates;
const daysOf = async (habit: number): Promise<string[]> =>
  (await rest("GET", `/habits/${habit}/completions`)).body.data.map(({ date }: { date: string }) => date);

async function undo(id: number, tool: string, resource_name: string): Promise<void> {
  const byLink = { door: "page", client_name: "a link in a reminder", resource_name };
  expect(await actionsOn(id, tool)).toMatchObject([byLink]);
  await reminders.undo(id, tool);
}

const forgetReplies = () => rows("delete from inbox where user_id = $1", [sub]);
const linkOf = (signed: string) => `${config.baseUrl}/remind/${signed}`;
/** The parts of a link: its fields and its signature. */
function read(link: string) {
  const [content = "", signature = ""] = link.split("/remind/")[1]?.split(".") ?? [];
  return { content, signature, fields: JSON.parse(Buffer.from(content, "base64url").toString()) };
}
const written = (fields: unknown[]) => Buffer.from(JSON.stringify(fields)).toString("base64url");

test("a link shows one button and changes nothing; pressed, it ticks off the todo once, as an act that can be undone", async () => {
  const { id, done, hour } = await ringTodo({ description: "About the boat" });
  const page = await open(done);
  expect(page.text.match(/<button/g)).toHaveLength(1);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'none'");
  expect(page).toMatchObject(saying(200, "Call Grace"));
  await request(done, "HEAD");
  expect(await isDone(id)).toBe(false);

  expect(await press(done)).toMatchObject(saying(200, "is done"));
  expect(await isDone(id)).toBe(true);
  await undo(id, "reminder.act", "Call Grace");
  expect(await isDone(id)).toBe(false);
  expect((await press(done)).text).toContain("used already");
  await rest("PATCH", `/todos/${id}`, { body: { title: "A later secret" } });
  for (const link of [done, hour]) {
    expect(await open(link)).toMatchObject(saying(200, "used already"));
    expect((await open(link)).text).not.toContain("A later secret");
  }
  await forgetReplies();
  expect(await press(done)).toMatchObject(saying(409, "used already"));
  expect(await isDone(id)).toBe(false);
});

test("a reminder that is put off rings again, and each of its links works", async () => {
  const { id, done, hour, tomorrow } = await ringTodo();
  travelTo("2026-11-21T10:10:30Z");
  expect((await press(hour)).text).toContain("Sat 21 Nov 12:11");
  const inAnHour = { remind_at: "2026-11-21T11:11:00.000000Z", status: "scheduled" };
  expect(await reminderOf(id)).toMatchObject(inAnHour);
  expect((await press(tomorrow)).text).toContain("Sun 22 Nov 09:00");
  expect((await reminderOf(id)).local_time).toBe("2026-11-22T09:00:00");
  travelTo("2026-11-22T08:00:00Z");
  await statusBecomes(id, "sent");
  expect(receiver.received.filter(({ event }) => event.data.todo?.id === id)).toHaveLength(2);
  await press(done);
  expect(await isDone(id)).toBe(true);
  const other = await ringTodo();
  await rest("POST", `/todos/${other.id}/toggle`);
  expect(await press(other.hour)).toMatchObject(saying(409, conflicts.todoCompleted.refusal.message));
});

test("an hour is put off for this occurrence alone, and rings when it is over, wherever its user is by then", async () => {
  const { id, hour } = await ringTodo({ recurrence: "FREQ=DAILY", due_date: "2026-11-21" });
  await press(hour);
  const [row] = await rows("select wall_time::text from reminders where todo_id = $1", [id]);
  expect(row).toEqual({ wall_time: "2026-11-21 09:00:00" });
  for (const time_zone of ["America/New_York", "Asia/Tokyo", "Europe/Berlin"]) {
    await configure({ time_zone });
    expect(await reminderOf(id)).toMatchObject({ remind_at: "2026-11-21T09:00:00.000000Z" });
  }
});

test("a reminder that was moved and then rang goes with its todo, when all is taken back", async () => {
  travelTo("2026-11-21T07:00:00Z");
  const id = await createTodo();
  for (const time of ["08:30", "09:00"]) await remind(id, `2026-11-21T${time}:00`);
  travelTo(start);
  await statusBecomes(id, "sent");
  const ends = [...(await reminders.undo(id, "reminder.set")), ...(await reminders.undo(id, "todo.create"))];
  expect(ends.map(({ undone }) => undone)).toEqual(["whole", "whole", "whole"]);
  expect((await rest("GET", `/todos/${id}`)).status).toBe(404);
});

test("a link that is forged, of another user, older than seven days or of a deleted todo does nothing", async () => {
  const { id, done } = await ringTodo();
  const { content, signature, fields } = read(done);
  const forged = `${written(["eve", ...fields.slice(1)])}.${signature}`;
  const statuses = async (link: string) => [(await open(link)).status, (await press(link)).status];
  for (const signed of [forged, `${content}.AAAA`, `${content}.${signature}.x`, content, "x".repeat(3_000)])
    expect(await statuses(linkOf(signed))).toEqual([404, 404]);
  travelTo("2026-12-08T08:00:00Z");
  expect(await statuses(done)).toEqual([410, 410]);
  expect(await isDone(id)).toBe(false);
  travelTo(start);
  await rest("DELETE", `/todos/${id}`);
  expect(await statuses(done)).toEqual([404, 404]);
});

test("the links of one delivery are opened 20 times a minute at most", async () => {
  const { done, hour } = await ringTodo();
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await open(done)).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect((await press(hour)).status).toBe(429);
});

test("Done completes a habit on the day of the ring, once, also a day later, and can be undone", async () => {
  const { id, done, labels } = await ringHabit();
  expect(labels).toEqual([
    ["done", "Done"],
    ["hour", "In an hour"],
    ["skip", "Skip today"],
  ]);
  const asked = await open(done);
  expect(asked.text.match(/<button/g)).toHaveLength(1);
  expect(asked).toMatchObject(saying(200, "<strong>Run</strong> for today"));
  await request(done, "HEAD");
  expect(await daysOf(id)).toEqual([]);

  travelTo("2026-11-22T12:00:00Z");
  expect(await press(done)).toMatchObject(saying(200, "is done for Sat 21 Nov"));
  expect(await daysOf(id)).toEqual(["2026-11-21"]);
  expect((await press(done)).text).toContain("used already");
  await undo(id, "habit.act", "Run");
  expect(await daysOf(id)).toEqual([]);
  await forgetReplies();
  expect(await press(done)).toMatchObject(saying(409, "used already"));
  expect(await daysOf(id)).toEqual([]);
});

test("Skip skips the day of the ring and can be undone; a day that is done or skipped is refused", async () => {
  const { id, done, skip } = await ringHabit();
  expect((await press(skip)).text).toContain("is skipped for today");
  expect(await skipsOf(id)).toEqual(["2026-11-21"]);
  expect(await press(done)).toMatchObject(saying(409, `${conflicts.habitSkipped("").refusal.next}`));
  await undo(id, "habit.act", "Run");
  expect(await skipsOf(id)).toEqual([]);
  const other = await ringHabit();
  await rest("POST", `/habits/${other.id}/complete`);
  for (const url of [other.done, other.skip]) expect((await press(url)).status).toBe(409);
});

test("In an hour lets a habit ring once more for its day, unless the day is done by then", async () => {
  const ringsOf = (habit: number) =>
    receiver.received.filter(({ event }) => event.data.habit?.id === habit).length;
  const { id, hour } = await ringHabit();
  const done = await ringHabit();
  for (const link of [hour, done.hour])
    expect(await press(link)).toMatchObject(saying(200, "<strong>Run</strong>: the reminder comes again"));
  expect((await press(hour)).text).toContain("used already");
  await rest("POST", `/habits/${done.id}/complete`);
  travelTo("2026-11-22T01:29:00Z");
  await tick();
  expect([ringsOf(id), ringsOf(done.id)]).toEqual([1, 1]);
  travelTo("2026-11-22T01:31:00Z");
  await tick();
  await eventually(() => ringsOf(id) === 2);
  const cancelled = "select from reminder_deliveries where habit_id = $1 and status = 'cancelled'";
  await eventually(async () => (await rows(cancelled, [done.id])).length === 1);
  expect(ringsOf(done.id)).toBe(1);
  expect(await press(hour)).toMatchObject(saying(200, "used already"));
});

test("a habit to avoid is avoided, in the words of its link and page", async () => {
  const { id, done, labels } = await ringHabit({ name: "Smoke", type: "bad" });
  expect(labels[0]).toEqual(["done", "Avoided"]);
  expect((await open(done)).text).toContain("<button>Avoided</button>");
  expect((await press(done)).text).toContain("is avoided for today");
  expect(await daysOf(id)).toEqual(["2026-11-21"]);
});

test("a habit's link does nothing on a day that is still to come, after seven days, forged or when the habit is deleted", async () => {
  const { id, done } = await ringHabit({}, "2026-11-22T12:00:00Z");
  travelTo("2026-11-19T11:00:00Z");
  expect(await press(done)).toMatchObject(saying(409, "2026-11-21, cannot be changed now"));
  travelTo("2026-12-08T08:00:00Z");
  expect((await press(done)).status).toBe(410);
  const { fields, signature } = read(done);
  const forged = `${written([...fields.slice(0, 6), "2026-11-22"])}.${signature}`;
  expect((await press(linkOf(forged))).status).toBe(404);
  const gone = await ringHabit();
  await rest("DELETE", `/habits/${gone.id}`);
  expect([(await open(gone.done)).status, (await press(gone.done)).status]).toEqual([404, 404]);
  expect(await daysOf(id)).toEqual([]);
});
