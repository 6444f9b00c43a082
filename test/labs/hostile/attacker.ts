import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";
import { createBrowser, type Page } from "../../support/identity/browser.ts";
import { longText } from "../../support/long-text.ts";
import { newPerson, type Person, type Site, toolCall } from "./person.ts";

/** The outcomes of each attack, with their counts. */
export type Tally = Record<string, Record<string, number>>;

/** Runs the attacks whose names have these words until its parent says "stop", in a process of its own. */
async function main([baseUrl = "", only = ""]: readonly string[]): Promise<void> {
  const site = { baseUrl };
  const account = await newPerson(site, "203.0.113.7");
  const attacks: Record<string, Attack> = { ...strangersAttacks, ...accountsAttacks };
  const chosen = Object.entries(attacks).filter(([name]) => name.includes(only));
  let over = false;
  process.on("message", () => {
    over = true;
  });
  process.send?.("ready");
  const tally: Tally = {};
  const running = chosen.map(async ([name, run]) => {
    const counts: Record<string, number> = {};
    tally[name] = counts;
    const count = (outcome: string | number) => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    };
    await run({ site, account, isOver: () => over, count }).catch((error: Error) => count(error.message));
  });
  await Promise.all(running);
  process.send?.(tally);
  process.exit();
}

const post = (world: Assault, path: string, body: string) =>
  ask(world, path, { method: "POST", headers: world.account.headers, body });
const batch = (world: Assault, operations: readonly object[]) =>
  post(world, "/api/v1/batch", JSON.stringify({ operations }));

const toolList = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const costly = {
  method: "POST",
  path: "/todos",
  body: { title: "Costly", due_date: "2026-01-31", recurrence: "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13" },
};
const hollow = `{"format":"kept-export","version":1,"todos":[${"{},".repeat(1_650_000)}{}]}`;
const manyKeys = `{"format":"kept-export","version":1,"x":[${Array.from({ length: 400_000 }, (_, key) => `{"${key.toString(36)}":1}`).join()}]}`;
const zones = ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata"];

/** Attacks of one free account within its limits. */
const accountsAttacks: Readonly<Record<string, Attack>> = {
  async "long texts for 25 todos at once"(world) {
    const todos = Array.from({ length: 25 }, (_, index) => ({ title: `Long ${index}` }));
    const made = (await post(world, "/mcp", toolCall("create-todo", { todos }))) ?? "{}";
    const todo_ids = [...made.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)).slice(0, 25);
    await inLoops(world, 2, 100, () =>
      post(world, "/mcp", toolCall("update-todo", { todo_ids, description: longText(5_000) })),
    );
  },

  "lists of tools": (world) => inLoops(world, 20, 5, () => post(world, "/mcp", toolList)),

  "groups of costly rules": (world) => inLoops(world, 4, 500, () => batch(world, Array(50).fill(costly))),

  "files of 5 MB": (world) =>
    inLoops(world, 3, 500, (loop) => upload(world, loop % 2 === 0 ? hollow : manyKeys)),

  "right passwords": (world) =>
    inLoops(world, 4, 100, async () => {
      const network = world.account.headers["x-forwarded-for"];
      const browser = createBrowser(world.site.baseUrl, undefined, {}, network);
      const answers = { email: world.account.email, password: "correct horse battery" };
      const signIn = browser.open("/sign-in").then((page) => browser.submit(page, "/sign-in", answers));
      const done = await signIn.catch(() => undefined);
      // A sign-in ends at the other port, where this browser does not follow.
      world.count(done?.status === 0 ? "signed in" : (done?.status ?? "no answer"));
    }),

  /** Decades of completions come by files. An agent deletes the habits, and its person presses the button that undoes that. */
  async "ten years of habits deleted and taken back"(world) {
    for (let file = 0; file < 8 && !world.isOver(); file++)
      await upload(world, decades(1_000_000 + 5 * file));
    await inLoops(world, 1, 1_000, async () => {
      await deleteDecades(world);
      await takeAllBack(world);
    });
  },

  "changes of zone": (world) =>
    inLoops(world, 1, 1_000, async () => {
      const time_zone = zones[randomInt(zones.length)] ?? "UTC";
      const page = await openPage(world, "/account/settings/day");
      return submitOn(world, page, "/account/settings/day", { time_zone });
    }),

  /** They get all that the other attacks change. */
  async "streams that nobody reads"(world) {
    const { authorization } = world.account.headers;
    const lines = ["GET /api/v1/changes/stream HTTP/1.1", `Authorization: ${authorization}`];
    const leave = (socket: Socket) => {
      socket.pause();
      // A paused socket does not hear that the door has closed it.
      setTimeout(() => socket.destroy(), 50_000);
    };
    await inLoops(world, 8, 2_000, () => holdSocket(world, lines, leave));
  },

  /** A receiver that fails is held, so its webhook is made anew. */
  async "webhooks that never answer"(world) {
    const { headers } = world.account;
    const fetch = () => new Promise<Response>(() => world.count("posted"));
    const { port } = Bun.serve({ port: 0, idleTimeout: 0, fetch });
    await inLoops(world, 5, 1_000, async (loop) => {
      const url = `http://127.0.0.${10 + loop}:${port}/`;
      const made = await post(world, "/api/v1/webhooks", JSON.stringify({ url, events: ["todo.*"] }));
      await Bun.sleep(5_000);
      const path = `/api/v1/webhooks/${JSON.parse(made ?? "{}").id}`;
      await ask(world, path, { method: "DELETE", headers });
    });
  },
};

