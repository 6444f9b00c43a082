import { afterAll, expect, test } from "bun:test";
import { migrations, neighboursKnow } from "../../../shared/db/migrations/index.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { problemOf } from "../../../shared/db/schema-guard.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { bringUp, migrate } from "../../../workers/upkeep/migrate.ts";
import { freePort, startStack } from "../../harness.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";
import { eventually } from "../../support/reminder/stack.ts";

const log = createLog("test", "silent");
const workerPort = freePort();
const empty = await openEmptyDatabase();
// The stack's own hook, which follows this one, counts the connections that are left.
afterAll(empty.close);
const { config, sql } = await startStack({ env: { WORKER_PORT: String(workerPort) }, log });

const open = async (url: string) => (await openDatabase({ url, log })).close();
const known = migrations.map(({ name }) => name);
const demand = (name: string) => sql.unsafe(`comment on table mikro_orm_migrations is '${name}'`);

test("each schema that a release cannot serve is told in one sentence with the next step", () => {
  const last = known.at(-1) ?? "";
  const problems = [
    { applied: known, neighboursKnow },
    { applied: [...known, "20990101-later"], neighboursKnow },
    { applied: known, neighboursKnow: "20990101-later" },
    { applied: ["20200101-earlier"], neighboursKnow: null },
    { applied: [], neighboursKnow: null },
  ].map((schema) => problemOf(schema));
  expect(problems).toEqual([
    undefined,
    undefined,
    "This release is older than the database, which has the migration 20990101-later: start a newer release.",
    `The database is older than this release, a migration is missing from ${last} on: run \`npm run admin -- migrate\`.`,
    "The database is empty, no installation is there: correct DATABASE_URL, or make one with `npm run admin -- migrate`.",
  ]);
  const later = ["20990101-notes", "20990102-effort"];
  expect(problemOf({ applied: known, neighboursKnow }, [...known, ...later])).toBe(
    "The database is older than this release, 2 migrations are missing from 20990101-notes on: run `npm run admin -- migrate`.",
  );
});

test("a role starts on no empty, older or newer database, and an older release does not migrate a newer one", async () => {
  await expect(open(empty.url)).rejects.toThrow("The database is empty");
  await bringUp(empty, [{ name: "20200101-earlier", isOnline: false, statements: [] }]);
  await expect(open(empty.url)).rejects.toThrow("The database is older than this release");
  await open(config.databaseUrl);
  await demand("20990101-later");
  await expect(open(config.databaseUrl)).rejects.toThrow("This release is older than the database");
  await expect(migrate(config.databaseUrl, "silent")).rejects.toThrow(
    "This release is older than the database",
  );
  await demand(neighboursKnow);
  await migrate(config.databaseUrl, "silent");
});

test("a running role is no longer ready when a newer release migrates the database beyond it", async () => {
  const ready = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
    return [answer.status, await answer.json()];
  };
  // A busy machine may miss another part for a moment.
  const until = async (expected: readonly unknown[]) => {
    for (const port of [config.port, workerPort])
      await eventually(async () => Bun.deepEquals(await ready(port), expected));
  };
  const whole = [200, { status: "ok", missing: [] }];
  await until(whole);
  await demand("20990101-later");
  await until([503, { status: "unavailable", missing: ["schema"] }]);
  await demand(neighboursKnow);
  await until(whole);
});
