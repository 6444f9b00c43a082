import { p } from "@mikro-orm/core";
import type { ColumnsOf, ColumnType, DeclaredFields } from "../../contracts/kernel/declared-fields.ts";

/** Column types that several tables share. Timestamps are UTC strings with microseconds, dates are `YYYY-MM-DD`. */
export const timestamptz = () => p.string().columnType("timestamptz");
export const date = () => p.string().columnType("date");
/** The token's `sub`. It is part of every key, and so is ownership. */
export const owner = () => p.text().primary();
export const id = () => p.bigint("number").primary();
/** The deleted category of the row. Ids are never given out again, so it leads to this category or to none. */
export const formerCategory = { former_category_id: p.bigint("number").nullable() };
/** Set from the start of a reminder's delivery. Moving the reminder clears it, which cancels that delivery. */
export const delivery = { delivery_id: p.string().columnType("uuid").nullable() };
/** The maker of a thing, the last to change it and the last to write its words (shared/domain/author.ts). The unit of work signs rows. */
export const authors = {
  created_by: p.text().nullable(),
  changed_by: p.text().nullable(),
  written_by: p.text().nullable(),
};
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

export function columnsOf<Declared extends DeclaredFields>(fields: Declared): PropertiesOf<Declared> {
  const columns = Object.entries(fields).map(([name, { column, usual }]): [string, unknown] => {
    const built = builders[column]();
    return [name, usual === null ? built.nullable() : built];
  });
  return Object.fromEntries(columns) as PropertiesOf<Declared>;
}
