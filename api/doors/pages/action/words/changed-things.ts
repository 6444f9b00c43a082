import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { type Image, seenTables } from "../../../../../shared/domain/action/image-fields.ts";
import { type BeforeAndAfter, ownerOf, skippedField } from "../../../../../shared/domain/action/images.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import { type ResourceKind, tableOf } from "../../../../../shared/domain/vocabulary.ts";

/** A row by its name in images, and the thing that it is or belongs to, such as `todos/5`. */
type NamedRow = Readonly<{ table: string; date: string; thing: string; kind: ResourceKind }>;

/**
 * One thing before and after an action, with the rows that belong to it. An image is missing before the thing was
 * made or after it was removed.
 */
export type ChangedThing = Readonly<{
  thing: string;
  kind: ResourceKind;
  before: Image | undefined;
  after: Image | undefined;
  /** Dates that became completed, and that no longer are. */
  completed: readonly string[];
  uncompleted: readonly string[];
  /** The days whose sum changed. */
  amounts: readonly AmountChange[];
  /** Dates that became skipped, and that no longer are. */
  skipped: readonly string[];
  unskipped: readonly string[];
}>;

type AmountChange = Readonly<{ date: string; before: number; after: number }>;

/** The row of a thing, as images name it. */
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
export function changedThings({ before, after }: Pick<LoggedAction, "before" | "after">) {
  try {
    return thingsIn({ before: readImages(before).images, after: readImages(after).images });
  } catch {
    return [];
  }
}

/** True if an action only deleted, and changed nothing else, such as reopening a todo. */
export const isDeletion = (changed: readonly ChangedThing[]): boolean =>
  changed.length > 0 && changed.every(({ after }) => after === undefined);

function thingsIn({ before, after }: BeforeAndAfter): readonly ChangedThing[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const rows = names.flatMap((name): Row[] => {
    const row = parseRow(name);
    return row ? [{ ...row, before: before[name], after: after[name] }] : [];
  });
  return [...Map.groupBy(rows, ({ thing }) => thing).values()].map(thingOf);
}

type Row = NamedRow & Readonly<{ before: Image | undefined; after: Image | undefined }>;

function thingOf(rows: readonly Row[]): ChangedThing {
  const [{ thing, kind } = { thing: "", kind: "todo" as const }] = rows;
  const main = rows.find((row) => row.table === tableOf[kind]);
  const reminder = rows.find(({ table }) => table === "reminders");
  const days = rows.filter(({ table }) => table === "habit_completions");
  const dates = (some: readonly Row[]) => some.map(({ date }) => date).toSorted();
  return {
    thing,
    kind,
    before: main && !main.before ? undefined : { ...timesIn(reminder?.before), ...main?.before },
    after: main && !main.after ? undefined : { ...timesIn(reminder?.after), ...main?.after },
    completed: dates(days.filter(({ before }) => !before)),
    uncompleted: dates(days.filter(({ after }) => !after)),
    amounts: rows.filter(({ table }) => table === "habit_amounts").flatMap(amountIn),
    skipped: skipsIn(main?.after).filter((date) => !skipsIn(main?.before).includes(date)),
    unskipped: skipsIn(main?.before).filter((date) => !skipsIn(main?.after).includes(date)),
  };
}

/** Another target alone leaves the sum as it is. */
function amountIn({ date, before, after }: Row): AmountChange[] {
  const [old, made] = [Number(before?.amount ?? 0), Number(after?.amount ?? 0)];
  return old === made ? [] : [{ date, before: old, after: made }];
}

const skipsIn = (image: Image | undefined): readonly string[] => {
  const dates = image?.[skippedField];
  return Array.isArray(dates) ? dates : [];
};

/** The title or name in an image, or in what was sent. */
export function titleIn({ title, name = title }: Image = {}): string | undefined {
  return typeof name === "string" ? name : undefined;
}

/** The time of a reminder. Its status follows from the todo's. */
function timesIn({ remind_at, wall_time }: Image = {}): Image {
  return { ...(remind_at !== undefined && { remind_at }), ...(wall_time !== undefined && { wall_time }) };
}