/** A file with five habits of ten years. */
function decades(firstId: number): string {
  const ids = Array.from({ length: 5 }, (_, index) => firstId + index);
  const dates = Array.from({ length: 3_650 }, (_, day) =>
    new Date(Date.now() - (day + 1) * 86_400_000).toISOString().slice(0, 10),
  );
  const rules = { type: "good", frequency: "daily", grace_days: 1 };
  const habits = ids.map((id) => ({ id, name: `Years ${id}`, ...rules }));
  const completions = ids.flatMap((habit_id) => dates.map((date) => ({ habit_id, date })));
  return JSON.stringify({ format: "kept-export", version: 1, habits, completions });
}

async function deleteDecades(world: Assault): Promise<void> {
  const list = (await ask(world, "/api/v1/habits", { headers: world.account.headers })) ?? "";
  const ids = [...list.matchAll(/"id":(\d+),"name":"Years/g)].map(([, id]) => id);
  if (ids.length === 0) return;
  await batch(
    world,
    ids.map((id) => ({ method: "DELETE", path: `/habits/${id}` })),
  );
}

async function takeAllBack(world: Assault): Promise<void> {
  const actions = await openPage(world, "/account/actions");
  const token = /token_id=([^"&]+)/.exec(actions?.text ?? "")?.[1];
  const run = "/account/actions/run";
  if (token) await submitOn(world, await openPage(world, `${run}?token_id=${token}`), run);
}

/** The stranger has no account, and one network. */
const headers = { "x-forwarded-for": "203.0.113.66" };

/** Attacks that need no account. */
const strangersAttacks: Readonly<Record<string, Attack>> = {
  "800 sockets that send a byte every five seconds": (world) =>
    inLoops(world, 800, 2_000, () => trickle(world)),

  "requests with made-up tokens": (world) =>
    inLoops(world, 10, 50, () => {
      const authorization = `Bearer ${crypto.randomUUID()}`;
      return ask(world, "/api/v1/todos", { headers: { ...headers, authorization } });
    }),

  /** The network is that of a newcomer who comes later. */
  async "sign-ins that are begun and left"(world) {
    const start = await fetch(`${world.site.baseUrl}/account`, { redirect: "manual" });
    const address = start.headers.get("location");
    if (!address) throw new Error("The account pages lead to no sign-in.");
    await inLoops(world, 5, 200, () => ask(world, address));
  },

  "calendars that do not exist": (world) =>
    inLoops(world, 30, 100, () => {
      const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      return ask(world, `/calendar/${secret}.ics`, { headers });
    }),
};

const dripMs = 5_000;

/** Sends the head of a form and then its body in single bytes, each time as another sender. */
function trickle(world: Assault): Promise<void> {
  const lines = [
    "POST /account/tick HTTP/1.1",
    `Origin: ${new URL(world.site.baseUrl).origin}`,
    `Authorization: Bearer ${crypto.randomUUID()}`,
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Length: 60000",
  ];
  return holdSocket(world, lines, () => {}, "a");
}

/** Sends a head, and then its drip again and again, until the door or the run ends the connection. */
function holdSocket(
  { site, isOver, count }: Assault,
  lines: readonly string[],
  onAnswer: (socket: Socket) => void,
  drip = "",
): Promise<void> {
  const { host, port } = new URL(site.baseUrl);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: "127.0.0.66" });
    socket.on("connect", () => socket.write(`${[...lines, `Host: ${host}`].join("\r\n")}\r\n\r\n${drip}`));
    const beat = setInterval(() => (isOver() ? socket.destroy() : socket.write(drip)), dripMs);
    socket.on("data", (data) => {
      count(data.toString("latin1", 9, 12));
      onAnswer(socket);
    });
    socket.on("error", () => count("no connection"));
    socket.on("close", () => {
      clearInterval(beat);
      resolve();
    });
  });
}

