import type { Pool } from "pg";
import { type Log, throttled } from "../process/observe/log.ts";
import { toRun } from "../process/to-run.ts";
import { migrations } from "./migrations/index.ts";

const known = migrations.map(({ name }) => name);

/** The migrations that a database has, and the one that a release must know to run beside its schema. */
type Schema = Readonly<{ applied: readonly string[]; neighboursKnow: string | null }>;

const undefinedTable = "42P01";

export async function readSchema(pool: Pick<Pool, "query">): Promise<Schema> {
  try {
    const { rows } = await pool.query(`
      select coalesce(array_agg(name::text), '{}') as applied,
        obj_description('mikro_orm_migrations'::regclass) as "neighboursKnow"
      from mikro_orm_migrations`);
    return rows[0];
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === undefinedTable)
      return { applied: [], neighboursKnow: null };
    throw error;
  }
}

/** @returns a sentence if this release is too old for the schema */
export function tooNew({ neighboursKnow: wanted }: Schema): string | undefined {
  if (wanted === null || known.includes(wanted)) return undefined;
  return `This release is older than the database, which has the migration ${wanted}: start a newer release.`;
}

/** @returns a sentence if this release cannot serve a database with that schema */
export function problemOf(schema: Schema, names = known): string | undefined {
  if (schema.applied.length === 0)
    return `The database is empty, no installation is there: correct DATABASE_URL, or make one with \`${toRun("migrate")}\`.`;
  const missing = names.filter((name) => !schema.applied.includes(name));
  const count = missing.length === 1 ? "a migration is" : `${missing.length} migrations are`;
  const isOlder = `The database is older than this release, ${count} missing from ${missing[0]} on: run \`${toRun("migrate")}\`.`;
  return tooNew(schema) ?? (missing.length > 0 ? isOlder : undefined);
}

/** @throws when this release cannot serve the database */
export async function demandSchema(pool: Pick<Pool, "query">): Promise<void> {
  const problem = problemOf(await readSchema(pool));
  if (problem) throw new Error(problem);
}

/**
 * Makes PostgreSQL write a small file, which ends with the statement.
 * @throws when it cannot, as on a full disk
 */
export async function demandWrites(pool: Pick<Pool, "query">): Promise<void> {
  await pool.query("select pg_export_snapshot()");
}

/** A health check of PostgreSQL, which tells when it cannot write, and when its schema is one that this release cannot serve. */
export function createPostgresCheck(pool: Pick<Pool, "query">, log: Log) {
  const say = throttled((problem: string) => log.error(problem));
  return async (): Promise<Readonly<{ missing?: "schema" }>> => {
    const problem = problemOf(await readSchema(pool));
    if (problem) {
      say(problem);
      return { missing: "schema" };
    }
    await demandWrites(pool).catch((error: Error) => {
      say(`PostgreSQL takes no changes (${error.message}). Make room on its disk.`);
      throw error;
    });
    return {};
  };
}
