import { afterAll, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { sampleEvent } from "../../../api/doors/pages/settings/channels.ts";
import { freePort } from "../../harness.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually, useReminders } from "../../support/reminder/stack.ts";

const { createTodo, remind, statusBecomes, deliveriesOf, configure, rows } = await useReminders();
const root = join(import.meta.dir, "../../..");
const page = readFileSync(join(root, "docs/channels.md"), "utf8");
const documented = (language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)\n\`\`\`$`, "ms").exec(page)?.[1] ?? "";

const folder = temporaryFolder("receiver");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
writeFileSync(join(folder, "receiver.mjs"), documented("js"));
const address = { port: freePort(), hostname: "127.0.0.1" };
const printed: string[] = [];
let receiver: ReturnType<typeof startReceiver> | undefined;

function startReceiver(secret: string) {
  const program = Bun.which("node") ?? process.execPath;
  const env = { PATH: process.env.PATH, PORT: String(address.port), KEPT_WEBHOOK_SECRET: secret };
  const child = Bun.spawn([program, "receiver.mjs"], { cwd: folder, env, stdout: "pipe", stderr: "inherit" });
  keepOutput(child.stdout);
  return child;
}

async function keepOutput(output: ReadableStream<Uint8Array>): Promise<void> {
  for await (const bytes of output) printed.push(...new TextDecoder().decode(bytes).trim().split("\n"));
}

const post = (headers: Record<string, string>, body: string) =>
  fetch(`http://${address.hostname}:${address.port}/`, { method: "POST", headers, body, keepalive: false });

type Sent = Readonly<{ headers: Record<string, string>; body: string }>;
const sent: Sent[] = [];
let losesAnswers = true;

/** The network between Kept and the receiver, which can lose an answer. */
const network = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { host: _, connection: __, ...headers } = Object.fromEntries(request.headers);
    const one: Sent = { headers, body: await request.text() };
    sent.push(one);
    const { status } = await post(one.headers, one.body);
    return new Response(null, { status: losesAnswers ? 502 : status });
  },
});
afterAll(() => {
  receiver?.kill();
  network.stop(true);
});

test("the page of settings and docs/channels.md show the same sample", () => {
  expect(JSON.parse(documented("json"))).toEqual(sampleEvent);
});

test("the documented receiver takes a reminder once, also after a lost answer and a restart, and no forged one", async () => {
  const chosen = { reminder_channel: "webhook", webhook_url: network.url.href };
  const { webhook_secret: secret } = await configure(chosen);
  receiver = startReceiver(secret);
  await eventually(() => post({}, "").catch(() => undefined));

  const todo = await createTodo({ title: "Call Grace" });
  await remind(todo, new Date().toISOString());
  await eventually(async () => (await deliveriesOf(todo))[0]?.status === "retrying");
  receiver.kill();
  await receiver.exited;
  receiver = startReceiver(secret);
  await eventually(() => post({}, "").catch(() => undefined));
  losesAnswers = false;
  const again = "update reminder_deliveries set next_attempt_at = now() where todo_id = $1";
  await rows(again, [todo]);
  await statusBecomes(todo, "sent");

  const [first, second] = sent;
  if (!first || !second) throw new Error("The reminder was not repeated.");
  expect(sent.length).toBe(2);
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"] ?? "");
  expect(printed).toEqual(["reminder.due Call Grace"]);

  const id = first.headers["webhook-id"] ?? "";
  const signedBefore = (seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000);
    const signature = new Webhook(secret).sign(id, at, first.body);
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    return { ...first.headers, "webhook-timestamp": timestamp, "webhook-signature": signature };
  };
  const statuses = [
    await post(signedBefore(0), first.body),
    await post(signedBefore(310), first.body),
    await post(first.headers, first.body.replace("Call", "Fire")),
    await post({ ...first.headers, "webhook-id": "another" }, first.body),
    await post(first.headers, first.body.padEnd(65_537)),
  ].map(({ status }) => status);
  expect(statuses).toEqual([204, 401, 401, 401, 413]);
  expect(printed.length).toBe(1);
});
