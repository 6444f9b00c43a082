import type { QueryName } from "../../shared/contracts/catalogue.ts";
import type { Refused } from "../../shared/errors.ts";
import * as categories from "./category.ts";
import type { QueryContext, QueryHandler } from "./context.ts";
import * as dashboard from "./dashboard.ts";
import * as habits from "./habit.ts";
import * as pendingTodos from "./pending-todos.ts";
import * as todos from "./todo.ts";
import * as actions from "./tool-call.ts";
import * as user from "./user.ts";

/** One handler for every query; a missing one does not compile. */
const handlers: { [Name in QueryName]: QueryHandler<Name> } = {
  "action.list": actions.list,
  "action.tokens": actions.tokens,
  "category.list": categories.list,
  "category.get": categories.get,
  "habit.list": habits.list,
  "habit.today": habits.today,
  "habit.get": habits.get,
  "todo.list": todos.list,
  "todo.pending": pendingTodos.list,
  "todo.get": todos.get,
  "dashboard.get": dashboard.get,
  "user.settings": user.settings,
};

/** Answers a query, whose input was validated against its contract, when it is the user's turn. */
export const read = (name: QueryName, query: QueryContext, input: unknown): Promise<object | Refused> =>
  query.inTurn<object | Refused>(() => handlers[name](query, input as never));
