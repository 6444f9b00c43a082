import { afterAll, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { createWebhookChannel } from "../../../../workers/reminder/channels/webhook.ts";
import { startReceiver } from "../../../support/reminder/receiver.ts";
import { wordsIn } from "../../../support/text-table.ts";
import { behavesAsChannel, closedAfter, delivery, sendBy, todoOf } from "./suite.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, yes").toString("base64")}`;
const receiver = startReceiver(() => secret);
const open = (webhookAllowLoopback: boolean) =>
  closedAfter(createWebhookChannel({ webhookAllowLoopback, defaultTimeZone: "UTC" }));
const [channel, strict] = [open(true), open(false)];
const target = { channel: "webhook", webhook_url: receiver.url, webhook_secret: secret } as const;
const at = (webhook_url: string) => delivery({ ...target, webhook_url });

behavesAsChannel("webhook", {
  channel,
  target,
  unset: { ...target, webhook_url: null },
  broken: { ...target, webhook_url: "http://127.0.0.1:9/hook" },
  seen: () =>
    receiver.received.map(({ id, event }) => ({
      id,
      text: `${event.data.todo?.title ?? event.data.habit.name} ${event.data.local_time} ${event.data.todo?.due_time}`,
      late: event.data.late,
    })),
});

test("the event is what the documentation says, signed for the public library", async () => {
  const sent = delivery({ ...target, todo: todoOf({ id: 7, title: "Call" }) });
  await sendBy(channel, sent);
  expect(receiver.forged).toEqual([]);
  expect(receiver.received.at(-1)?.event).toEqual({
    type: "reminder.due",
    timestamp: "2026-11-21T08:00:00.000000Z",
    data: {
      delivery_id: sent.id,
      todo: { id: 7, title: "Call", due_date: null, due_time: null },
      notes: "",
      remind_at: "2026-11-21T08:00:00.000000Z",
      local_time: "2026-11-21T09:00:00",
      time_zone: "Europe/Berlin",
      late: false,
      link: "https://kept.example/account/todos/7",
      actions: ["Done", "In an hour", "Tomorrow"].map((label) => ({
        act: expect.any(String),
        label,
        url: expect.stringContaining("https://kept.example/remind/"),
      })),
    },
  });
});

test("a redirect is not followed, an error is an error, any 2xx is success", async () => {
  const answers: [Response, object][] = [
    [Response.redirect(receiver.url, 307), { ok: false, final: false }],
    [Response.redirect("http://169.254.169.254/latest/meta-data"), { ok: false, final: false }],
    [new Response(null, { status: 500 }), { ok: false, final: false }],
    [new Response("thanks", { status: 202 }), { ok: true }],
  ];
  const before = receiver.received.length;
  for (const [answer, result] of answers) {
    receiver.behaviour.answer = () => answer;
    expect(await sendBy(channel, delivery(target))).toMatchObject(result);
  }
  receiver.behaviour.answer = () => new Response(null, { status: 204 });
  expect(receiver.received.length - before).toBe(answers.length);
});

/** A server that leaves its callers alone in some way. @returns its address */
async function serveBadly(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  afterAll(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

test("a receiver that does not answer is given up after 10 s", async () => {
  const said = { ok: false, reason: "No answer within 10 s.", final: false };
  expect(await sendBy(channel, at(await serveBadly(() => {})))).toEqual(said);
});

test("an endless answer is cut off after 64 KiB", async () => {
  const cut = Promise.withResolvers<number>();
  const url = await serveBadly((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const flood = setInterval(() => socket.write(Buffer.alloc(16_384)), 1);
    socket
      .on("error", () => {})
      .on("close", () => {
        clearInterval(flood);
        cut.resolve(socket.bytesWritten);
      });
  });
  expect(await sendBy(channel, at(url))).toEqual({ ok: true });
  expect(await cut.promise).toBeLessThan(5_000_000);
});

test("a webhook that was switched off gets nothing but tests", async () => {
  const off = { ...target, webhook_disabled_at: "2026-11-20 08:00:00+00" };
  expect(await sendBy(channel, delivery(off))).toMatchObject({ ok: false, final: true });
  expect(await sendBy(channel, delivery({ ...off, todo: null }))).toEqual({ ok: true });
  expect(receiver.received.at(-1)?.event.type).toBe("webhook.test");
});

const privateHosts = wordsIn(`
  127.0.0.1 localhost localhost. x.localhost no-such-name.invalid 2130706433 0x7f.1 0.0.0.0 10.0.0.1 172.16.0.1
  192.168.1.1 100.64.0.1 100.100.100.200 169.254.169.254/latest/meta-data 168.63.129.16 198.18.0.1 224.0.0.1
  255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:10.0.0.1] [64:ff9b::a00:1] [fe80::1] [fc00::1] [fd00:ec2::254]
  [fec0::1] [ff02::1] [2001:db8::1] [2001::1] [2002:a00:1::]`);
const privateUrls = privateHosts.map((host) => `https://${host}`);
const notPublic = { ok: false, reason: "The webhook's address leads to no public server." };

test.each([...privateUrls, receiver.url, "http://example.com"])("%s is refused", async (url) => {
  expect(await sendBy(strict, at(url))).toMatchObject(notPublic);
});

test("allowing this machine allows nothing else that is private", async () => {
  for (const url of ["https://10.0.0.1", "https://169.254.169.254", "https://[fe80::1]", "http://10.0.0.1"])
    expect(await sendBy(channel, at(url))).toMatchObject(notPublic);
});

test("no reason is a library's text", async () => {
  expect(await sendBy(channel, at("http://127.0.0.1:9/hook"))).toMatchObject({
    reason: "The webhook's server refused the connection.",
  });
  expect(await sendBy(channel, at(await serveBadly((socket) => socket.destroy())))).toMatchObject({
    reason: "The webhook's server broke off the connection.",
  });
});
