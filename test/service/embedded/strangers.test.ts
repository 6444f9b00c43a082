import { beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { hasTrustedOwners, spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { redisBinary } from "../../../shared/embedded/servers/redis.ts";
import { root, sharedParent } from "./instance.ts";

const asRoot = process.getuid?.() === 0;
const installed = Bun.which("redis-server") ?? Bun.which("valkey-server");
const nobody = 65_534;

const parent = await sharedParent({ fetches: true });
let runtime: string;
beforeEach(async () => {
  runtime = join(await mkdtemp(join(parent, "place-")), ".runtime");
});

/** A Redis that leaves a file when it runs. */
function plant(): string {
  const note = join(runtime, "was-run");
  const server = join(runtime, "redis/usr/bin/redis-server");
  mkdirSync(join(runtime, "redis/usr/bin"), { recursive: true });
  mkdirSync(join(runtime, "redis/usr/lib/x86_64-linux-gnu"), { recursive: true });
  writeFileSync(server, `#!/bin/sh\ntouch '${note}'\necho 'Redis server v=7.0.15'\n`, { mode: 0o755 });
  return note;
}

test.each([
  ["dnf", "sudo dnf install valkey"],
  ["pacman", "sudo pacman -S valkey"],
  ["apk", "sudo apk add valkey"],
  ["no-manager", "Install valkey-server or redis-server, or set REDIS_URL."],
])("where it cannot be fetched and there is %s, the way to get Redis is told", async (manager, command) => {
  const bin = join(await mkdtemp(join(parent, "bin-")), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, manager), "#!/bin/sh\n", { mode: 0o755 });
  const module = join(root, "shared/embedded/servers/redis.ts");
  const start = `await (await import("${module}")).redisBinary("${runtime}", () => {})`;
  const { stderr } = Bun.spawnSync([process.execPath, "-e", start], { env: { PATH: bin } });
  expect(stderr.toString()).toContain(command);
});

describe.skipIf(installed !== null)("a Redis beside the data folder", () => {
  test("is run when nobody else can have put it there", async () => {
    const note = plant();
    expect((await redisBinary(runtime, () => {})).path).toStartWith(runtime);
    expect(existsSync(note)).toBe(true);
  });

  test.each([".", "redis", "redis/usr/lib/x86_64-linux-gnu"])(
    "is not run when anybody can write to its folder %s",
    async (folder) => {
      const note = plant();
      chmodSync(join(runtime, folder), 0o777);
      await expect(redisBinary(runtime, () => {})).rejects.toThrow("nothing in it is run");
      expect(existsSync(note)).toBe(false);
    },
  );

  test.skipIf(!asRoot)("is not run when it is another user's", async () => {
    const note = plant();
    chownSync(runtime, nobody, nobody);
    await expect(redisBinary(runtime, () => {})).rejects.toThrow("nothing in it is run");
    expect(existsSync(note)).toBe(false);
  });
});

describe("own is", () => {
  const make = (...path: string[]): string => {
    const folder = join(runtime, ...path);
    mkdirSync(folder, { recursive: true });
    return folder;
  };

  test("what we made, also below a sticky folder for everybody", () => {
    chmodSync(make("shared"), 0o1777);
    expect(hasTrustedOwners(make("shared", "mine"))).toBe(true);
  });

  test("not a sticky folder for everybody itself, nor what lies below one that is not sticky", () => {
    chmodSync(make("shared"), 0o1777);
    chmodSync(make("open"), 0o777);
    for (const folder of [make("shared"), make("open", "mine")]) expect(hasTrustedOwners(folder)).toBe(false);
  });

  test("not what an own link leads to through a folder for everybody", () => {
    chmodSync(make("open"), 0o777);
    symlinkSync(make("open", "mine"), join(runtime, "link"));
    expect(hasTrustedOwners(join(runtime, "link"))).toBe(false);
  });
});

test("a server of Kept gets no secret of Kept, whoever it runs as", async () => {
  const logFile = join(parent, "environment.log");
  process.env.SMTP_URL = "smtp://user:the-password@mail.example";
  process.env.AUTH_CLIENT_SECRET = "the-secret";
  const { exited } = spawnGuarded({ command: ["env"], cwd: parent, logFile, stopSignal: "TERM" });
  await exited;
  delete process.env.SMTP_URL;
  delete process.env.AUTH_CLIENT_SECRET;
  const environment = readFileSync(logFile, "utf8");
  expect(environment).toContain("PATH=");
  expect(environment).not.toMatch(/the-password|the-secret|DATABASE_URL/);
});
