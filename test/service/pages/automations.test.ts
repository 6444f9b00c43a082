import { expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonBody } from "../../harness.ts";
import { consent, signedUp } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;
const { token } = site.identity.owner;
const text = await Bun.file(join(import.meta.dir, "../../../docs/automations.md")).text();
const here = (lines: string) =>
  lines.replaceAll("http://localhost:3000", baseUrl).replaceAll("http://localhost:3001", authUrl);
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) =>
    here(block),
  );
const [addTodo = "", makeWebhook = "", , register = ""] = blocks("sh");
const [configuration = ""] = blocks("yaml");

async function runInShell(lines: string) {
  const env = { ...process.env, KEPT_TOKEN: token };
  const shell = Bun.spawn(["sh", "-ec", lines.replaceAll("curl ", "curl -sS ")], { env, stderr: "inherit" });
  return JSON.parse(await shell.stdout.text());
}

test("the lines for n8n make one todo, however often they are run", async () => {
  const first = await runInShell(addTodo);
  expect(first).toMatchObject({ title: "Water the plants", due_date: "2030-05-04" });
  expect(await runInShell(addTodo)).toEqual(first);
});

test.each(["/webhook/kept", "/api/webhook/the-id"])(
  "the lines for webhooks have changes posted to %s",
  async (path) => {
    let secret = "";
    const receiver = startReceiver(() => secret);
    const address = new URL(path, receiver.url).href;
    const { status, ...made } = await runInShell(
      makeWebhook.replace("https://n8n.example.com/webhook/kept", address),
    );
    expect([status, made.url]).toEqual([undefined, address]);
    secret = made.secret;
    await site.stack.rest("POST", "/todos", { token, body: { title: `For ${path}` } });
    const { event } = await eventually(() => receiver.received[0]);
    await site.stack.rest("DELETE", `/todos/${event.data.id}`, { token });
    expect(event).toMatchObject({ type: "todo.changed", data: { resource: { title: `For ${path}` } } });
  },
);

test("the workflow for n8n listens at the documented path and sends a request that adds a todo", async () => {
  const file = Bun.file(join(import.meta.dir, "../../../docs/n8n/workflow.json"));
  const { nodes } = JSON.parse(here(await file.text()));
  const [webhook, , { parameters }] = nodes;
  expect(makeWebhook).toContain(`/webhook/${webhook.parameters.path}`);
  const [key] = parameters.headerParameters.parameters;
  const { method, url, jsonBody: payload } = parameters;
  const headers = { authorization: `Bearer ${token}`, [key.name]: "the id of a delivery" };
  const sent = await send({ url, method, headers, payload, content_type: "application/json" });
  const made = (await sent.json()) as JsonBody;
  expect([sent.status, made.title]).toEqual([201, "Hang up the laundry"]);
  await site.stack.rest("DELETE", `/todos/${made.id}`, { token });
});

type Request = Readonly<{
  url: string;
  method?: string;
  content_type?: string;
  headers: Record<string, string>;
  payload?: string;
}>;
type Configuration = Readonly<{
  rest: { resource: string; headers: Record<string, string>; sensor: { value_template: string }[] }[];
  rest_command: Record<string, Request>;
}>;

/** Home Assistant's configuration with its secret and its templates filled in. */
function filledIn(values: Readonly<Record<string, string>>): Configuration {
  const secret = configuration.replaceAll("!secret kept_authorization", `Bearer ${token}`);
  const filled = Object.entries(values).reduce((lines, [template, value]) => {
    expect(lines).toContain(template);
    return lines.replaceAll(template, value);
  }, secret);
  return Bun.YAML.parse(filled) as Configuration;
}

function send({ url, method = "get", content_type, headers, payload }: Request) {
  const type = content_type === undefined ? {} : { "content-type": content_type };
  return fetch(url, {
    method,
    headers: { ...headers, ...type },
    ...(payload !== undefined && { body: payload }),
  });
}

test("Home Assistant's commands add a todo once and complete a habit, and its sensors see both", async () => {
  const habit = await site.stack.rest("POST", "/habits", {
    token,
    body: { name: "Read", type: "good", frequency: "daily" },
  });
  const { rest, rest_command: commands } = filledIn({
    "{{ key }}": "laundry-1",
    "{{ habit_id }}": String(habit.body.id),
    "\"{{ {'title': title} | to_json }}\"": `'{"title": "Hang up the laundry"}'`,
  });
  const { kept_add_todo, kept_complete_habit } = commands;
  const answers = [];
  for (const request of [kept_add_todo, kept_add_todo, kept_complete_habit, kept_complete_habit])
    answers.push((await send(request as Request)).status);
  expect(answers).toEqual([201, 201, 200, 409]);
  const [{ resource, headers, sensor } = { resource: "", headers: {}, sensor: [] }] = rest;
  const dashboard = await (await fetch(resource, { headers })).json();
  expect(dashboard).toMatchObject({ stats: { pending_todos: 2 }, habits: [{ is_completed_today: true }] });
  expect(sensor.map(({ value_template }) => value_template)).toEqual([
    "{{ value_json.stats.pending_todos }}",
    "{{ value_json.habits | rejectattr('is_completed_today') | list | count }}",
  ]);
});

test("a registration for Home Assistant signs in with its secret", async () => {
  const client = await runInShell(register);
  const person = await signedUp(site.identity.config);
  const redirect_uri = "https://my.home-assistant.io/redirect/oauth";
  const verifier = "v".repeat(43);
  const code_challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri,
    state: "s",
    code_challenge,
    code_challenge_method: "S256",
    scope: "todos:read habits:read",
    access_type: "offline",
    prompt: "consent",
  });
  const back = await consent(person, await person.open(`${authUrl}/authorize?${query}`));
  const response = await fetch(`${authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: new URL(back.url).searchParams.get("code") ?? "",
      redirect_uri,
      code_verifier: verifier,
      client_id: client.client_id,
      client_secret: client.client_secret,
    }),
  });
  const tokens = (await response.json()) as { access_token: string };
  const listed = await site.stack.rest("GET", "/todos", { token: tokens.access_token });
  expect(listed.status).toBe(200);
});
