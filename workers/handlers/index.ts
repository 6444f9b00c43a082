import type { CommandName } from "../../shared/contracts/catalogue.ts";
import { actionCount } from "./action/count.ts";
import { actionForget } from "./action/forget.ts";
import { actionRecord } from "./action/record.ts";
import { actionUndo } from "./action/undo.ts";
import { actionUndoRun } from "./action/undo-run.ts";
import { calendarSet } from "./calendar/set.ts";
import { categoryCreate } from "./category/create.ts";
import { categoryDelete } from "./category/delete.ts";
import { categoryUpdate } from "./category/update.ts";
import { eachOf } from "./each-of.ts";
import { batchRun } from "./group/run.ts";
import { habitComplete } from "./habit/complete.ts";
import { habitCreate } from "./habit/create.ts";
import { habitDelete } from "./habit/delete.ts";
import { habitUndo } from "./habit/undo.ts";
import { habitUpdate } from "./habit/update.ts";
import type { AnyHandler, Handler } from "./handler.ts";
import { importApply } from "./import/apply.ts";
import { importStage } from "./import/stage.ts";
import { reminderClear } from "./reminder/clear.ts";
import { reminderSendAgain } from "./reminder/send-again.ts";
import { reminderSet } from "./reminder/set.ts";
import { webhookTest } from "./reminder/test-webhook.ts";
import { todoCreate } from "./todo/create.ts";
import { todoDelete } from "./todo/delete.ts";
import { todoToggle } from "./todo/toggle.ts";
import { todoUpdate } from "./todo/update.ts";
import { userClaimZone } from "./user/claim-zone.ts";
import { userConfigure } from "./user/configure.ts";
import { userDelete } from "./user/delete.ts";
import { userEndSessions } from "./user/end-sessions.ts";

/** One handler for every command: a missing one does not compile. */
const handlers: { [Name in CommandName]: Handler<Name> } = {
  "action.record": actionRecord,
  "action.count": actionCount,
  "action.undo": actionUndo,
  "action.undo-run": actionUndoRun,
  "action.forget": actionForget,
  "category.create": categoryCreate,
  "category.update": categoryUpdate,
  "category.delete": categoryDelete,
  "habit.create": habitCreate,
  "habit.update": habitUpdate,
  "habit.delete": habitDelete,
  "habit.complete": habitComplete,
  "habit.undo": habitUndo,
  "todo.create": todoCreate,
  "todo.create-many": eachOf(todoCreate),
  "todo.update": todoUpdate,
  "todo.update-many": eachOf(todoUpdate),
  "todo.delete": todoDelete,
  "todo.toggle": todoToggle,
  "reminder.set": reminderSet,
  "reminder.clear": reminderClear,
  "reminder.send-again": reminderSendAgain,
  "batch.run": batchRun,
  "import.stage": importStage,
  "import.apply": importApply,
  "calendar.set": calendarSet,
  "user.configure": userConfigure,
  "user.adopt-zone": userClaimZone,
  "user.end-sessions": userEndSessions,
  "user.delete": userDelete,
  "webhook.test": webhookTest,
};

/** Finds the handler of a command. Workers read only batches whose commands they have. */
export const handlerOf = (name: CommandName): AnyHandler => handlers[name];
