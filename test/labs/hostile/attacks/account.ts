import { randomInt } from "node:crypto";
import { createBrowser } from "../../../support/identity/browser.ts";
import { type Assault, type Attack, ask, inLoops } from "../attack.ts";
import { password, toolCall } from "../person.ts";
import { openPage, submit, upload } from "./pages.ts";
import { takeBackYears } from "./years.ts";

/** Attacks of one free account within its limits. */
export const accountsAttacks: readonly Attack[] = [
  { name: "long texts for 25 todos at once", run: longTexts },
  { name: "lists of tools", run: listTools },
  { name: "groups of costly rules", run: costlyGroups },
  { name: "files of 5 MB", run: largeFiles },
  { name: "right passwords", run: rightPasswords },
  { name: "ten years of habits deleted and taken back", run: takeBackYears },
  { name: "changes of zone", run: changeZones },
];

const call = (world: Assault, body: string) =>
  ask(world, `${world.site.baseUrl}/mcp`, { method: "POST", headers: world.account.headers, body });

/** Random letters of four bytes, which no compression shortens. */
const noise = (length: number): string =>
  String.fromCodePoint(...Array.from({ length }, () => 0x20000 + randomInt(42_000)));

async function longTexts(world: Assault): Promise<void> {
  const todos = Array.from({ length: 25 }, (_, index) => ({ title: `Long ${index}` }));
  const made = (await call(world, toolCall("create-todo", { todos }))) ?? "{}";
  const todo_ids = [...made.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)).slice(0, 25);
  await inLoops(world, 2, 100, () =>
    call(world, toolCall("update-todo", { todo_ids, description: noise(5_000) })),
  );
}

const toolList = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

function listTools(world: Assault): Promise<void> {
  return inLoops(world, 20, 5, () => call(world, toolList));
}

function costlyGroups(world: Assault): Promise<void> {
  const body = { title: "Costly", due_date: "2026-01-31", recurrence: "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13" };
  const operations = Array.from({ length: 50 }, () => ({ method: "POST", path: "/todos", body }));
  return inLoops(world, 4, 500, () =>
    ask(world, `${world.site.baseUrl}/api/v1/batch`, {
      method: "POST",
      headers: world.account.headers,
      body: JSON.stringify({ operations }),
    }),
  );
}

const hollow = `{"format":"kept-export","version":1,"todos":[${"{},".repeat(1_650_000)}{}]}`;
const manyKeys = `{"format":"kept-export","version":1,"x":[${Array.from({ length: 400_000 }, (_, key) => `{"${key.toString(36)}":1}`).join()}]}`;

function largeFiles(world: Assault): Promise<void> {
  return inLoops(world, 3, 500, (loop) => upload(world, loop % 2 === 0 ? hollow : manyKeys));
}

function rightPasswords(world: Assault): Promise<void> {
  const { email } = world.account;
  return inLoops(world, 4, 100, async () => {
    const browser = createBrowser(world.site.authUrl);
    const page = await browser.open("/sign-in").catch(() => undefined);
    const done = page && (await browser.submit(page, "/sign-in", { email, password }).catch(() => undefined));
    // A sign-in ends at the other port, where this browser does not follow.
    world.count(done?.status === 0 ? "signed in" : (done?.status ?? "no answer"));
  });
}

function changeZones(world: Assault): Promise<void> {
  const zones = ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata"];
  return inLoops(world, 1, 1_000, async () => {
    const page = await openPage(world, "/account/settings");
    const time_zone = zones[randomInt(zones.length)] ?? "UTC";
    if (page) await submit(world, page, "/account/settings/day", { time_zone });
  });
}
