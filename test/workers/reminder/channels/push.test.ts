import { expect, test } from "bun:test";
import { newPushKeys } from "../../../../shared/db/shared-secrets.ts";
import { createPushChannel } from "../../../../workers/reminder/channels/push.ts";
import type { LeasedDelivery } from "../../../../workers/reminder/lease.ts";
import { type PushBrowser, startPushService, vapidClaims } from "../../../support/reminder/push-service.ts";
import { behavesAsChannel, closedAfter, delivery, deliveryOf, sendBy, todoOf } from "./suite.ts";

const service = await startPushService();
const forgotten: string[] = [];
const keys = newPushKeys();
const pushKeys = async () => keys;
const open = (webhookAllowLoopback: boolean, ca: string | undefined = service.ca) =>
  closedAfter(
    createPushChannel({
      config: { webhookAllowLoopback, baseUrl: "https://kept.example", mailFrom: "Kept <kept@kept.example>" },
      pushKeys,
      forget: async (_, ids) => void forgotten.push(...ids),
      ...(ca && { ca }),
    }),
  );
const [channel, strict, untrusting] = [open(true), open(false), open(true, "")];

const to = (...browsers: PushBrowser[]) => ({
  channel: "push" as const,
  browsers: browsers.map(({ endpoint, p256dh, auth }) => ({
    ...{ id: crypto.randomUUID(), endpoint, p256dh, auth },
  })),
});
const statusOf = (answers: ReadonlyMap<PushBrowser, number>) => {
  service.behaviour.status = (path) =>
    [...answers].find(([{ endpoint }]) => endpoint.endsWith(path))?.[1] ?? 201;
};

const one = service.newBrowser();
behavesAsChannel("push", {
  channel,
  target: to(one),
  unset: { channel: "push", browsers: null },
  broken: to({ ...one, endpoint: "https://127.0.0.1:9/nobody" }),
  seen: () =>
    one.shown().map(({ title, body, tag, actions }) => {
      for (const { url } of actions) expect(deliveryOf(url)).toBe(tag);
      return { id: tag, text: `${title}\n${body}`, late: body.includes("This reminder is late") };
    }),
});

test("a browser gets title, notes, link and buttons, signed by the service's own key", async () => {
  const browser = service.newBrowser();
  const todo = todoOf({ id: 7, description: "About the boat" });
  const sent = delivery({ ...to(browser), todo });
  await sendBy(channel, sent);
  expect(browser.shown()).toEqual([
    {
      title: "Call Grace",
      body: expect.stringMatching(/^About the boat\nReminder set for Sat 21 Nov 09:00/),
      link: "https://kept.example/account/todos/7",
      tag: sent.id,
      actions: ["Done", "In an hour", "Tomorrow"].map((title) => expect.objectContaining({ title })),
    },
  ]);
  const [request] = browser.requests();
  if (!request) throw new Error("Nothing came.");
  expect(request.headers).toMatchObject({ ttl: "86400", urgency: "high", "content-encoding": "aes128gcm" });
  const { key, aud, sub } = await vapidClaims(request);
  expect([key, aud, sub]).toEqual([(await pushKeys()).publicKey, service.url, "https://kept.example"]);
});

test("no message is longer than push services take, whatever the todo and its user are called", async () => {
  const browser = service.newBrowser();
  const due_date = "2026-11-22";
  const todo = todoOf({ title: "🌱".repeat(127), description: '"'.repeat(5_000), due_date });
  await sendBy(channel, delivery({ ...to(browser), todo, user_id: "u".repeat(255) }));
  expect(browser.requests()[0]?.body.length).toBeLessThanOrEqual(4_096);
  expect(browser.shown()[0].title).toBe(todo.title);
});

const outcomes: readonly [string, number[], object, number][] = [
  ["gone and there", [410, 201], { ok: true }, 1],
  ["gone and gone", [404, 410], { ok: false, final: true }, 2],
  ["busy and there", [503, 201], { ok: true }, 0],
  ["busy and gone", [429, 410], { ok: false, final: false }, 1],
  ["refusing", [403], { ok: false, final: true }, 0],
];

test.each(outcomes)("browsers that are %s", async (_, statuses, result, gone) => {
  const browsers = statuses.map(() => service.newBrowser());
  statusOf(new Map(browsers.map((browser, index) => [browser, statuses[index] ?? 201])));
  const before = forgotten.length;
  expect(await sendBy(channel, delivery(to(...browsers)))).toMatchObject(result);
  expect(forgotten.length - before).toBe(gone);
  statusOf(new Map());
});

test("an endpoint in a private network, or without a valid certificate, gets nothing", async () => {
  const at = (endpoint: string): Partial<LeasedDelivery> => to({ ...one, endpoint });
  const before = service.taken.length;
  const said = { ok: false, reason: "The push service's address leads to no public server." };
  for (const endpoint of [
    service.url,
    "https://10.0.0.1/x",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/",
  ])
    expect(await sendBy(strict, delivery(at(endpoint)))).toMatchObject(said);
  expect(await sendBy(untrusting, delivery(at(service.url)))).toMatchObject({ ok: false, final: false });
  expect(service.taken.length).toBe(before);
});
