import type { InferKyselyDB } from "@mikro-orm/sql";
import {
  createQueryId,
  expressionBuilder,
  PostgresQueryCompiler,
  type RawBuilder,
  type RootOperationNode,
  type Selectable,
  sql,
} from "kysely";
import type { entities } from "../entities.ts";

type Tables = InferKyselyDB<
  (typeof entities)[number],
  { tableNamingStrategy: "entity"; columnNamingStrategy: "property" }
>;
type UserTable = keyof Tables;
export type RowOf<Table extends UserTable> = Selectable<Tables[Table]>;

const user = "user";
/** The id of the user. It is one parameter, whatever the number of tables: each costs, most in coalesced reads. */
export const userId: RawBuilder<string> = sql.raw(`$<${user}>`);

/** PostgreSQL merges this subquery into the statement around it, so that indexes serve it like the table. */
export const own = <Table extends UserTable>(table: Table): RawBuilder<RowOf<Table>> =>
  sql`(select * from ${sql.table(table)} where user_id = ${userId})`;

/** Begins a query. It knows no table, so a query can only name the user's `own` rows. */
export const { selectFrom } = expressionBuilder<Record<never, never>, never>();

type SqlTypes = Record<"bigint" | "integer", number> &
  Record<"boolean", boolean> &
  Record<"text" | "date" | "timestamptz" | "time_of_day" | "uuid" | "xid8", string> &
  Record<"bigint[]", readonly number[]> &
  Record<"text[]" | "date[]" | "timestamptz[]" | "uuid[]", readonly string[]>;
type ParameterTypes = Readonly<Record<string, keyof SqlTypes>>;

type Parameter<Types extends ParameterTypes> = <Name extends keyof Types & string>(
  name: Name,
) => RawBuilder<SqlTypes[Types[Name]]>;

export const parameters =
  <const Types extends ParameterTypes>(types: Types): Parameter<Types> =>
  (name) =>
    sql`${sql.raw(`$<${name}>::${types[name]}`)}`;

/** A list can be text, such as `{1,2}`, because reads with arrays cannot be coalesced. */
type ValueOf<Type> = Type extends readonly unknown[] ? readonly string[] | string : Type;
type ValuesOf<Types extends ParameterTypes> = {
  readonly [Name in keyof Types]: ValueOf<SqlTypes[Types[Name]]> | null;
};
export type SomeValuesOf<Types extends ParameterTypes> = {
  readonly [Name in keyof Types]?: ValueOf<SqlTypes[Types[Name]]> | null | undefined;
};

/** A read that gives rows of this type, with its values; only the user is missing. */
export type Statement<Row = unknown> = Readonly<{
  of(userId: string): Readonly<{ text: string; values: unknown[] }>;
  row?: Row;
}>;

export type RunStatement = <Row extends object>(statement: Statement<Row>) => Promise<Row[]>;

/** The row of a function that makes statements. */
export type Found<Make extends (...args: never[]) => Statement> =
  ReturnType<Make> extends Statement<infer Row> ? Row : never;

type Query<Row> = Readonly<{ expressionType?: Row | undefined; toOperationNode(): RootOperationNode }>;
type Values = Readonly<Record<string, unknown>>;
type Bind<Row> = (values: Values) => Statement<Row>;

const compiler = new PostgresQueryCompiler();

/** Numbers the parameters. Nothing else has a value, so a text serves every request. */
function compile<Row>(query: Query<Row>): Bind<Row> {
  const { sql: named, parameters } = compiler.compileQuery(query.toOperationNode(), createQueryId());
  if (parameters.length > 0) throw new Error(`A read has a value that is no parameter: ${named}`);
  const names: string[] = [];
  const text = named.replace(/\$<(\w+)>/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const valuesOf = (values: Values, id: string) => names.map((name) => (name === user ? id : values[name]));
  return (values) => ({ of: (id) => ({ text, values: valuesOf(values, id) }) });
}

/** The names of those that are given. */
export const namesGiven = <Name extends string>(values: { readonly [Key in Name]?: unknown }): Name[] =>
  Object.keys(values).filter((name): name is Name => Reflect.get(values, name) !== undefined);

/** Only somebody who plays with filters and limits asks for more shapes. */
const mostShapes = 500;

/**
 * Makes the statements of a read whose text depends on a shape: a small plain object. To build a text takes tens of
 * microseconds, so each shape is compiled once. Values that a shape does not use are ignored.
 */
export function statements<const Types extends ParameterTypes, Shape, Row>(
  types: Types,
  build: (value: Parameter<Types>, shape: Shape) => Query<Row>,
) {
  const known = new Map<string | undefined, Bind<Row>>();
  function add(shape: Shape): Bind<Row> {
    if (known.size >= mostShapes) known.clear();
    const bind = compile(build(parameters(types), shape));
    known.set(JSON.stringify(shape), bind);
    return bind;
  }
  return (shape: Shape, values: SomeValuesOf<Types>): Statement<Row> =>
    (known.get(JSON.stringify(shape)) ?? add(shape))(values);
}

export function statement<const Types extends ParameterTypes, Row>(
  types: Types,
  build: (value: Parameter<Types>) => Query<Row>,
): (values: ValuesOf<Types>) => Statement<Row> {
  const make = statements<Types, undefined, Row>(types, build);
  return (values) => make(undefined, values);
}
