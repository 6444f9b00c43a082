import type { CommandName } from "../../shared/contracts/catalogue.ts";
import * as category from "./category/create.ts";
import * as habit from "./habit/create.ts";
import type { Handler } from "./handler.ts";
import * as reminder from "./reminder/set.ts";
import * as todo from "./todo/create.ts";
import * as action from "./tool-call/record.ts";
import * as channels from "./user/channels.ts";
import * as user from "./user/configure.ts";
import { deleteUser } from "./user/delete.ts";

/** One handler for every command: a missing one does not compile. */
const handlers: { [Name in CommandName]: Handler<Name> } = {
  "action.record": action.record,
  "action.count": action.count,
  "category.create": category.create,
  "category.update": category.update,
  "category.delete": category.remove,
  "habit.create": habit.create,
  "habit.update": habit.update,
  "habit.delete": habit.remove,
  "habit.complete": habit.complete,
  "habit.undo": habit.undo,
  "todo.create": todo.create,
  "todo.update": todo.update,
  "todo.delete": todo.remove,
  "todo.toggle": todo.toggle,
  "reminder.set": reminder.set,
  "reminder.clear": reminder.clear,
  "user.configure": user.configure,
  "user.adopt-zone": user.adoptZone,
  "webhook.test": channels.testWebhook,
  "user.end-sessions": user.endSessions,
  "user.delete": deleteUser,
};

/** The queue carries names and inputs that the front door checked together; here the pair is one value again. */
export function handlerOf(name: CommandName): Handler<never> {
  return handlers[name] as Handler<never>;
}
