import { migrations } from "../../../shared/db/migrations/index.ts";
import type { Database } from "../../../shared/db/orm.ts";
import type { Schema } from "../../../shared/db/schema-guard.ts";
import { indexedTables } from "./locks.ts";

/** A migration as its statements. An online one runs them one by one, any other in one transaction. */
export type ListedMigration = Readonly<{ name: string; isOnline: boolean; statements: readonly string[] }>;

export function allMigrations({ orm }: Pick<Database, "orm">): readonly ListedMigration[] {
  return migrations.map(({ name, class: Migration }) => {
    const migration = new Migration(orm.em.getDriver(), orm.config);
    migration.up();
    return { name, isOnline: !migration.isTransactional(), statements: migration.getQueries().map(String) };
  });
}

export const pendingOf = (all: readonly ListedMigration[], { applied }: Schema): readonly ListedMigration[] =>
  all.filter(({ name }) => !applied.includes(name));

/** Finds the table of each index that any migration builds. */
export const tableFinder = (all: readonly ListedMigration[]) =>
  indexedTables(all.flatMap(({ statements }) => statements));
