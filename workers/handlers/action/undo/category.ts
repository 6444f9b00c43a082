import { deletionKinds } from "../../../../shared/db/entities/deletion.ts";
import type { CategoryRow } from "../../../../shared/db/entities.ts";
import { removeCategory } from "../../category/remove.ts";
import type { HandlerContext } from "../../handler.ts";
import { conflictAt, idOf, oldValues, type TableUndo, touched } from "./changed-row.ts";
import { membersAtOnce } from "./members-return.ts";
import { noteDeletion } from "./note-deletion.ts";

export const takeBackCategory: TableUndo = {
  restore(context, row) {
    const id = idOf(row);
    if (context.categories.get(id)) return [conflictAt(row, "made_again")];
    context.categories.insert({ ...(row.before as Omit<CategoryRow, "id">), id });
    restoreMembers(context, id);
    return [];
  },
  remove(context, row) {
    const { categories } = context;
    const current = categories.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const conflicts = touched(context, row, current);
    if (conflicts.length > 0) return conflicts;
    // Deleting a category again takes it from its members again.
    if (!row.isReturn && isInUse(context, current.id)) return [conflictAt(row, "in_use")];
    removeCategory(context, current.id);
    noteMembers(context, current.id);
    // One that this command brought back itself is not stored, so no statement takes it from its members.
    if (!categories.isKnown(current.id)) leaveMembers(context, current.id);
    return [];
  },
  change(context, row) {
    const { categories, now } = context;
    const current = categories.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const { patch, conflicts } = oldValues(context, row, current, []);
    if (Object.keys(patch).length > 0) categories.update(current, { ...patch, updated_at: now });
    return conflicts;
  },
};

/** Loaded rows come back here, so that what is taken back next finds them as they were; all others by one statement. */
function restoreMembers(context: HandlerContext, category_id: number): void {
  const { deletions, bringMembersBack, habits, todos } = context;
  const deletion = deletions.get(deletionKinds.categories, category_id);
  const habit_ids = new Set((deletion?.habit_ids ?? []).map(Number));
  const todo_ids = new Set((deletion?.todo_ids ?? []).map(Number));
  const others = {
    habit_ids: [...habit_ids].filter((id) => !habits.isKnown(id)),
    todo_ids: [...todo_ids].filter((id) => !todos.isKnown(id)),
  };
  const count = others.habit_ids.length + others.todo_ids.length;
  if (count > membersAtOnce) bringMembersBack.push({ id: category_id, ...inSteps(context) });
  else if (count > 0) bringMembersBack.push({ id: category_id, ...others });
  for (const row of habits.all())
    if (row.category_id == null && habit_ids.has(row.id)) habits.update(row, { category_id });
  for (const row of todos.all())
    if (row.category_id == null && todo_ids.has(row.id)) todos.update(row, { category_id });
}

/** The rows that this command has loaded are left to it. */
const inSteps = ({ habits, todos }: HandlerContext) => ({
  ...{ habit_ids: [], todo_ids: [] },
  except: { habit_ids: habits.all().map(({ id }) => id), todo_ids: todos.all().map(({ id }) => id) },
});

/** Some of them may be deleted by this command as well, before it deletes the category. */
function noteMembers(context: HandlerContext, id: number): void {
  const idsIn = (rows: readonly Readonly<{ id: number; category_id?: number | null | undefined }>[]) =>
    rows.flatMap((row) => (row.category_id === id ? [row.id] : []));
  const [habit_ids, todo_ids] = [idsIn(context.habits.all()), idsIn(context.todos.all())];
  noteDeletion(context, deletionKinds.categories, id, { habit_ids, todo_ids });
}

function leaveMembers({ bringMembersBack, habits, todos }: HandlerContext, id: number): void {
  bringMembersBack.drop(id);
  for (const row of habits.all()) if (row.category_id === id) habits.update(row, { category_id: null });
  for (const row of todos.all()) if (row.category_id === id) todos.update(row, { category_id: null });
}

/** Whether anything is in the category but what this command has taken out of it. */
function isInUse({ categoryMembers, habits, todos }: HandlerContext, id: number): boolean {
  const stored = categoryMembers.get(id);
  const [loadedHabits, loadedTodos] = [habits.all(), todos.all()];
  const isIn = (row: Readonly<{ category_id?: number | null | undefined }>) => row.category_id === id;
  const isUnknown = (known: (id: number) => boolean) => (member: number) => !known(Number(member));
  return (
    loadedHabits.some(isIn) ||
    loadedTodos.some(isIn) ||
    (stored?.habit_ids ?? []).some(isUnknown((habitId) => habits.isKnown(habitId))) ||
    (stored?.todo_ids ?? []).some(isUnknown((todoId) => todos.isKnown(todoId)))
  );
}