/** An action that one stranger or one free account repeats until the run ends. */
type Attack = (world: Assault) => Promise<void>;

type Assault = Readonly<{
  site: Site;
  /** The free account. */
  account: Person;
  isOver(): boolean;
  /** Counts an outcome, such as a status, for the report. */
  count(outcome: string | number): void;
}>;

const patienceMs = 15_000;

/** @returns the answer's text; undefined, and counted, if there was none */
async function ask(world: Assault, address: string, init: RequestInit = {}): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const url = new URL(address, world.site.baseUrl);
    const response = await fetch(url, { redirect: "manual", signal, ...init });
    const text = await response.text();
    world.count(response.status);
    return text;
  } catch {
    world.count("no answer");
    return undefined;
  }
}

/** Runs `turn` in so many loops at once, with a pause after each turn. */
async function inLoops(
  { isOver }: Assault,
  loops: number,
  pauseMs: number,
  turn: (loop: number) => Promise<unknown>,
): Promise<void> {
  const all = Array.from({ length: loops }, async (_, loop) => {
    await Bun.sleep((pauseMs * loop) / loops);
    while (!isOver()) {
      await turn(loop);
      await Bun.sleep(pauseMs);
    }
  });
  await Promise.all(all);
}

/** A page that the free account opens or gets for a form; undefined if there is none. */
async function counted({ count }: Assault, opening: Promise<Page>): Promise<Page | undefined> {
  const page = await opening.catch(() => undefined);
  count(page?.status ?? "no answer");
  return page;
}

const openPage = (world: Assault, path: string): Promise<Page | undefined> =>
  counted(world, world.account.account.open(path));

/** Sends a form of a page; nothing when the page lacks it. */
async function submitOn(
  world: Assault,
  page: Page | undefined,
  action: string,
  answers: Record<string, string | File> = {},
): Promise<Page | undefined> {
  if (!page?.forms.some((form) => form.action === action)) return undefined;
  return counted(world, world.account.account.submit(page, action, answers));
}

/** Sends a file to the page that imports, and confirms the preview. */
async function upload(world: Assault, file: string): Promise<void> {
  const [data, action] = [await openPage(world, "/account/data"), "/account/data/import"];
  const shown = await submitOn(world, data, action, { files: new File([file], "kept.json") });
  await submitOn(world, shown, `${action}/apply`);
}

if (import.meta.main) await main(process.argv.slice(2));
