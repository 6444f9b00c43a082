import { Migration } from "@mikro-orm/migrations";
import { changes, journal, partitions, rowSecurity } from "./20261128-schema/functions.ts";
import { productTables } from "./20261128-schema/product.ts";
import { identityTables, serviceTables } from "./20261128-schema/services.ts";

/** The schema of 0.1.0. The rights of roles are not in it: each `migrate` gives them (workers/upkeep/migrate.ts). */
export class FirstSchema extends Migration {
  override up(): void {
    for (const tables of [productTables, serviceTables, identityTables]) this.addSql(tables);
    for (const functions of [changes, journal, partitions, rowSecurity]) this.addSql(functions);
  }
}
