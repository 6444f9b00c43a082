import { p } from "@mikro-orm/core";
import type { ColumnsOf, ColumnType, DeclaredFields } from "../../contracts/kernel/declared-fields.ts";

/** Column types that several tables share. Timestamps are UTC strings with microseconds, dates are `YYYY-MM-DD`. */
export const timestamptz = () => p.string().columnType("timestamptz");
export const date = () => p.string().columnType("date");
/** The token's `sub`: part of every key, so that ownership is too. */
export const owner = () => p.text().primary();
export const id = () => p.bigint("number").primary();
/** The category that it was in when that was deleted: ids are never given out again, so this leads to it or to none. */
export const formerCategory = { former_category_id: p.bigint("number").nullable() };
export const timestamps = { created_at: timestamptz(), updated_at: timestamptz() };

const builders = {
  text: p.text,
  time_of_day: () => p.string().columnType("time_of_day"),
  integer: p.integer,
  bigint: () => p.bigint("number"),
  boolean: p.boolean,
  date,
  timestamptz,
  jsonb: p.json,
} satisfies Record<ColumnType, unknown>;

/** The types of properties, as MikroORM infers them. */
type PropertiesOf<Declared extends DeclaredFields> = {
  [Name in keyof ColumnsOf<Declared>]: Readonly<{
    "~type"?: { value: ColumnsOf<Declared>[Name] };
    "~options": object;
  }>;
};

/** The columns of declared fields. */
export function columnsOf<Declared extends DeclaredFields>(fields: Declared): PropertiesOf<Declared> {
  const columns = Object.entries(fields).map(([name, { column, usual }]): [string, unknown] => {
    const built = builders[column]();
    return [name, usual === null ? built.nullable() : built];
  });
  return Object.fromEntries(columns) as PropertiesOf<Declared>;
}
