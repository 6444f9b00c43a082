import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { folderOfFile } from "../../support/folder.ts";
import { signedUp } from "../../support/identity/support.ts";
import { startSite } from "../../support/pages/support.ts";
import { openLab } from "./lab.ts";
import { libraries } from "./libraries.ts";
import { programs } from "./programs.ts";

// Without documents the lab needs no internet once the apps are installed.
const { stack, identity } = await startSite({ CLIENT_DOCUMENTS: "no" });
const folder = folderOfFile("hosts");
const lab = await openLab(folder, await signedUp(identity.config), stack.config.baseUrl);
const hosts = [...libraries(lab), ...programs(lab)];

const steps = ["signs in", "ten tools", "writes", "reads", "refreshes"];
const reached = new Map<string, string[]>();
afterAll(() => {
  lab.stop();
  const rows = hosts.map(({ name, note = "" }) => {
    const done = reached.get(name) ?? [];
    return [name, ...steps.map((step) => (done.includes(step) ? "yes" : "NO")), note];
  });
  for (const row of [["app", ...steps, "note"], ...rows]) console.log(`| ${row.join(" | ")} |`);
});

/** Ends all access tokens, for the server and in what programs have stored, as an hour does. */
async function endAccess(): Promise<void> {
  await identity.sql(`update identity.artifacts set expires_at = now() - interval '10 seconds',
    payload = jsonb_set(payload::jsonb, '{exp}', '1')::json where kind = 'AccessToken'`);
  for (const path of await readdir(folder, { recursive: true })) {
    if (path.startsWith("node_modules") || !path.endsWith(".json")) continue;
    const file = Bun.file(join(folder, path));
    await Bun.write(file, (await file.text()).replace(/("expires_?[aA]t": ?)\d+/g, "$11"));
  }
  // A front door of this site remembers a token for a second.
  await Bun.sleep(1_100);
}

test.each(hosts.map((host) => [host.name, host] as const))("%s", async (name, host) => {
  const done: string[] = [];
  reached.set(name, done);
  const title = `From ${name}`;
  await host.signIn();
  const app = await host.connect();
  done.push("signs in");
  expect(await app.tools()).toHaveLength(10);
  done.push("ten tools");
  await app.call("create-todo", { title });
  expect(await stack.sql`select from todos where title = ${title}`).toHaveLength(1);
  done.push("writes");
  expect(JSON.stringify(await app.call("get-pending-todos", {}))).toContain(title);
  done.push("reads");
  await app.close();

  const { visits } = lab.seen;
  await endAccess();
  const later = await host.connect();
  expect(JSON.stringify(await later.call("get-pending-todos", {}))).toContain(title);
  expect(lab.seen.visits).toBe(visits);
  done.push("refreshes");
  await later.close();
});
