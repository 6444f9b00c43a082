import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A sign-in of this computer. */
export type Login = Readonly<{
  url: string;
  client_id: string;
  resource: string;
  token_endpoint: string;
  revocation_endpoint?: string;
  access_token: string;
  refresh_token?: string;
  /** Epoch milliseconds. */
  expires_at: number;
}>;

const pathIn = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "kept", "login.json");

/** @returns undefined when nobody is signed in */
export async function readLogin(env: NodeJS.ProcessEnv): Promise<Login | undefined> {
  const text = await readFile(pathIn(env), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The file is readable by its owner alone, and the rename keeps others from reading half of it. */
export async function writeLogin(env: NodeJS.ProcessEnv, login: Login): Promise<void> {
  const path = pathIn(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${process.pid}`;
  await writeFile(written, JSON.stringify(login), { mode: 0o600 });
  await rename(written, path);
}

export const forgetLogin = (env: NodeJS.ProcessEnv): Promise<void> => rm(pathIn(env), { force: true });

/** Longer than a renewal takes; a lock that is older was left by a run that ended in its middle. */
const staleMs = 30_000;

/** Runs one at a time on this computer, because a refresh token works once and a second use ends the sign-in. */
export async function alone<Result>(env: NodeJS.ProcessEnv, run: () => Promise<Result>): Promise<Result> {
  const lock = `${pathIn(env)}.lock`;
  while (!(await isTaken(lock))) await pause(50);
  try {
    return await run();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function isTaken(lock: string): Promise<boolean> {
  const made = await mkdir(lock).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  const age = made
    ? 0
    : await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
  if (age > staleMs) await rm(lock, { recursive: true, force: true });
  return made;
}
