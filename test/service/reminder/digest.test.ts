import { beforeEach, expect, test } from "bun:test";
import { headersOf, partsOf, useMailbox } from "../../support/reminder/mailbox.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually, startReminders } from "../../support/reminder/stack.ts";
import { hourMs, zoneOf, zoneWhere } from "../../support/reminder/zones.ts";

const mailbox = await useMailbox();
const stack = await startReminders({ env: { SMTP_URL: mailbox.url }, workers: 2 });
const { clock, config, door: page, tick } = stack;
let secret = "";
const receiver = startReceiver(() => secret);

/** Here it is about noon now, so that no digest comes due while a test prepares one. */
const noon = zoneWhere(12, new Date());
const twoHoursEast = zoneOf(noon.offset + 2);
const anHourWest = zoneOf(noon.offset - 1);

beforeEach(() => {
  clock.now = undefined;
});

/** A person with an agent and a script of their own. */
async function someone(settings: object = {}) {
  const sub = crypto.randomUUID();
  const by = async (client_name: string | undefined) => {
    const jti = `${client_name}-token-of-${sub}`;
    const token = await stack.issuer.token({ sub, jti, client_name, client_id: "" });
    return (method: string, path: string, body?: object) => stack.rest(method, path, { token, body });
  };
  const rows = async (text: string) => (await page.pool.query(text, [sub])).rows;
  const configure = (fields: object) => page.send(sub, "user.configure", fields);
  const email = `${sub}@example.com`;
  await configure({ time_zone: noon.name, email, reminder_channel: "email", ...settings });
  const [claude, script] = await Promise.all([by("Claude <b>"), by(undefined)]);
  return {
    ...{ sub, rows, configure, claude, script },
    mails: () => mailbox.mails.filter(({ to }) => to.includes(email)),
    statuses: async () =>
      (await rows("select status from reminder_deliveries where user_id = $1 order by scheduled_at")).map(
        ({ status }) => status,
      ),
    async nextAt(): Promise<number | undefined> {
      const [user] = await rows("select digest_at from users where user_id = $1");
      return user.digest_at === null ? undefined : Date.parse(user.digest_at);
    },
  };
}

type Person = Awaited<ReturnType<typeof someone>>;

async function changeThings({ claude, script }: Person): Promise<void> {
  for (const title of ["a", "b", "c"]) expect((await claude("POST", "/todos", { title })).status).toBe(201);
  expect((await script("POST", "/todos", { title: "d" })).status).toBe(201);
  await claude("GET", "/todos");
  await claude("POST", "/todos", { title: "" });
}

/** Lets the next digest of a person come due, and waits until it has ended. */
async function pass({ nextAt, statuses }: Person): Promise<void> {
  const before = (await statuses()).length;
  clock.now = ((await nextAt()) ?? 0) + 1_000;
  await tick();
  await eventually(async () => {
    const ended = (await statuses()).filter((one) => !["queued", "sending"].includes(one));
    return ended.length > before;
  });
}

test("a daily digest comes at eight by mail, once, with each client's changes and the way to take them back", async () => {
  const ada = await someone({ digest: "daily" });
  const stranger = await someone({ digest: "daily" });
  await changeThings(ada);
  await page.send(ada.sub, "todo.create", { title: "by the person" });
  const at = (await ada.nextAt()) ?? 0;
  expect(new Date(at + noon.offset * hourMs).toISOString()).toEndWith("T08:00:00.000Z");
  await pass(ada);
  await eventually(async () => (await stranger.statuses())[0] === "cancelled");
  expect(await ada.statuses()).toEqual(["sent"]);
  expect(ada.mails()).toHaveLength(1);
  const [mail] = ada.mails();
  if (!mail) throw new Error("No mail came.");
  expect(headersOf(mail).subject).toBe("Agents made 4 changes");
  const [text, inHtml] = partsOf(mail);
  expect(text).toContain("Claude <b>: 3 changes");
  expect(text).toMatch(/Token \S{8}: 1 change\s/);
  expect(text).toContain(`Open in Kept: ${config.baseUrl}/account/actions`);
  expect(text).not.toMatch(/Reminder/);
  expect(inHtml).toContain("Claude &lt;b&gt;: 3 changes");
  expect(stranger.mails()).toEqual([]);
  expect(await ada.nextAt()).toBe(at + 24 * hourMs);
});

