import type { CommandName } from "../../../../shared/contracts/catalogue.ts";
import { addDays, localDay, localTime } from "../../../../shared/domain/day/day.ts";
import type { Act, CategoryChoice, DueDate, Fields, ReminderTime, Who } from "./acts.ts";
import type { Row } from "./memory.ts";

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

/** @returns the command of an act at that moment; the caller chooses the actions of an undo */
export function requestOf(scene: Scene, who: Who, act: Act): Request {
  const todo = (which: number) => ({ todo_id: pick(scene, "todos", which) });
  const habit = (which: number) => ({ habit_id: pick(scene, "habits", which) });
  const category = (which: number) => ({ category_id: pick(scene, "categories", which) });
  const fields = (given: Fields) => fieldsOf(scene, who, given);
  const each = (table: string, name: string, whiches: readonly number[]) =>
    [...new Set(whiches.map((which) => pick(scene, table, which)))].map((id) => ({ input: { [name]: id } }));
  const request = (input: Fields): Request => ({ name: act.do, input });
  switch (act.do) {
    case "todo.create":
    case "habit.create":
    case "category.create":
    case "user.configure":
      return request(fields(act.fields));
    case "todo.update":
      return request({ ...todo(act.which), ...fields(act.fields) });
    case "habit.update":
      return request({ ...habit(act.which), ...fields(act.fields) });
    case "category.update":
      return request({ ...category(act.which), ...fields(act.fields) });
    case "todo.delete":
    case "reminder.clear":
      return request(todo(act.which));
    case "habit.delete":
      return request(habit(act.which));
    case "category.delete":
      return request(category(act.which));
    case "todo.toggle":
      return request({ ...todo(act.which), ...(act.to !== undefined && { is_completed: act.to }) });
    case "reminder.set":
      return request({ ...todo(act.which), remind_at: timeIn(scene, act.at) });
    case "habit.complete":
    case "habit.undo":
      return request({
        ...habit(act.which),
        ...(act.back > 0 && { date: addDays(todayIn(scene), -act.back) }),
      });
    case "todo.create-many":
      return request({ items: act.each.map((given) => ({ input: fields(given) })) });
    case "todo.update-many":
      return request({ items: each("todos", "todo_id", act.whiches), shared: fields(act.fields) });
    case "habit.update-many":
      return request({ items: each("habits", "habit_id", act.whiches), shared: fields(act.fields) });
    case "todo.delete-many":
    case "todo.toggle-many":
      return request({ items: each("todos", "todo_id", act.whiches) });
    case "habit.delete-many":
      return request({ items: each("habits", "habit_id", act.whiches) });
    case "habit.complete-many":
    case "habit.undo-many": {
      const dates = act.backs.map((back) => addDays(todayIn(scene), -back));
      const things = each("habits", "habit_id", act.whiches);
      const items = things.flatMap(({ input }) => dates.map((date) => ({ input: { ...input, date } })));
      return request({ items });
    }
    case "category.rename": {
      const { category_id } = category(act.which);
      const known = scene.rows.get(`categories/${category_id}`)?.name;
      return request({ category: known ?? "unknown", name: act.name });
    }
    case "action.undo":
      return request({});
  }
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
