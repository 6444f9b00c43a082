import type { CommandName } from "../../../../shared/contracts/catalogue.ts";
import { addDays, localDay, localTime } from "../../../../shared/domain/day/day.ts";
import type { Act, CategoryChoice, DueDate, Fields, ReminderTime, Who } from "./acts.ts";

export type Row = Readonly<Record<string, unknown>>;

/** All things at the moment of an act. */
export type Scene = Readonly<{
  rows: ReadonlyMap<string, Row>;
  now: number;
  timeZone: string;
  dayStartHour: number;
}>;

export type Request = Readonly<{ name: CommandName; input: Fields; preview?: boolean }>;

export const idsIn = (rows: ReadonlyMap<string, Row>, table: string): number[] =>
  [...rows.keys()].flatMap((name) =>
    name.startsWith(`${table}/`) ? [Number(name.slice(table.length + 1))] : [],
  );

const nobodys = 999_999;
/** Now and then the id does not exist. */
function pick({ rows }: Scene, table: string, which: number): number {
  const ids = idsIn(rows, table);
  return which >= 96 ? nobodys : (ids[which % Math.max(ids.length, 1)] ?? nobodys);
}

/** The table and the field of the things that a noun's commands are about. */
const thingsOf: Readonly<Record<string, Readonly<{ table: string; key: string }>>> = {
  todo: { table: "todos", key: "todo_id" },
  reminder: { table: "todos", key: "todo_id" },
  habit: { table: "habits", key: "habit_id" },
  category: { table: "categories", key: "category_id" },
};

/** @returns the command of an act at that moment; the caller chooses the actions of an undo */
export function requestOf(scene: Scene, who: Who, act: Act): Request {
  const [noun = ""] = act.do.split(".");
  const { table, key } = thingsOf[noun] ?? { table: "", key: "" };
  const request = (input: Fields) => ({ name: act.do, input });
  const asOne = (inputs: readonly Fields[]) =>
    ({ name: "batch.run-as-one", input: { operations: inputs.map(request) } }) as const;
  const dateOf = (back: number) => ({ date: addDays(todayIn(scene), -back) });
  if (act.do === "action.undo") return request({});
  if (act.do === "category.rename") {
    const known = scene.rows.get(`categories/${pick(scene, table, act.which)}`)?.name;
    return request({ category: known ?? "unknown", name: act.name });
  }
  if ("each" in act) return asOne(act.each.map((given) => fieldsOf(scene, who, given)));
  const fields = "fields" in act && fieldsOf(scene, who, act.fields);
  if ("whiches" in act) {
    const ids = new Set(act.whiches.map((which) => pick(scene, table, which)));
    const days = "backs" in act ? act.backs.map(dateOf) : [{}];
    return asOne([...ids].flatMap((id) => days.map((day) => ({ [key]: id, ...day, ...fields }))));
  }
  return request({
    ...("which" in act && { [key]: pick(scene, table, act.which) }),
    ...fields,
    ...("to" in act && act.to !== undefined && { is_completed: act.to }),
    ...("at" in act && { remind_at: timeIn(scene, act.at) }),
    ...("back" in act && act.back > 0 && dateOf(act.back)),
  });
}

export const todayIn = ({ now, timeZone, dayStartHour }: Scene): string =>
  localDay(now, timeZone, dayStartHour);

function timeIn({ now, timeZone }: Scene, { hours, wall }: ReminderTime): string {
  const at = now + hours * 3_600_000 + 60_000;
  return wall ? localTime(at, timeZone).slice(0, 16) : new Date(at).toISOString();
}

function fieldsOf(scene: Scene, who: Who, given: Fields): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === "category") Object.assign(fields, categoryOf(scene, who, value as CategoryChoice));
    else if (name === "due_date" && value) fields[name] = addDays(todayIn(scene), (value as DueDate).days);
    else if (name === "remind_at" && typeof value !== "string") {
      if (who === "mcp") fields[name] = value && timeIn(scene, value as ReminderTime);
    } else fields[name] = value;
  }
  return fields;
}

function categoryOf(scene: Scene, who: Who, { category, byName }: CategoryChoice): Fields {
  if (category === null) return { category_id: null };
  if (who === "mcp" && byName && category >= 90) return { new_category: `n${category % 3}` };
  if (idsIn(scene.rows, "categories").length === 0) return {};
  const category_id = pick(scene, "categories", category);
  const name = scene.rows.get(`categories/${category_id}`)?.name;
  return who === "mcp" && byName && name ? { category: name } : { category_id };
}
