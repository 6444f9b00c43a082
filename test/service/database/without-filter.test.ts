import { afterAll, expect, test } from "bun:test";
import {
  createQueryContext,
  openQueryDatabase,
  type QueryDatabase,
} from "../../../api/queries/engine/context.ts";
import { read } from "../../../api/queries/index.ts";
import { type Database, openDatabase } from "../../../shared/db/orm.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";
import { seed, userAt } from "../../labs/bench/seed.ts";
import { everyQuery } from "../plans/every-query.ts";

const url = await createDatabase();
await seed(url, 3);
const log = createLog("test", "error");
/** Checks have more time than reads, so a busy machine refuses none. */
const purpose = "checks";
const [door, owner] = await Promise.all([
  openDatabase({ url: roleUrlsOf(url).door, log, purpose }),
  openDatabase({ url, log, purpose }),
]);
afterAll(() => Promise.all([door.close(), owner.close()]));

/** Removes the condition that the guard adds to each table. Its value stays, so that the statement has all of them. */
const withoutFilter = (text: string): string =>
  text.replace(/where user_id = (\$\d+)\)/g, "where $1::text is not null)");

function unguarded(database: Database): QueryDatabase {
  const { run } = openQueryDatabase(database);
  return {
    run: (userId, { text, values }, options) => run(userId, { text: withoutFilter(text), values }, options),
  };
}

/** A cursor of changes tells a transaction of the whole server, which other tests move on. */
const withoutPosition = (answer: string): string =>
  answer.replace(/"next_cursor":"[0-9a-f]+\.[\d.]+"/g, '"next_cursor":""');

const now = Date.now();
/** Reads every query of a user. @returns the answers as JSON */
async function shown(db: QueryDatabase): Promise<string[]> {
  const query = createQueryContext({
    ...{ db, now, userId: userAt(1), defaultTimeZone: "UTC", baseUrl: "http://localhost" },
  });
  const answers: string[] = [];
  for (const { name, input } of everyQuery()) {
    // More fields at once name no other table.
    if (Object.keys(input).length > 1) continue;
    const answer = await Promise.resolve(read(name, query, input)).catch(String);
    answers.push(withoutPosition(`${name} ${JSON.stringify(input)} ${JSON.stringify(answer)}`));
  }
  return answers;
}

test("without the guard's filter every query shows the same, because the database hides all others' rows", async () => {
  const guarded = await shown(openQueryDatabase(door));
  expect(await shown(unguarded(door))).toEqual(guarded);
  expect(guarded.filter((answer) => answer.includes("database failure"))).toEqual([]);
  const asOwner = await shown(unguarded(owner));
  expect(asOwner.filter((answer, index) => answer !== guarded[index]).length).toBeGreaterThan(50);
});
