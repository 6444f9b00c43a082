import { SQL } from "bun";
import { type Database, openDatabase } from "../../shared/db/orm.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { createDatabase } from "../harness.ts";

/** A database without a schema, opened as for migrations. */
export async function openEmptyDatabase(): Promise<Database & Readonly<{ url: string }>> {
  const url = new URL(await createDatabase());
  const admin = new SQL(url.href, { max: 1 });
  url.pathname = `${url.pathname}_empty`;
  await admin.unsafe(`create database ${url.pathname.slice(1)}`);
  await admin.close();
  const log = createLog("test", "error");
  const database = await openDatabase({ url: url.href, log, purpose: "migrations", connections: 4 });
  return { ...database, url: url.href };
}
