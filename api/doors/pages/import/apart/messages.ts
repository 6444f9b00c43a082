import type { Today } from "../../../../../shared/domain/day/day.ts";
import type { Upload } from "../../../../web/form/upload.ts";
import type { AreHere, ImportPlan } from "../plan.ts";

/** The front door's order to the reader's process. */
export type ReadOrder = Readonly<{ files: Upload["files"]; today: Today }>;

/** The reader has no database, so it asks its front door which things exist already. */
export type ReadQuestion = Readonly<{ ask: Parameters<AreHere>[0] }>;
export type ReadReply = Readonly<{ here: Awaited<ReturnType<AreHere>> }>;

/** The plan of the import, or a sentence why the files cannot be read. */
export type ReadResult = Readonly<{ read: ImportPlan | string }>;
