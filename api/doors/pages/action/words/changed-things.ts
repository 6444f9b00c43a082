import type { Image } from "../../../../../shared/domain/action/image-fields.ts";
import {
  type BeforeAndAfter,
  kindOfTable,
  parseRowName,
  type RowName,
} from "../../../../../shared/domain/action/images.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import type { Thing } from "./words.ts";

/** What an action did to one thing and to the rows that belong to it. No image where it was made or removed. */
export type ChangedThing = Readonly<{
  thing: Thing;
  before: Image | undefined;
  after: Image | undefined;
  /** Dates that became completed, and that no longer are. */
  completed: readonly string[];
  uncompleted: readonly string[];
}>;

/** @returns the things in the images' order; rows that this release does not know are left out */
export function changedThings(images: BeforeAndAfter): readonly ChangedThing[] {
  const names = [...new Set([...Object.keys(images.after), ...Object.keys(images.before)])];
  const rows = names.flatMap((name) => rowNamed(name, images) ?? []);
  return [...Map.groupBy(rows, ({ owner }) => owner).values()].flatMap((own) => thingOf(own) ?? []);
}

type Row = RowName &
  Readonly<{ owner: string; kind: ResourceKind; before: Image | undefined; after: Image | undefined }>;

const kindOfOwner = { habit_completions: "habit", reminders: "todo" } as const;

function rowNamed(name: string, { before, after }: BeforeAndAfter): Row | undefined {
  try {
    const { table, key } = parseRowName(name);
    const kind =
      table === "habit_completions" || table === "reminders" ? kindOfOwner[table] : kindOfTable(table);
    if (!kind) return undefined;
    return { table, key, kind, owner: `${kind}/${key[0]}`, before: before[name], after: after[name] };
  } catch {
    return undefined;
  }
}

function thingOf(rows: readonly Row[]): ChangedThing | undefined {
  const [{ kind, key } = { kind: undefined, key: [] }] = rows;
  const id = Number(key[0]);
  if (!kind || !Number.isSafeInteger(id)) return undefined;
  const main = rows.find(({ table }) => kindOfTable(table) !== undefined);
  const reminder = rows.find(({ table }) => table === "reminders");
  const days = rows.filter(({ table }) => table === "habit_completions");
  const dates = (some: readonly Row[]) => some.flatMap((row) => row.key[1] ?? []).toSorted();
  return {
    thing: { kind, id },
    before: main && !main.before ? undefined : { ...timesIn(reminder?.before), ...main?.before },
    after: main && !main.after ? undefined : { ...timesIn(reminder?.after), ...main?.after },
    completed: dates(days.filter(({ before }) => !before)),
    uncompleted: dates(days.filter(({ after }) => !after)),
  };
}

/** Of a reminder its time. Its status follows from the todo's. */
function timesIn(image: Image | undefined): Image {
  if (!image) return {};
  const { remind_at, wall_time } = image;
  return { ...(remind_at !== undefined && { remind_at }), ...(wall_time !== undefined && { wall_time }) };
}
