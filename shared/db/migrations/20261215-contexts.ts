import { Migration } from "@mikro-orm/migrations";

/** Took the sign of "@home" out of the index by context. 20261218-due-time builds the one that took its place. */
export class Contexts extends Migration {
  override up(): void {}
}
