import { type QueryName, queries } from "../../shared/contracts/catalogue.ts";
import type { QueryContract } from "../../shared/contracts/contract.ts";
import type { Refused } from "../../shared/errors.ts";
import { readActions, readTokens } from "./action.ts";
import { readCategories, readCategory } from "./category.ts";
import { readChanges } from "./change.ts";
import { readCompletions } from "./completions.ts";
import type { QueryContext, QueryHandler } from "./context.ts";
import { readDashboard } from "./dashboard.ts";
import { readHabit, readHabits } from "./habit.ts";
import { readMe } from "./me.ts";
import { readPendingTodos } from "./pending-todos.ts";
import { readLineInWords } from "./quick-add.ts";
import { readReminder } from "./reminder.ts";
import { orStopped } from "./search.ts";
import { readTodayHabits } from "./today-habits.ts";
import { readTodo, readTodos } from "./todo.ts";
import { readSettings } from "./user.ts";

/** One handler for every query; a missing one does not compile. */
const handlers: { [Name in QueryName]: QueryHandler<Name> } = {
  "action.list": readActions,
  "action.tokens": readTokens,
  "category.list": readCategories,
  "category.get": readCategory,
  "habit.list": readHabits,
  "habit.today": readTodayHabits,
  "habit.get": readHabit,
  "habit.completions": readCompletions,
  "todo.list": readTodos,
  "todo.pending": readPendingTodos,
  "todo.get": readTodo,
  "change.list": readChanges,
  "reminder.get": readReminder,
  "dashboard.get": readDashboard,
  "user.settings": readSettings,
  "me.get": readMe,
  "quick-add.get": readLineInWords,
};

/**
 * Whether a standby may answer a query. Cursors of changes count with the numbers and statistics of the primary, and a
 * call of an agent is logged without waiting for the standby.
 */
export const standbyMayAnswer = (name: QueryName): boolean =>
  !["change.list", "action.list", "action.tokens"].includes(name);

/** Answers a query, whose input was validated against its contract, when it is the user's turn. */
export function read(name: QueryName, query: QueryContext, input: object): Promise<object | Refused> {
  const { searchField }: QueryContract = queries[name];
  const run = (isSearch: boolean) =>
    query.inTurn<object | Refused>((own) => handlers[name](own, input as never), isSearch);
  return searchField !== undefined && searchField in input ? orStopped(searchField, run(true)) : run(false);
}
