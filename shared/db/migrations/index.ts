import type { Migration } from "@mikro-orm/migrations";
import type { OnlineMigration } from "../online-migration.ts";
import { FirstSchema } from "./20261128-schema.ts";

type ClassOf<Kind> = new (...options: ConstructorParameters<typeof Migration>) => Kind;

export type NamedMigration = Readonly<{
  name: string;
  class: ClassOf<Migration> | ClassOf<OnlineMigration>;
}>;

/**
 * All migrations in the order they run. One that was released keeps its name and effect. What touches a large table is an
 * OnlineMigration; any other is one short transaction.
 */
export const migrations: readonly NamedMigration[] = [{ name: "20261128-schema", class: FirstSchema }];

/**
 * A release that knows this migration may run beside the newest schema; older ones refuse to. It moves on with each
 * migration that takes away what earlier releases use, or stores what they would misread.
 */
export const neighboursKnow = "20261128-schema";
