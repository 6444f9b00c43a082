import { beforeAll, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { asAccountPage, eventually, query, reminding } from "../../support/reminder/stack.ts";

const stack = await useStack({ travels: true });
const { databaseUrl } = stack.config;
const { travelTo, createTodo, remind, reminderOf } = reminding(stack);
let secret = "";
const receiver = startReceiver(() => secret);
const start = "2026-11-21T08:00:00Z";

beforeAll(async () => {
  const chosen = { reminder_channel: "webhook", webhook_url: receiver.url, time_zone: "Europe/Berlin" };
  secret = (await asAccountPage(stack, "user.configure", chosen)).webhook_secret;
});

type Links = Readonly<Record<"done" | "hour" | "tomorrow", string>>;

/** Makes a todo whose reminder rings. @returns the links of its message */
async function ring(fields: object = {}): Promise<Readonly<{ todo: number; links: Links }>> {
  travelTo(start);
  const todo = await createTodo({ title: "Call Grace", ...fields });
  await remind(todo, "2026-11-21T09:00:00");
  const found = await eventually(() => receiver.received.find(({ event }) => event.data.todo?.id === todo));
  await eventually(async () => (await reminderOf(todo)).status === "sent");
  const actions: { act: string; url: string }[] = found.event.data.actions;
  return { todo, links: Object.fromEntries(actions.map(({ act, url }) => [act, url])) as Links };
}

const open = (url: string) => fetch(url);
const press = async (url: string) => {
  const answer = await fetch(url, { method: "POST" });
  return { status: answer.status, text: await answer.text() };
};
const todoOf = async (id: number) => (await stack.rest("GET", `/todos/${id}`)).body;
const forgetReplies = () => query(databaseUrl, "delete from inbox");

test("a link shows one button and changes nothing; pressed, it ticks off the todo once, as an act that can be undone", async () => {
  const { todo, links } = await ring({ description: "About the boat" });
  const page = await open(links.done);
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain("Call Grace");
  expect(text.match(/<button/g)).toHaveLength(1);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'none'");
  await fetch(links.done, { method: "HEAD" });
  expect((await todoOf(todo)).is_completed).toBe(false);

  expect(await press(links.done)).toMatchObject({ status: 200, text: expect.stringContaining("is done") });
  expect((await todoOf(todo)).is_completed).toBe(true);
  const at = `to_char(called_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as called_at`;
  const logged = `select door, client_name, resource_name, request_id, ${at} from action_log where resource_id = $1 and tool = 'reminder.act'`;
  const rows = await query(databaseUrl, logged, [todo]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    door: "page",
    client_name: "a link in a reminder",
    resource_name: "Call Grace",
  });

  const { called_at, request_id } = rows[0];
  const door = await openPageDoor(stack);
  const actions = [{ called_at, request_id }];
  await door.send("ada", "action.undo", { actions });
  await door.close();
  expect((await todoOf(todo)).is_completed).toBe(false);
  expect((await press(links.done)).text).toContain("used already");
  await forgetReplies();
  expect(await press(links.done)).toMatchObject({
    status: 409,
    text: expect.stringContaining("used already"),
  });
  expect((await todoOf(todo)).is_completed).toBe(false);
});

test("a reminder that is put off rings again, and each of its links works", async () => {
  const { todo, links } = await ring();
  travelTo("2026-11-21T10:10:30Z");
  expect((await press(links.hour)).text).toContain("Sat 21 Nov 12:11");
  expect(await reminderOf(todo)).toMatchObject({
    remind_at: "2026-11-21T11:11:00.000000Z",
    status: "scheduled",
  });
  expect((await press(links.tomorrow)).text).toContain("Sun 22 Nov 09:00");
  expect((await reminderOf(todo)).local_time).toBe("2026-11-22T09:00:00");
  travelTo("2026-11-22T08:00:00Z");
  await eventually(
    () => receiver.received.filter(({ event }) => event.data.todo?.id === todo).length === 2 || undefined,
  );
  await press(links.done);
  expect((await todoOf(todo)).is_completed).toBe(true);
  const { links: others, todo: other } = await ring();
  await stack.rest("POST", `/todos/${other}/toggle`);
  expect(await press(others.hour)).toMatchObject({
    status: 409,
    text: expect.stringContaining("already completed"),
  });
});

test("the next todo of a series is reminded at the usual time, even if this one was put off", async () => {
  const { todo, links } = await ring({ recurrence: "FREQ=DAILY", due_date: "2026-11-21" });
  await press(links.hour);
  const [row] = await query(
    databaseUrl,
    "select wall_time::text, remind_at from reminders where todo_id = $1",
    [todo],
  );
  expect(row).toEqual({ wall_time: "2026-11-21 09:00:00", remind_at: new Date("2026-11-21T09:00:00Z") });
});

test("a reminder put off by an hour rings when the hour is over, wherever its user is by then", async () => {
  const { todo, links } = await ring({ recurrence: "FREQ=DAILY", due_date: "2026-11-21" });
  await press(links.hour);
  for (const time_zone of ["America/New_York", "Asia/Tokyo", "Europe/Berlin"]) {
    await asAccountPage(stack, "user.configure", { time_zone });
    expect(await reminderOf(todo)).toMatchObject({ remind_at: "2026-11-21T09:00:00.000000Z" });
  }
});

test("a link that is forged, of another user or older than seven days does nothing", async () => {
  const { todo, links } = await ring();
  const [content = "", signature] = links.done.split("/remind/")[1]?.split(".") ?? [];
  const fields = JSON.parse(Buffer.from(content, "base64url").toString());
  const forged = Buffer.from(JSON.stringify(["eve", ...fields.slice(1)])).toString("base64url");
  const base = `${stack.config.baseUrl}/remind/`;
  for (const link of [`${forged}.${signature}`, `${content}.AAAA`, content, "x".repeat(3_000), "a.b.c"]) {
    expect([(await open(base + link)).status, (await press(base + link)).status]).toEqual([404, 404]);
  }
  travelTo("2026-12-08T08:00:00Z");
  expect([(await open(links.done)).status, (await press(links.done)).status]).toEqual([410, 410]);
  expect((await todoOf(todo)).is_completed).toBe(false);
  travelTo(start);
  await stack.rest("DELETE", `/todos/${todo}`);
  expect([(await open(links.done)).status, (await press(links.done)).status]).toEqual([404, 404]);
});

test("the links of one delivery are opened 20 times a minute at most", async () => {
  const { links } = await ring();
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await open(links.done)).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect((await press(links.hour)).status).toBe(429);
});
