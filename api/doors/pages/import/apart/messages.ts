import type { Today } from "../../../../../shared/domain/day/day.ts";
import type { Upload } from "../../../../web/form/upload.ts";
import type { Part } from "../parts.ts";
import type { AreHere, ImportPlan } from "../plan.ts";

/** The front door's order to the reader's process. */
export type ReadOrder = Readonly<{ files: Upload["files"]; today: Today }>;

/** The reader has no database, so it asks its front door which things exist already. */
export type ReadQuestion = Readonly<{ ask: Parameters<AreHere>[0] }>;
export type ReadReply = Readonly<{ here: Awaited<ReturnType<AreHere>> }>;

type Listed = Readonly<{ count: number; names: readonly string[] }>;

/** The plan of an import as its person sees it, and the parts to store, which the front door need not parse. */
export type ReadImport = Omit<ImportPlan, "things"> &
  Readonly<{
    parts: readonly Part[];
    /** The numbers of things, and the names of the first ones. */
    listed: Readonly<Record<"categories" | "habits" | "todos", Listed>>;
    completedTodos: number;
  }>;

/** The reading of an upload, or a sentence why its files cannot be read. */
export type ReadResult = Readonly<{ read: ReadImport | string }>;
