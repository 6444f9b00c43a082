import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Facts that one run of `kept` stores for the next. */
export type Memory = Readonly<{
  /** @returns undefined when nothing was stored */
  recall(name: Noted): Promise<string | undefined>;
  note(name: Noted, text: string): Promise<void>;
  forget(name: Noted): Promise<void>;
}>;

type Noted = "cursor" | "last-act";

/** Files in the user's own folder, separate for each address and token or sign-in. Their names are hashes that reveal neither. */
export function openMemory(url: string, owner: string, env: NodeJS.ProcessEnv): Memory {
  const folder = join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "kept");
  const prefix = createHash("sha256").update(`${url} ${owner}`).digest("hex").slice(0, 16);
  const pathOf = (name: Noted) => join(folder, `${prefix}-${name}`);
  return {
    recall: (name) => readFile(pathOf(name), "utf8").catch(() => undefined),
    async note(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The rename keeps another run from reading half of the text.
      const written = `${pathOf(name)}.${process.pid}`;
      await writeFile(written, text, { mode: 0o600 });
      await rename(written, pathOf(name));
    },
    forget: (name) => rm(pathOf(name), { force: true }),
  };
}
