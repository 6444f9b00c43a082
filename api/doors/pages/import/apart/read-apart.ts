import { join } from "node:path";
import type { Today } from "../../../../../shared/domain/day/day.ts";
import { createTurns } from "../../../../../shared/process/turns.ts";
import type { Upload } from "../../../../web/form/upload.ts";
import type { Part } from "../parts.ts";
import type { AreHere, ImportPlan } from "../plan.ts";

/** A busy machine gives a reader little of its time, which is no fault of the files: the processor's seconds count. */
const longest = { cpuSeconds: 10, ms: 30_000, restMs: 1_000 };

const tooMuch =
  "These files take too much time or memory to read. Split them, and upload one after the other.";

/**
 * Reads run one after the other, because only one reader fits beside the front door in a small container. After each they
 * rest as long as it took, so that many files leave half of a processor.
 */
const turns = createTurns({ atOnce: 1 });

/**
 * Reads an upload in a process of its own, so that no file can stall the front door or fill its memory. The process has
 * no settings and no database, and is killed when it exceeds its time or memory.
 */
export async function readApart(order: ReadOrder, areHere: AreHere): Promise<ReadResult["read"]> {
  const end = await turns.take("");
  const began = performance.now();
  const rest = () => end && setTimeout(end, Math.min(longest.restMs, performance.now() - began));
  return readNow(order, areHere).finally(rest);
}

async function readNow(order: ReadOrder, areHere: AreHere): Promise<ReadResult["read"]> {
  const result = Promise.withResolvers<ReadResult["read"]>();
  // Less priority leaves the processor to the front door; the least, or a session of its own, would starve the reader.
  const limited = ["/bin/sh", "-c", `ulimit -t ${longest.cpuSeconds} 2>&-; exec nice -n 10 "$0" "$@"`];
  const child = Bun.spawn([...limited, process.execPath, join(import.meta.dir, "reader.ts")], {
    // In the working directory Bun would read a file `.env`.
    ...{ cwd: "/", env: {}, stdio: ["ignore", "ignore", "inherit"] },
    ...{ serialization: "advanced", timeout: longest.ms, killSignal: "SIGKILL" },
    ipc(message: "ready" | ReadQuestion | ReadResult, child) {
      if (message === "ready") child.send(order);
      else if ("read" in message) result.resolve(message.read);
      else areHere(message.ask).then((here) => child.send({ here } satisfies ReadReply), result.reject);
    },
  });
  child.exited.then(() => {
    if (child.signalCode) result.resolve(tooMuch);
    else result.reject(new Error(`The reader of files ended with exit code ${child.exitCode}.`));
  });
  return result.promise.finally(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
}

export type ReadOrder = Readonly<{ files: Upload["files"]; today: Today }>;

/** The reader has no database, so it asks its front door which things exist already. */
export type ReadQuestion = Readonly<{ ask: Parameters<AreHere>[0] }>;
export type ReadReply = Readonly<{ here: Awaited<ReturnType<AreHere>> }>;

type Listed = Readonly<{ count: number; names: readonly string[] }>;

/** The plan of an import as its person sees it, and the parts to store, which the front door need not parse. */
export type ReadImport = Omit<ImportPlan, "things" | "newCategories"> &
  Readonly<{
    parts: readonly Part[];
    /** The numbers of things, and the names of the first ones. */
    listed: Readonly<Record<"categories" | "habits" | "todos", Listed>>;
    completedTodos: number;
  }>;

/** The reading of an upload, or a sentence why its files cannot be read. */
export type ReadResult = Readonly<{ read: ReadImport | string }>;
