import { afterAll, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type JsonBody } from "../harness.ts";
import { commandBlocks } from "../support/documented.ts";
import { startSite } from "../support/pages/support.ts";
import { eventually } from "../support/reminder/stack.ts";

const program = Bun.env.N8N ?? Bun.which("n8n");
if (!program) console.warn("SKIPPED: this lab needs n8n (npm install -g n8n, or N8N='its command').");

const site = await startSite({ WEBHOOK_ALLOW_LOOPBACK: "yes" });
const { baseUrl } = site.stack.config;
const { token } = site.identity.owner;
const [port, brokerPort] = [freePort(), freePort()];
const n8nUrl = `http://127.0.0.1:${port}`;
const folder = await mkdtemp(join(tmpdir(), "kept-n8n-"));

/** The environment in which `n8n` is the program, calls nobody and has an empty folder of its own. */
const env = {
  HOME: folder,
  KEPT_TOKEN: token,
  PATH: `${folder}:${process.env.PATH}`,
  N8N_USER_FOLDER: folder,
  N8N_LISTEN_ADDRESS: "127.0.0.1",
  N8N_PORT: String(port),
  N8N_RUNNERS_BROKER_PORT: String(brokerPort),
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
};

const blocks = await commandBlocks("docs/automations.md");
const blockWith = (text: string): string => blocks.find((block) => block.text.includes(text))?.text ?? "";
const type = (lines: string) =>
  Bun.spawn(["sh", "-ec", lines], { cwd: folder, env, stdout: "pipe", stderr: "inherit" });

async function startN8n(): Promise<void> {
  await Bun.write(join(folder, "n8n"), `#!/bin/sh\nexec ${program} "$@"\n`);
  await chmod(join(folder, "n8n"), 0o755);
  const file = "docs/n8n/workflow.json";
  const workflow = await Bun.file(join(import.meta.dir, "../..", file)).text();
  await Bun.write(join(folder, file), workflow.replaceAll("http://localhost:3000", baseUrl));
  const n8n = type(blockWith("n8n start").replace("n8n start", "exec n8n start"));
  afterAll(async () => {
    n8n.kill();
    await n8n.exited;
    await rm(folder, { recursive: true, force: true });
  });
  const isUp = () => fetch(`${n8nUrl}/healthz/readiness`).then(({ ok }) => ok);
  await eventually(() => n8n.exitCode !== null || isUp().catch(() => false), 200_000);
  if (n8n.exitCode !== null) throw new Error(await n8n.stdout.text());
}

test.skipIf(!program)(
  "n8n hears of a completed todo by the documented workflow, and adds the next one, once",
  async () => {
    await startN8n();
    const lines = blockWith("/api/v1/webhooks").replaceAll("http://localhost:3000", baseUrl);
    const made: JsonBody = await type(
      lines.replace("https://n8n.example.com", n8nUrl).replace("curl ", "curl -sS "),
    ).stdout.json();
    const send = (method: string, path: string, body?: object) =>
      site.stack.rest(method, path, { token, ...(body && { body }) });
    const wash = async () => {
      const { id } = (await send("POST", "/todos", { title: "Wash the laundry" })).body;
      await send("POST", `/todos/${id}/toggle`);
      return id;
    };
    const titlesAdded = async () =>
      (await send("GET", "/todos?q=Hang")).body.data.map(({ title }: JsonBody) => title);
    const washed = await wash();
    await eventually(async () => (await titlesAdded()).length === 1, 60_000);
    const deliveries = `/webhooks/${made.id}/deliveries`;
    const ofWashed = async () => {
      const { data } = (await send("GET", deliveries)).body;
      return data.find((one: JsonBody) => one.thing_id === washed && one.status === "delivered");
    };
    await send("POST", `${deliveries}/${(await eventually(ofWashed)).id}/send-again`);
    await eventually(ofWashed);
    await wash();
    await eventually(async () => (await titlesAdded()).length > 1);
    expect(await titlesAdded()).toEqual(Array(2).fill("Hang up the laundry"));
  },
  300_000,
);
