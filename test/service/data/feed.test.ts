import { expect, test } from "bun:test";
import ICAL from "ical.js";
import { hashOf } from "../../../api/doors/pages/calendar/feed.ts";
import { loggedPath } from "../../../api/http/request.ts";
import { newSecret } from "../../../api/web/key-ring.ts";
import { useStack } from "../../harness.ts";

const stack = await useStack();
const door = await stack.page();

async function personWithFeed() {
  const sub = crypto.randomUUID();
  const token = await stack.issuer.token({ sub });
  const secret = newSecret();
  await door.send(sub, "calendar.set", { secret_hash: hashOf(secret) });
  const get = (path = `${secret}.ics`, headers: Record<string, string> = {}) =>
    fetch(`${stack.config.baseUrl}/calendar/${path}`, { headers });
  return {
    sub,
    secret,
    get,
    rest: (method: string, path: string, body: object) => stack.rest(method, path, { token, body }),
  };
}

test("the address shows the pending todos of its person alone, and nothing changes for who has them", async () => {
  const [ada, bob] = [await personWithFeed(), await personWithFeed()];
  await ada.rest("POST", "/todos", {
    title: "Pay rent",
    due_date: "2099-01-31",
    recurrence: "FREQ=MONTHLY;BYMONTHDAY=-1",
  });
  await ada.rest("POST", "/todos", { title: "Some day" });
  await bob.rest("POST", "/todos", { title: "Bob's", due_date: "2099-01-31" });
  const response = await ada.get();
  expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("private, max-age=300");
  const events = new ICAL.Component(ICAL.parse(await response.text())).getAllSubcomponents("vevent");
  expect(events.map((one) => one.getFirstPropertyValue("summary"))).toEqual(["Pay rent", "Pay rent"]);
  const etag = response.headers.get("etag") ?? "";
  expect((await ada.get(undefined, { "if-none-match": `W/${etag}` })).status).toBe(304);
  await ada.rest("POST", "/todos", { title: "New", due_date: "2099-02-01" });
  expect((await ada.get(undefined, { "if-none-match": etag })).status).toBe(200);
  const tasks = await (await ada.get(`${ada.secret}.ics?as=tasks`)).text();
  expect(tasks.match(/BEGIN:VTODO/g)).toHaveLength(3);
});

test("an unknown address is nothing, and so is one that was made anew or ended", async () => {
  const ada = await personWithFeed();
  for (const path of [
    newSecret(),
    `${newSecret()}.ics`,
    "x",
    `${ada.secret}x.ics`,
    "%00.ics",
    "'.ics",
    "a".repeat(4_000),
  ])
    expect([path, (await ada.get(path)).status]).toEqual([path, 404]);
  expect((await ada.get()).status).toBe(200);
  const other = newSecret();
  await door.send(ada.sub, "calendar.set", { secret_hash: hashOf(other) });
  expect((await ada.get()).status).toBe(404);
  expect((await ada.get(`${other}.ics`)).status).toBe(200);
  await door.send(ada.sub, "calendar.set", { secret_hash: null });
  expect((await ada.get(`${other}.ics`)).status).toBe(404);
});

test("a secret is stored as a hash and logged nowhere, and asking too often is refused", async () => {
  const ada = await personWithFeed();
  const { rows } = await door.pool.query("select f::text as text from calendar_feeds f");
  expect(rows.some(({ text }) => text.includes(ada.secret))).toBe(false);
  expect(loggedPath(`https://kept.example/calendar/${ada.secret}.ics`)).toBe("/calendar/…");
  expect(loggedPath("https://kept.example/api/v1/todos?x=1")).toBe("/api/v1/todos");
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) statuses.push((await ada.get()).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
});
