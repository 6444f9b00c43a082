import { expect, test } from "bun:test";
import { join } from "node:path";

function runAlone(fixture: string, env: Record<string, string> = {}) {
  return Bun.spawn([process.execPath, join(import.meta.dir, `fixtures/${fixture}.ts`)], {
    env: { ...process.env, DATABASE_URL: "postgres://nowhere", REDIS_URL: "redis://nowhere", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("a role without a supervisor serves until SIGTERM and ends with 0", async () => {
  const role = runAlone("workers");
  for await (const chunk of role.stdout) if (new TextDecoder().decode(chunk).includes('"msg":"ready"')) break;
  role.kill("SIGTERM");
  expect(await role.exited).toBe(0);
});

test.each([
  ["broken", { DATA_DIR: "/nowhere" }, "cannot use /nowhere"],
  ["workers", { PORT: "http" }, 'PORT must be a whole number up to 65535, not "http".'],
  ["workers", { REDIS_URL: "" }, "DATABASE_URL and REDIS_URL must be set"],
])("the role %s with %j logs why it cannot start, and ends with 1", async (name, env, msg) => {
  const role = runAlone(name, env);
  expect(await role.exited).toBe(1);
  const said = { level: 60, role: name, msg: expect.stringContaining(msg) };
  expect(JSON.parse(await role.stdout.text())).toMatchObject(said);
});
