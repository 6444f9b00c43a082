import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Completable, type CompletableType, type EditedFields, typeOf } from "./things.ts";

/** Facts that one run of `kept` stores for the next. */
export type Memory = ReturnType<typeof openMemory>;

type Noted = "cursor" | "last-act";

/** Files in the user's own folder, separate for each address and token or sign-in. Their names are hashes that reveal neither. */
export function openMemory(url: string, owner: string, env: NodeJS.ProcessEnv) {
  const folder = join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "kept");
  const prefix = createHash("sha256").update(`${url} ${owner}`).digest("hex").slice(0, 16);
  const pathOf = (name: Noted) => join(folder, `${prefix}-${name}`);
  return {
    recall: (name: Noted) => readOwn(pathOf(name)),
    note: (name: Noted, text: string) => writeOwn(pathOf(name), text),
    forget: (name: Noted) => rm(pathOf(name), { force: true }),
  };
}

/** The text of a file; undefined if it does not exist. */
export const readOwn = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);

/** The file is readable by its owner alone, and the rename keeps other runs from reading half of it. */
export async function writeOwn(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${process.pid}`;
  await writeFile(written, text, { mode: 0o600 });
  await rename(written, path);
}

/** The act that `kept undo` undoes. */
export type LastAct = Readonly<{
  act: "added" | "completed" | "edited" | "deleted";
  type: CompletableType;
  id: number;
  /** The time after the act; a later change by anybody has another one. */
  updated_at: string;
  /** The day of a habit's completion. */
  date?: string;
  /** The earlier values of everything that an edit changed. */
  before?: EditedFields;
}>;

/** Stores the act on a thing, given in its state afterwards. */
export function noteAct(
  memory: Memory,
  thing: Completable,
  done: Pick<LastAct, "act" | "date" | "before">,
): Promise<void> {
  const { id, updated_at } = thing;
  const act: LastAct = { ...done, type: typeOf(thing), id, updated_at };
  return memory.note("last-act", JSON.stringify(act));
}

export async function recallAct(memory: Memory): Promise<LastAct | undefined> {
  const text = await memory.recall("last-act");
  return text === undefined ? undefined : JSON.parse(text);
}
