import { expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonBody } from "../../harness.ts";
import { consent, tokenRequest } from "../../support/identity/support.ts";
import { callsOf } from "../../support/pages/plain.ts";
import { signedUpPerson, useSite } from "../../support/pages/support.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;
const person = await signedUpPerson(site);
const token = await person.newToken("Automation");
const { rest } = callsOf(site.stack, token);
const text = await Bun.file(join(import.meta.dir, "../../../docs/automations.md")).text();
const here = (lines: string) => lines.replaceAll("http://localhost:3000", baseUrl);
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

const paths = ["/webhook/kept", "/api/webhook/the-id"];
test.each(paths)("the lines for webhooks have changes posted to %s", async (path) => {
  let secret = "";
  const receiver = startReceiver(() => secret);
  const address = new URL(path, receiver.url).href;
  const lines = makeWebhook.replace("https://n8n.example.com/webhook/kept", address);
  const { status, ...made } = await runInShell(lines);
  expect([status, made.url]).toEqual([undefined, address]);
  secret = made.secret;
  await rest("POST", "/todos", { title: `For ${path}` });
  const { event } = await eventually(() => receiver.received[0]);
  await rest("DELETE", `/todos/${event.data.id}`);
  expect(event).toMatchObject({ type: "todo.changed", data: { resource: { title: `For ${path}` } } });
});

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
  await rest("DELETE", `/todos/${made.id}`);
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
  const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const { rest: sensors, rest_command: commands } = filledIn({
    "{{ key }}": "laundry-1",
    "{{ habit_id }}": String(habit.id),
    "\"{{ {'title': title} | to_json }}\"": `'{"title": "Hang up the laundry"}'`,
  });
  const { kept_add_todo, kept_complete_habit } = commands;
  const answers = [];
  for (const request of [kept_add_todo, kept_add_todo, kept_complete_habit, kept_complete_habit])
    answers.push((await send(request as Request)).status);
  expect(answers).toEqual([201, 201, 200, 409]);
  const [{ resource, headers, sensor } = { resource: "", headers: {}, sensor: [] }] = sensors;
  const dashboard = await (await fetch(resource, { headers })).json();
  expect(dashboard).toMatchObject({ stats: { pending_todos: 2 }, habits: [{ is_completed_today: true }] });
  expect(sensor.map(({ value_template }) => value_template)).toEqual([
    "{{ value_json.stats.pending_todos }}",
    "{{ value_json.habits | rejectattr('is_completed_today') | list | count }}",
  ]);
});

test("a registration for Home Assistant signs in with its secret", async () => {
  const { client_id, client_secret } = await runInShell(register);
  const redirect_uri = "https://my.home-assistant.io/redirect/oauth";
  const code_verifier = "v".repeat(43);
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri, state: "s", code_challenge_method: "S256" },
    code_challenge: new Bun.CryptoHasher("sha256").update(code_verifier).digest("base64url"),
    ...{ scope: "todos:read habits:read", access_type: "offline", prompt: "consent" },
  });
  const { browser } = person;
  const back = await consent(browser, await browser.open(`/authorize?${query}`));
  const code = new URL(back.url).searchParams.get("code") ?? "";
  const { access_token } = await tokenRequest(site.identity.config, {
    ...{ grant_type: "authorization_code", code, redirect_uri, code_verifier, client_id, client_secret },
  });
  expect((await callsOf(site.stack, access_token).answer("GET", "/todos")).status).toBe(200);
});
