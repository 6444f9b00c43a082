import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { serverSettings } from "../../../shared/embedded/servers/postgres.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import {
  composeText,
  configOf,
  exampleNames,
  fillIn,
  roles,
  root,
  serviceOf,
  services,
  settingNames,
} from "./compose-file.ts";

const api = serviceOf("api");

test("compose.yaml keeps to the Compose Specification", () => {
  // The https ports are open to everybody; another test checks the others.
  const rules = { "no-unbound-port-interfaces": 0 as const };
  const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
  const [result] = linter.lintFiles([join(root, "compose.yaml")], false);
  expect(result?.messages.filter(({ type }) => type === "error").map(({ message }) => message)).toEqual([]);
});

test("docs/settings.md lists every setting and no other", async () => {
  const text = await Bun.file(join(root, "docs/settings.md")).text();
  const rows = text.matchAll(/^\| ([A-Z][A-Z_, ]+) \|/gm);
  const names = [...rows].flatMap(([, cell = ""]) => cell.split(", "));
  expect(names.toSorted()).toEqual([...settingNames].toSorted());
});

/** Names of passwords in .env, of which no container may see more than its own address has. */
const noPasswords = { POSTGRES_PASSWORD: "", DOOR_PASSWORD: "", WORKER_PASSWORD: "", IDENTITY_PASSWORD: "" };

test("only migrations have the owner's password, and each process its own role's", () => {
  const passwords = Object.fromEntries(Object.keys(noPasswords).map((name) => [name, name.toLowerCase()]));
  const seenBy = (name: string) =>
    Object.values(serviceOf(name).environment).flatMap((text) =>
      [...fillIn(text, passwords).matchAll(/postgres:\/\/(\w+):(\w+)@/g)].map(([, user, password]) => [
        user,
        password,
      ]),
    );
  expect(seenBy("api")).toEqual([
    ["kept_door", "door_password"],
    ["kept_identity", "identity_password"],
  ]);
  expect(seenBy("workers")).toEqual([["kept_worker", "worker_password"]]);
  expect(seenBy("migrate")[0]).toEqual(["kept", "postgres_password"]);
});

test("every setting can be passed to the containers, except what depends on compose.yaml itself", () => {
  for (const { env_file, environment } of roles) {
    expect(env_file).toEqual([{ path: ".env", required: false }]);
    const others = Object.entries(environment).filter(([name]) => !settingNames.has(name));
    expect(Object.fromEntries(others)).toEqual(noPasswords);
    const fixed = Object.entries(environment).flatMap(([name, text]) =>
      text.includes(`{${name}:`) || name in noPasswords || name.endsWith("_DATABASE_URL") ? [] : name,
    );
    expect(fixed.toSorted().join(" ")).toBe(
      "DATABASE_URL DATA_DIR DRAIN_SECONDS HOST PORT REDIS_URL WORKER_PORT",
    );
  }
});

test(".env.example names what compose.yaml asks for, settings, and nothing else", () => {
  const asked = [...composeText.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = ""]) => name);
  expect(asked.filter((name) => !exampleNames.includes(name))).toEqual([]);
  const known = new Set([...asked, ...settingNames, "COMPOSE_PROFILES"]);
  expect(exampleNames.filter((name) => !known.has(name))).toEqual([]);
});

test("what is not given is as if it were unset, and what is given arrives", () => {
  const own = { ...api.environment, BASE_URL: "http://localhost:3000" };
  const servers = (password: string) => ({
    DATABASE_URL: "postgres://kept_door:pw3@postgres:5432/kept",
    IDENTITY_DATABASE_URL: "postgres://kept_identity:pw4@postgres:5432/kept",
    REDIS_URL: `redis://:${password}@redis:6379`,
  });
  const copied = Object.fromEntries(exampleNames.map((name) => [name, ""]));
  const bare = { ...copied, POSTGRES_PASSWORD: "pw1", DOOR_PASSWORD: "pw3", IDENTITY_PASSWORD: "pw4" };
  expect(configOf(api, bare)).toEqual(loadConfig({ ...own, ...servers("pw1") }));
  const given = {
    BASE_URL: "https://kept.example.org",
    SIGN_UP: "closed",
    METRICS_TOKEN: "t",
    AUTH_CLIENT_ID: "kept",
    AUTH_CLIENT_SECRET: "x".repeat(32),
  };
  expect(configOf(api, { ...bare, ...given, REDIS_PASSWORD: "pw2" })).toEqual(
    loadConfig({ ...own, ...given, ...servers("pw2") }),
  );
});

