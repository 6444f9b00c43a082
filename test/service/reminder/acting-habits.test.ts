import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { asAccountPage, eventually, query, reminding } from "../../support/reminder/stack.ts";

setDefaultTimeout(30_000);
const stack = await startStack({ env: { WEBHOOK_ALLOW_LOOPBACK: "yes" } });
const { databaseUrl } = stack.config;
const { travelTo } = reminding(stack);
let secret = "";
const receiver = startReceiver(() => secret);
/** 01:30 in Berlin: before the start of the user's day, so the ring belongs to the 21st. */
const onTime = "2026-11-22T00:30:00Z";

beforeAll(async () => {
  const zone = { time_zone: "Europe/Berlin", day_start_hour: 3 };
  const chosen = { reminder_channel: "webhook", webhook_url: receiver.url, ...zone };
  secret = (await asAccountPage(stack, "user.configure", chosen)).webhook_secret;
});

type Action = Readonly<{ act: string; label: string; url: string }>;

/** Makes a habit whose reminder rings. @returns the links of its message */
async function ring(fields: object = {}, at = onTime) {
  travelTo("2026-11-21T20:00:00Z");
  const body = { name: "Run", type: "good", frequency: "daily", remind_at: "01:30", ...fields };
  const habit: number = (await stack.rest("POST", "/habits", { body })).body.id;
  travelTo(at);
  const found = await eventually(() => receiver.received.find(({ event }) => event.data.habit?.id === habit));
  const actions: Action[] = found.event.data.actions;
  const [done, skip] = actions;
  if (!done || !skip) throw new Error("The message has no links.");
  return { habit, done: done.url, skip: skip.url, labels: actions.map(({ act, label }) => [act, label]) };
}

const send = async (url: string, method: "GET" | "HEAD" | "POST") => {
  const answer = await fetch(url, { method });
  return { status: answer.status, text: await answer.text() };
};
const press = (url: string) => send(url, "POST");
const daysOf = async (habit: number): Promise<string[]> =>
  (
    await query(
      databaseUrl,
      "select local_date::text as day from habit_completions where habit_id = $1 order by 1",
      [habit],
    )
  ).map(({ day }) => day);
const skipsOf = async (habit: number) => (await stack.rest("GET", `/habits/${habit}`)).body.skipped_dates;

async function undoLast(habit: number): Promise<void> {
  const at = `to_char(called_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as called_at`;
  const logged = `select door, client_name, resource_kind, resource_name, request_id, ${at}
    from action_log where resource_id = $1 and tool = 'habit.act' and outcome = 'ok'`;
  const rows = await query(databaseUrl, logged, [habit]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    door: "page",
    client_name: "a link in a reminder",
    resource_kind: "habit",
    resource_name: "Run",
  });
  const door = await openPageDoor(stack);
  await door.send("ada", "action.undo", {
    actions: [{ called_at: rows[0].called_at, request_id: rows[0].request_id }],
  });
  await door.close();
}

test("Done completes the habit on the day of the ring, once, also a day later, and can be undone", async () => {
  const { habit, done, labels } = await ring();
  expect(labels).toEqual([
    ["done", "Done"],
    ["skip", "Skip today"],
  ]);
  const asked = await send(done, "GET");
  expect(asked.status).toBe(200);
  expect(asked.text).toContain("<strong>Run</strong> for today");
  expect(asked.text.match(/<button/g)).toHaveLength(1);
  await send(done, "HEAD");
  expect(await daysOf(habit)).toEqual([]);

  travelTo("2026-11-22T12:00:00Z");
  expect(await press(done)).toMatchObject({
    status: 200,
    text: expect.stringContaining("is done for Sat 21 Nov"),
  });
  expect(await daysOf(habit)).toEqual(["2026-11-21"]);
  expect((await press(done)).text).toContain("used already");
  await undoLast(habit);
  expect(await daysOf(habit)).toEqual([]);
  await query(databaseUrl, "delete from inbox");
  expect(await press(done)).toMatchObject({ status: 409, text: expect.stringContaining("used already") });
  expect(await daysOf(habit)).toEqual([]);
});

test("Skip skips the day of the ring and can be undone; a day that is done or skipped is refused", async () => {
  const { habit, done, skip } = await ring();
  expect((await press(skip)).text).toContain("is skipped for today");
  expect(await skipsOf(habit)).toEqual(["2026-11-21"]);
  expect(await press(done)).toMatchObject({
    status: 409,
    text: expect.stringContaining("take the skip back"),
  });
  await undoLast(habit);
  expect(await skipsOf(habit)).toEqual([]);
  const other = await ring();
  await stack.rest("POST", `/habits/${other.habit}/complete`);
  for (const url of [other.done, other.skip])
    expect(await press(url)).toMatchObject({
      status: 409,
      text: expect.stringMatching(/is (already )?completed/),
    });
});

test("a habit to avoid is avoided, in the words of its link and page", async () => {
  const { habit, done, labels } = await ring({ name: "Smoke", type: "bad" });
  expect(labels[0]).toEqual(["done", "Avoided"]);
  expect((await send(done, "GET")).text).toContain("<button>Avoided</button>");
  expect((await press(done)).text).toContain("is avoided for today");
  expect(await daysOf(habit)).toEqual(["2026-11-21"]);
});

test("a link does nothing on a day that is still to come, after seven days, forged or for a deleted habit", async () => {
  const { habit, done } = await ring({}, "2026-11-22T12:00:00Z");
  travelTo("2026-11-19T11:00:00Z");
  expect(await press(done)).toMatchObject({
    status: 409,
    text: expect.stringContaining("2026-11-21, cannot be changed now"),
  });
  travelTo("2026-12-08T08:00:00Z");
  expect((await press(done)).status).toBe(410);
  const [content = "", signature] = done.split("/remind/")[1]?.split(".") ?? [];
  const fields = JSON.parse(Buffer.from(content, "base64url").toString());
  const forged = Buffer.from(JSON.stringify([...fields.slice(0, 6), "2026-11-22"])).toString("base64url");
  expect((await press(`${stack.config.baseUrl}/remind/${forged}.${signature}`)).status).toBe(404);
  const gone = await ring();
  await stack.rest("DELETE", `/habits/${gone.habit}`);
  expect([(await send(gone.done, "GET")).status, (await press(gone.done)).status]).toEqual([404, 404]);
  expect(await daysOf(habit)).toEqual([]);
});
