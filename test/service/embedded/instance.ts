import { afterAll } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { User } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";

/** A run of an instance that consists of the fixtures in this folder. */
export type Run = {
  pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Resolves when `text` was printed; rejects when the run ends before. */
  printed(text: string): Promise<void>;
  exited: Promise<number>;
  /** Sends a signal to the supervisor alone and waits for its end. */
  end(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<number>;
};

export type Instance = { dataDir: string; port: number; env?: Record<string, string> };

/** A data folder of its own, with a runtime folder beside it that its neighbours in `parent` share. */
export async function newInstance(parent: string, env: Record<string, string> = {}): Promise<Instance> {
  return { dataDir: await mkdtemp(join(parent, "data-")), port: await freePort(), env };
}

/** Lets the instances in `parent` use the Redis of this checkout instead of fetching one. */
export function shareRuntime(parent: string): void {
  const shared = join(root, ".runtime");
  mkdirSync(shared, { recursive: true });
  symlinkSync(shared, join(parent, ".runtime"));
}

/** A parent folder for one test file, whose instances use the Redis of this checkout unless they fetch one. */
export async function sharedParent({ fetches = false } = {}): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "kept-embedded-"));
  // Without it, npm installs into a folder above that has node_modules.
  await Bun.write(join(parent, "package.json"), "{}");
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  if (!fetches) shareRuntime(parent);
  return parent;
}

export const root = join(import.meta.dir, "../../..");
/** The script of `npm start`. */
const wholeService = "shared/embedded/main.ts";

/** Starts an instance until it is ready, at other ports if another program has taken one meanwhile. */
export async function startReady(
  instance: Instance,
  start: () => Run = () => startIn(instance),
): Promise<Run> {
  const run = start();
  try {
    await run.printed("Try it:");
    return run;
  } catch (error) {
    if (!run.output().includes("is in use by another program")) throw error;
    instance.port = await freePort();
    return startReady(instance, start);
  }
}

/** The same with the roles of the service. */
export const startKept = (instance: Instance): Promise<Run> =>
  startReady(instance, () => startIn(instance, root, undefined, wholeService));

/** Runs what `npm start` runs, with the fixtures of a checkout in `root` as roles unless `script` is another. */
export function startIn(
  instance: Instance,
  checkout = root,
  user?: User,
  script = "test/service/embedded/fixtures/start.ts",
): Run {
  return startCommand(instance, [join(checkout, "node_modules/.bin/bun"), join(checkout, script)], {
    cwd: checkout,
    ...user,
  });
}

/** Runs a command that starts an instance. */
export function startCommand(
  instance: Instance,
  command: string[],
  options: Readonly<{ cwd: string } & Partial<User>>,
): Run {
  const child = Bun.spawn(command, {
    env: environmentOf(instance),
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  const drained = Promise.all([read(child.stdout), read(child.stderr)]);
  const exited = drained.then(() => child.exited);
  return {
    pid: child.pid,
    output: () => output,
    exited,
    async printed(text) {
      while (!output.includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null) {
          await drained;
          if (output.includes(text)) return;
          throw new Error(`ended before it printed "${text}":\n${output}`);
        }
        await Bun.sleep(10);
      }
    },
    async end(signal) {
      child.kill(signal);
      return await child.exited;
    },
  };
}

/** The environment of a run: nothing from outside, and all files in its own folders. */
export function environmentOf({ dataDir, port, env }: Instance): Record<string, string | undefined> {
  const { DATABASE_URL: _, REDIS_URL: __, AUTH_URL: ___, ...inherited } = process.env;
  return { ...inherited, DATA_DIR: dataDir, PORT: String(port), HOME: dataDir, ...env };
}

/** Command lines by process id of everything that belongs to the instance on `dataDir`, the supervisor too. */
export function processesOf({ dataDir }: Instance): Map<number, string> {
  const found = new Map<number, string>();
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const isOwn =
        environment.includes(`DATA_DIR=${dataDir}`) || readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir);
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      if (isOwn && command) found.set(pid, command);
    } catch {
      // The process has ended meanwhile, or belongs to another user.
    }
  }
  return found;
}

/** Waits until `check` holds; for things that have to happen within `seconds`. */
export async function within<T>(seconds: number, check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const result = await Promise.resolve(check()).catch(() => undefined);
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`did not happen within ${seconds} s: ${check}`);
    await Bun.sleep(20);
  }
}

/** The counts of the fixture api: starts are in PostgreSQL, calls in Redis. */
export async function look({ port }: Instance): Promise<{ starts: number; calls: number; pid: number }> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { starts: number; calls: number; pid: number };
}