test("a webhook gets the number, and the next digest counts nothing twice", async () => {
  const ada = await someone({ digest: "daily", webhook_url: receiver.url });
  secret = (await ada.configure({ reminder_channel: "webhook" })).webhook_secret;
  await changeThings(ada);
  await pass(ada);
  await pass(ada);
  expect(await ada.statuses()).toEqual(["sent", "cancelled"]);
  expect(receiver.received.map(({ event }) => event)).toMatchObject([
    { type: "agents.digest", data: { changes: 4, link: `${config.baseUrl}/account/actions`, actions: [] } },
  ]);
  expect(receiver.received[0]?.event.data).not.toHaveProperty("todo");
});

test("a digest that could not be sent is part of the next one", async () => {
  const ada = await someone({ digest: "daily" });
  await changeThings(ada);
  mailbox.unknown.add(`${ada.sub}@example.com`);
  await pass(ada);
  mailbox.unknown.clear();
  await pass(ada);
  expect(await ada.statuses()).toEqual(["failed", "sent"]);
  expect(ada.mails().map((mail) => headersOf(mail).subject)).toEqual(["Agents made 4 changes"]);
});

test("a weekly digest comes on Monday, and who chose none gets none", async () => {
  const ada = await someone({ digest: "weekly" });
  const bob = await someone();
  await changeThings(ada);
  await changeThings(bob);
  const at = new Date(((await ada.nextAt()) ?? 0) + noon.offset * hourMs);
  expect([at.getUTCDay(), at.getUTCHours()]).toEqual([1, 8]);
  expect(await bob.nextAt()).toBeUndefined();
  await pass(ada);
  expect(ada.mails()).toHaveLength(1);
  await ada.configure({ digest: "never" });
  expect(await ada.nextAt()).toBeUndefined();
  expect([await bob.statuses(), bob.mails()]).toEqual([[], []]);
});

test("a digest that waits for another attempt is cancelled when its person wants none any more", async () => {
  const ada = await someone({ digest: "daily" });
  await changeThings(ada);
  mailbox.refusals.data = "451 Try again later";
  await pass(ada);
  expect(await ada.statuses()).toEqual(["retrying"]);
  delete mailbox.refusals.data;
  await ada.configure({ digest: "never" });
  clock.now = (clock.now ?? 0) + hourMs;
  await tick();
  await eventually(async () => (await ada.statuses())[0] === "cancelled");
  expect(ada.mails()).toEqual([]);
});

test("after three days out of service the last digest comes late, and tells of all changes", async () => {
  const ada = await someone({ digest: "daily" });
  await changeThings(ada);
  const at = (await ada.nextAt()) ?? 0;
  clock.now = at + 75 * hourMs;
  await tick();
  await eventually(async () => (await ada.statuses())[1] === "sent");
  expect(await ada.statuses()).toEqual(["missed", "sent"]);
  expect(ada.mails().map((mail) => headersOf(mail).subject)).toEqual(["Agents made 4 changes"]);
  expect(await ada.nextAt()).toBe(at + 96 * hourMs);
});

test("a change of zone moves the next digest, other settings do not, and a day has one", async () => {
  const ada = await someone({ digest: "daily" });
  await changeThings(ada);
  const before = (await ada.nextAt()) ?? 0;
  await ada.configure({ day_start_hour: 3 });
  expect(await ada.nextAt()).toBe(before);
  await ada.configure({ time_zone: twoHoursEast.name });
  expect(await ada.nextAt()).toBe(before - 2 * hourMs);
  await ada.configure({ time_zone: noon.name });
  await pass(ada);
  // Farther west the same date has another eight o'clock.
  await ada.configure({ time_zone: anHourWest.name });
  const again = (await ada.nextAt()) ?? 0;
  expect(again).toBe(before + hourMs);
  clock.now = again + 1_000;
  await tick();
  await eventually(async () => ((await ada.nextAt()) ?? 0) > again);
  expect(await ada.statuses()).toEqual(["sent"]);
});
