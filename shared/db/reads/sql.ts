import template, { type Sql as Fragment, join, raw } from "sql-template-tag";

export { join, raw };

/** A statement that gives rows of this type, or a part of one. Its values stay apart from its text. */
export type Sql<Row = unknown> = Fragment & { readonly row?: Row };

/** Parts nest: `` sql`select ... where ${condition} and id = ${id}` ``. */
export const sql = <Row = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql<Row> =>
  template(strings, ...values);

/** A constant of Kept's own as text, where PostgreSQL or coalesced reads take no parameter. */
export const literal = (value: string | number): Fragment =>
  raw(typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`);

/** The columns of an alias, for a `select`. */
export const columnList = (alias: string, names: readonly string[]): Fragment =>
  raw(names.map((name) => `${alias}.${name}`).join(", "));