test("PostgreSQL is tuned as npm start tunes its own", () => {
  const given = (serviceOf("postgres").command ?? []).slice(1).map((option) => option.slice(2).split("="));
  // The container decides where it listens, and compose.yaml has dumps instead of the archive. The other two are on by
  // default.
  const { listen_addresses, unix_socket_directories, archive_mode, archive_command, ...settings } =
    serverSettings;
  const { fsync, synchronous_commit, ...tuning } = settings;
  expect([fsync, synchronous_commit]).toEqual(["on", "on"]);
  expect(Object.fromEntries(given)).toEqual(tuning);
});

test("images are pinned, and only https is for other machines", () => {
  for (const [name, { image, build, ports = [] }] of Object.entries(services)) {
    if (build === undefined) expect(image).toMatch(/:\d+\.\d+(\.\d+)?$/);
    if (name !== "https") for (const port of ports) expect(port).toStartWith("127.0.0.1:");
  }
});

test("every container is read-only, without powers and bounded, and says whether it works", () => {
  const bounds = Object.entries(services).map(([name, service]) => ({
    name,
    readOnly: service.read_only,
    powers: service.cap_drop,
    options: service.security_opt,
    isLogBounded: "max-size" in (service.logging?.options ?? {}),
    limits: Object.keys(service.deploy?.resources.limits ?? {}).filter((limit) => limit !== "cpus"),
    // Migrations end by themselves with an exit code.
    isChecked: service.healthcheck !== undefined || name === "migrate",
  }));
  for (const bound of bounds)
    expect(bound).toEqual({
      name: bound.name,
      readOnly: true,
      powers: ["ALL"],
      options: ["no-new-privileges:true"],
      isLogBounded: true,
      limits: ["memory", "pids"],
      isChecked: true,
    });
});

test("the image has what the containers run, and no root", async () => {
  const dockerfile = await Bun.file(join(root, "Dockerfile")).text();
  expect(dockerfile).toMatch(/^FROM node:\d+\.\d+\.\d+-/m);
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  const copied = [...dockerfile.matchAll(/^COPY (\w+) \1$/gm)].map(([, folder]) => folder);
  const ignored = (await Bun.file(join(root, ".dockerignore")).text()).trim().split("\n");
  expect(ignored[0]).toBe("*");
  for (const { command } of roles) {
    const [program, ...scripts] = command ?? [];
    expect(program).toBe("bun");
    for (const script of scripts) {
      expect(existsSync(join(root, script))).toBe(true);
      const [folder = ""] = script.split("/");
      expect(copied).toContain(folder);
      expect(ignored).toContain(`!${folder}`);
    }
  }
  expect(ignored).not.toContain("!.env");
});

test("a role that stops has time to drain, and the balancer hears of it in time", () => {
  const { CONFIGURATION = "" } = serviceOf("balancer").environment;
  const [, every, falls] = /check inter (\d)s fall (\d)/.exec(CONFIGURATION) ?? [];
  for (const role of roles) {
    const { drainSeconds } = configOf(role, { POSTGRES_PASSWORD: "pw1" });
    expect(drainSeconds).toBeGreaterThan(Number(every) * Number(falls) + 1);
    expect(Number.parseInt(role.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(drainSeconds + 15);
  }
});

test("checks and proxies ask at the ports at which the roles listen", () => {
  const { port, workerPort } = configOf(api, { POSTGRES_PASSWORD: "pw1" });
  const checkedAt = (name: string) => Number(serviceOf(name).healthcheck?.test[4]);
  expect(["api", "workers"].map(checkedAt)).toEqual([port, workerPort]);
  const { CONFIGURATION = "" } = serviceOf("balancer").environment;
  expect(CONFIGURATION).toContain(`api:${port}`);
  const proxied = fillIn(serviceOf("https").environment.CONFIGURATION ?? "", {});
  expect(proxied).toContain(`balancer:${port}\n`);
});
