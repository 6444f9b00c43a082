import type { PreviewedChange } from "../../../shared/contracts/kernel/preview.ts";
import type { CategoryRow, HabitRow, ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { presentCategory, presentHabit, presentTodo } from "../../../shared/db/present.ts";
import { isSame, type SeenTable } from "../../../shared/domain/action/image-fields.ts";
import { ownerOf, type RowChange } from "../../../shared/domain/action/images.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { isOfPagesAlone, nameOf } from "../../handlers/action/action-log.ts";
import type { HandlerContext } from "../../handlers/handler.ts";
import { rowChanges } from "../../unit-of-work/state.ts";
import { contextOf, type SharedContext } from "./handler-context.ts";

/** Adds what a command changes to its answer, if that is a preview. */
export function addChanges(transaction: SharedContext, command: QueuedCommand, answer: () => Reply): Reply {
  const { state } = transaction;
  const count = state.changes.length;
  const reply = answer();
  if (!command.preview || isRefused(reply.outcome)) return reply;
  return { ...reply, changes: previewOf(contextOf(transaction, command), command, rowChanges(state, count)) };
}

/** A thing's rows: itself, and those that are shown as a part of it. */
type ThingRows = Readonly<{ kind: ResourceKind; id: number; rows: readonly RowChange[] }>;
type Side = "before" | "after";
type Shown = Readonly<Record<string, unknown>> | null;

/** The things that changed, as REST shows them. An answer that only pages get says itself what would change. */
function previewOf(
  context: HandlerContext,
  { name }: Pick<QueuedCommand, "name">,
  changes: readonly RowChange[],
): readonly PreviewedChange[] {
  if (isOfPagesAlone(name)) return [];
  const things = Map.groupBy(changes, ({ table, key }) => `${ownerOf(table)}/${key[0]}`);
  return [...things.values()].flatMap((rows) =>
    rows
      .slice(0, 1)
      .flatMap(({ table, key: [id] }) => changeOf(context, { kind: ownerOf(table), id: Number(id), rows })),
  );
}

function changeOf(context: HandlerContext, thing: ThingRows): readonly PreviewedChange[] {
  const [before, after] = [
    shown[thing.kind](context, thing, "before"),
    shown[thing.kind](context, thing, "after"),
  ];
  const { kind, id } = thing;
  const name = nameOf(after) ?? nameOf(before) ?? "";
  if (!before || !after) return [{ kind, id, name, before, after }];
  const differing = Object.keys(after).filter(
    (field) => field !== "updated_at" && !isSame(before[field], after[field]),
  );
  if (differing.length === 0) return [];
  return [{ kind, id, name, before: fieldsIn(before, differing), after: fieldsIn(after, differing) }];
}

const fieldsIn = (thing: Readonly<Record<string, unknown>>, names: readonly string[]): Shown =>
  Object.fromEntries(names.map((name) => [name, thing[name]]));

/** @returns the row before or after the changes; one that did not change is as the state has it */
function rowAt<Row extends object>(
  { rows }: ThingRows,
  side: Side,
  table: SeenTable,
  present: Row | undefined,
): Row | undefined {
  const change = rows.find((row) => row.table === table);
  return change ? (change[side] as Row | undefined) : present;
}

const shown: Readonly<
  Record<ResourceKind, (context: HandlerContext, thing: ThingRows, side: Side) => Shown>
> = {
  category({ categories }, thing, side) {
    const row = rowAt<CategoryRow>(thing, side, "categories", categories.get(thing.id));
    return row ? presentCategory(row) : null;
  },
  habit({ habits, categories, viewer }, thing, side) {
    const row = rowAt<HabitRow>(thing, side, "habits", habits.get(thing.id));
    return row ? presentHabit(row, categories.get(row.category_id ?? 0), viewer) : null;
  },
  todo({ todos, reminders, categories, viewer }, thing, side) {
    const row = rowAt<TodoRow>(thing, side, "todos", todos.get(thing.id));
    const reminder = rowAt<ReminderRow>(thing, side, "reminders", reminders.get(thing.id));
    return row ? presentTodo(row, categories.get(row.category_id ?? 0), reminder, viewer) : null;
  },
};
