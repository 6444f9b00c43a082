import { expect, test } from "bun:test";
import { join } from "node:path";
import { YAML } from "bun";
import { loadConfig } from "../shared/process/config.ts";

type Service = Readonly<{
  image: string;
  build?: string;
  ports?: string[];
  environment: Record<string, string>;
  cap_drop?: string[];
  read_only?: boolean;
  security_opt?: string[];
}>;

const root = join(import.meta.dir, "..");
const compose = YAML.parse(await Bun.file(join(root, "compose.yaml")).text()) as {
  services: Record<string, Service>;
  configs: { redis: { content: string } };
};
const services = Object.values(compose.services);
const ours = services.filter(({ build }) => build !== undefined);
const environment = compose.services.api?.environment ?? {};

/** `${NAME:-other}` as compose fills it in, from the inside out. */
function fillIn(text: string, given: Record<string, string>): string {
  const filled = text.replace(
    /\$\{(\w+)(?::[-?]([^${}]*))?\}/g,
    (_, name, other = "") => given[name] || other,
  );
  return filled === text ? text : fillIn(filled, given);
}

test("every setting can be passed to the containers", async () => {
  const settings = await Bun.file(join(root, "docs/settings.md")).text();
  const rows = settings.matchAll(/^\| ([A-Z][A-Z_, ]+) \|/gm);
  const names = [...rows].flatMap(([, cell = ""]) => cell.split(", "));
  // Set by the image, because the containers' own, or for the embedded database alone.
  const fixed = ["HOST", "DATA_DIR", "BACKUP_DIR"];
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !fixed.includes(name) && !(name in environment))).toEqual([]);
});

test("what is not given is as if it were unset, and what is given arrives", () => {
  const configOf = (given: Record<string, string>) =>
    loadConfig(
      Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fillIn(text, given)])),
    );
  const { DATABASE_URL, REDIS_URL } = {
    DATABASE_URL: "postgres://kept:pw1@postgres:5432/kept",
    REDIS_URL: "redis://:pw1@redis:6379",
  };
  const addresses = { DATABASE_URL, REDIS_URL, BASE_URL: "http://localhost:3000" };
  expect(configOf({ POSTGRES_PASSWORD: "pw1" })).toEqual(loadConfig(addresses));
  const given = {
    SIGN_UP: "closed",
    METRICS_TOKEN: "t",
    AUTH_CLIENT_ID: "kept",
    AUTH_CLIENT_SECRET: "x".repeat(32),
  };
  expect(configOf({ POSTGRES_PASSWORD: "pw1", ...given })).toEqual(loadConfig({ ...addresses, ...given }));
  expect(configOf({ POSTGRES_PASSWORD: "pw1", REDIS_PASSWORD: "pw2" }).redisUrl).toBe(
    "redis://:pw2@redis:6379",
  );
});

test("Redis asks for the password that the others have", () => {
  const given = { POSTGRES_PASSWORD: "pw1", REDIS_PASSWORD: "pw2" };
  expect(fillIn(compose.configs.redis.content, given)).toStartWith("requirepass pw2\n");
  expect(fillIn(environment.REDIS_URL ?? "", given)).toContain(":pw2@");
});

test("images are pinned, ports are for this machine, and our containers have no powers", () => {
  for (const { image, build, ports = [], security_opt } of services) {
    if (build === undefined) expect(image).toMatch(/:\d+\.\d+(\.\d+)?$/);
    for (const port of ports) expect(port).toStartWith("127.0.0.1:");
    expect(security_opt).toEqual(["no-new-privileges:true"]);
  }
  expect(ours).toHaveLength(4);
  for (const { cap_drop, read_only } of ours) expect([cap_drop, read_only]).toEqual([["ALL"], true]);
});
