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

test("a start that fails is logged and ends with 1", async () => {
  const role = runAlone("broken", { DATA_DIR: "/nowhere" });
  expect(await role.exited).toBe(1);
  expect(JSON.parse(await role.stdout.text())).toMatchObject({
    level: 60,
    role: "broken",
    msg: "cannot use /nowhere",
  });
});

test("a setting that cannot be used is logged and ends with 1", async () => {
  const role = runAlone("workers", { PORT: "http" });
  expect(await role.exited).toBe(1);
  expect(JSON.parse(await role.stdout.text()).msg).toBe(
    'PORT must be a whole number up to 65535, not "http".',
  );
});

test("a role without the servers' addresses says which settings are missing", async () => {
  const role = runAlone("workers", { REDIS_URL: "" });
  expect(await role.exited).toBe(1);
  expect(JSON.parse(await role.stdout.text()).msg).toStartWith("DATABASE_URL and REDIS_URL must be set");
});
