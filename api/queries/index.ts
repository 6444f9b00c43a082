import { type QueryName, queries } from "../../shared/contracts/catalogue.ts";
import type { QueryContract } from "../../shared/contracts/kernel/contract.ts";
import type { Refused } from "../../shared/errors.ts";
import { readActions, readTokens } from "./action/read.ts";
import { readApproval } from "./approval/read.ts";
import { readCategories, readCategory } from "./category/read.ts";
import { readChanges, readFinalChanges } from "./change/read.ts";
import { readDashboard } from "./dashboard/read.ts";
import type { QueryContext, QueryHandler } from "./engine/context.ts";
import { orStopped } from "./engine/search.ts";
import { readAmounts, readCompletions, readHabit, readHabits } from "./habit/read.ts";
import { readTodayHabits } from "./habit/week.ts";
import { readLineInWords } from "./quick-add/quick-add.ts";
import { readReminder } from "./reminder/read.ts";
import { readPendingTodos, readTodo, readTodos } from "./todo/read.ts";
import { readMe, readSettings } from "./user/read.ts";
import { readDeliveries, readWebhook, readWebhooks } from "./webhook/read.ts";

/** One handler for every query; a missing one does not compile. */
const handlers: { [Name in QueryName]: QueryHandler<Name, Refused> } = {
  "action.list": readActions,
  "action.tokens": readTokens,
  "category.list": readCategories,
  "category.get": readCategory,
  "habit.list": readHabits,
  "habit.today": readTodayHabits,
  "habit.get": readHabit,
  "habit.completions": readCompletions,
  "habit.amounts": readAmounts,
  "todo.list": readTodos,
  "todo.pending": readPendingTodos,
  "todo.get": readTodo,
  "change.list": readChanges,
  "change.stream": readFinalChanges,
  "reminder.get": readReminder,
  "dashboard.get": readDashboard,
  "user.settings": readSettings,
  "me.get": readMe,
  "approval.get": readApproval,
  "webhook.list": readWebhooks,
  "webhook.get": readWebhook,
  "webhook.deliveries": readDeliveries,
  "quick-add.get": readLineInWords,
};

/**
 * Queries that no standby may answer. Cursors of changes need the primary's transaction numbers, and an agent's call
 * is logged without waiting for the standby.
 */
export const needPrimary: ReadonlySet<QueryName> = new Set<QueryName>([
  "change.list",
  "change.stream",
  "action.list",
  "action.tokens",
  "approval.get",
]);

/** The method lets a handler have the type of its own input. */
type AnyHandler = { run(query: QueryContext, input: object): Promise<object | Refused> };

/** Answers a query, whose input was validated against its contract, when it is the user's turn. */
export function read(name: QueryName, query: QueryContext, input: object): Promise<object | Refused> {
  const { searchField }: QueryContract = queries[name];
  const isSearch = searchField !== undefined && searchField in input;
  const handler: AnyHandler["run"] = handlers[name];
  const found = query.inTurn((own) => handler(own, input), isSearch);
  return isSearch ? orStopped(searchField, found) : found;
}
