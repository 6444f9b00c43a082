import { Migration } from "@mikro-orm/migrations";

/** Stored replies hold the resource itself, where they held its JSON text. */
export class Replies extends Migration {
  override up(): void {
    this.addSql(`
      update inbox set reply = '{"body":' || (reply::json ->> 'body') || '}'
      where reply like '{"body":"%'`);
  }
}
