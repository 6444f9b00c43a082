import { Migration } from "@mikro-orm/migrations";

/**
 * Parts of a file that wait for their person to look at the preview; the next file takes their place. And which thing of
 * a file became which thing here, by a hash, so that the same file makes nothing twice.
 */
export class Imports extends Migration {
  override up(): void {
    this.addSql(`
      create table import_parts (
        user_id text not null,
        part integer not null,
        import_id uuid not null,
        kind text not null,
        keys text[] not null,
        content text not null,
        created_at timestamptz not null,
        primary key (user_id, part)
      )`);
    this.addSql(`
      create table import_keys (
        user_id text not null,
        key text not null,
        kind smallint not null,
        id bigint not null,
        created_at timestamptz not null,
        primary key (user_id, key)
      )`);
  }
}
