import { afterAll } from "bun:test";
import { createQueryContext, openQueryDatabase } from "../../api/queries/engine/context.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { createLog } from "../../shared/process/observe/log.ts";

type Options = Omit<Parameters<typeof openDatabase>[0], "url" | "log">;

/** Reads of a database as front doors make them, until the end of the file. */
export async function openReads(url: string, options: Options = { connections: 2 }) {
  const database = await openDatabase({ url, log: createLog("test", "error"), ...options });
  afterAll(() => database.close());
  const fixed = { db: openQueryDatabase(database), defaultTimeZone: "UTC", baseUrl: "http://kept.test" };
  return {
    database,
    readerOf: (userId: string) => createQueryContext({ ...fixed, userId, now: Date.now() }),
  };
}
