import { expressionBuilder, sql } from "kysely";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { numberOfDigits } from "../../../shared/contracts/kernel/fields.ts";
import { own, type RowOf, statement } from "../../../shared/db/reads/statement.ts";
import { readStored } from "../../../shared/domain/action/cut-arguments.ts";
import { type Image, type SeenTable, seenTables } from "../../../shared/domain/action/image-fields.ts";
import { ownerOf, readImages } from "../../../shared/domain/action/images.ts";
import { type ResourceKind, resourceKinds, tableOf } from "../../../shared/domain/vocabulary.ts";
import { argument, type Fields } from "../../http/input.ts";
import type { QueryContext } from "../engine/context.ts";

type Images = Readonly<{ before: Image | undefined; after: Image | undefined }>;
/** A row by its name in images, and the thing that it is or belongs to, such as `todos/5`. */
type NamedRow = Readonly<{ table: SeenTable; date: string; thing: string; kind: ResourceKind }>;
export type ThingRow = NamedRow & Images;

/** One thing before and after an action, and all its rows. An image is missing before it was made or after it went. */
export type ChangedThing = Pick<ThingRow, "thing" | "kind"> & Images & Readonly<{ rows: ThingRow[] }>;

export const rowOf = (kind: ResourceKind, id: unknown): string => `${tableOf[kind]}/${id}`;

/** @returns undefined for a row that this release does not know */
export function parseRow(name: string): NamedRow | undefined {
  const [first, id = "", date = ""] = name.split("/");
  const table = seenTables.find((one) => one === first);
  if (!table || !/^\d{1,15}$/.test(id)) return undefined;
  const kind = ownerOf(table);
  return { table, date, kind, thing: rowOf(kind, id) };
}

/** The things that an action changed, in the images' order; none where the images cannot be read. */
export function changedThings(action: Pick<LoggedAction, "before" | "after">): readonly ChangedThing[] {
  try {
    const [before, after] = [readImages(action.before).images, readImages(action.after).images];
    const rows = Object.keys({ ...after, ...before }).flatMap((name): ThingRow[] => {
      const row = parseRow(name);
      return row ? [{ ...row, before: before[name], after: after[name] }] : [];
    });
    return [...Map.groupBy(rows, ({ thing }) => thing)].map(([thing, own]) => {
      const { kind = "todo" } = own[0] ?? {};
      const { before, after } = own.find(({ table }) => table === tableOf[kind]) ?? { before: {}, after: {} };
      return { thing, kind, before, after, rows: own };
    });
  } catch {
    return [];
  }
}

/** True if an action only deleted, and changed nothing else, such as reopening a todo. */
export const isDeletion = (changed: readonly ChangedThing[]): boolean =>
  changed.length > 0 && changed.every(({ after }) => after === undefined);

export const titleIn = ({ title, name = title }: Image = {}): string | undefined =>
  typeof name === "string" ? name : undefined;

/** The log's name for a read of a resource; its only argument is `uri`. */
export const resourceRead = "resources/read";

/** The habit in the address of a resource, such as `kept://habits/7`. */
export function habitAt(uri: unknown): { habit_id: number } | undefined {
  const [, digits] = typeof uri === "string" ? uri.split("kept://habits/") : [];
  const habit_id = idIn({ digits }, "digits");
  return habit_id === undefined || uri !== `kept://habits/${habit_id}` ? undefined : { habit_id };
}

function idIn(args: Fields, name: string): number | undefined {
  const id = numberOfDigits(argument(args, name));
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** The arguments by their names in tools, with the id of the thing that the log or an address knows. */
export function argumentsOf({ resource_kind: kind, resource_id, arguments: stored }: LoggedAction): Fields {
  const { args } = readStored(stored);
  return { ...(kind && { [`${kind}_id`]: resource_id }), ...habitAt(argument(args, "uri")), ...args };
}

/** Present names of a user's things, by the names of their rows, such as `todos/5`. Deleted things have none. */
export type ThingNames = ReadonlyMap<string, string>;

/** The present names of all things that these actions may name. */
export const readNames = (query: QueryContext, actions: readonly LoggedAction[]): Promise<ThingNames> =>
  namesOf(query, new Set(actions.flatMap(thingsNamedIn)));

type Named = { h: RowOf<"habits">; t: RowOf<"todos">; c: RowOf<"categories"> };
const { ref } = expressionBuilder<Named, keyof Named>();
const namesOfIds = statement(
  { habits: "bigint[]", todos: "bigint[]", categories: "bigint[]" },
  (value) => sql<{ thing: string; name: string }>`
    select 'habits/' || ${ref("h.id")} as thing, ${ref("h.name")} from ${own("habits")} h
    where ${ref("h.id")} = any(${value("habits")})
    union all select 'todos/' || ${ref("t.id")}, ${ref("t.title")} from ${own("todos")} t
    where ${ref("t.id")} = any(${value("todos")})
    union all select 'categories/' || ${ref("c.id")}, ${ref("c.name")} from ${own("categories")} c
    where ${ref("c.id")} = any(${value("categories")})`,
);

/** @param things names of rows */
export async function namesOf({ rows }: QueryContext, things: Iterable<string>): Promise<ThingNames> {
  const all = [...things];
  const idsOf = (table: string) =>
    `{${all.filter((row) => row.startsWith(`${table}/`)).map((row) => row.split("/")[1])}}`;
  const named = await rows(
    namesOfIds({ habits: idsOf("habits"), todos: idsOf("todos"), categories: idsOf("categories") }),
  );
  return new Map(named.map(({ thing, name }) => [thing, name]));
}

const thingsNamedIn = (action: LoggedAction): readonly string[] => [
  ...thingsOf(argumentsOf(action)),
  ...changedThings(action).flatMap(({ thing, before, after }) => [
    thing,
    ...thingsOf(before),
    ...thingsOf(after),
  ]),
];

/** The things whose ids are in arguments or in an image. */
export const thingsOf = (ids: Image = {}): readonly string[] =>
  resourceKinds.flatMap((kind) => {
    const id = idIn(ids, `${kind}_id`);
    return id === undefined ? [] : [rowOf(kind, id)];
  });

export type Names = Pick<ThingNames, "get">;

/** The names of things before an action; the present ones if the action does not tell. */
export function namesThen(action: LoggedAction, present: Names): Names {
  const { resource_kind: kind, resource_id: id, resource_name: name } = action;
  const then = new Map(kind && name !== null ? [[rowOf(kind, id), name]] : []);
  for (const { thing, before, after } of changedThings(action)) {
    const title = titleIn(before) ?? titleIn(after);
    if (title !== undefined) then.set(thing, title);
  }
  return { get: (thing) => then.get(thing) ?? present.get(thing) };
}
