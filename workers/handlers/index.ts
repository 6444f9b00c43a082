import type { CommandName } from "../../shared/contracts/catalogue.ts";
import { actionCount, actionRecord } from "./action/action-log.ts";
import { actionForget } from "./action/forget.ts";
import { actionUndo } from "./action/undo.ts";
import { actionUndoRun } from "./action/undo-run.ts";
import { approvalDecide, tokenSetRules } from "./approval.ts";
import { calendarSet } from "./calendar.ts";
import { categoryCreate, categoryDelete, categoryRename, categoryUpdate } from "./category.ts";
import { groupRun, groupRunAsOne } from "./group.ts";
import { habitComplete, habitSkip, habitUndo, habitUnskip } from "./habit/days.ts";
import { habitCreate, habitDelete, habitUpdate } from "./habit/habit.ts";
import type { AnyHandler, Handler } from "./handler.ts";
import { importApply, importContinue, importStage } from "./import/import.ts";
import { journalNote, journalSend } from "./journal.ts";
import {
  channelTest,
  habitAct,
  pushSubscribe,
  pushUnsubscribe,
  reminderAct,
  reminderClear,
  reminderSendAgain,
  reminderSet,
} from "./reminder.ts";
import { todoCreate, todoDelete, todoToggle, todoUpdate } from "./todo/todo.ts";
import { userClaimZone, userConfigure, userDelete, userEndSessions, userEndWays, userSee } from "./user.ts";
import { webhookCreate, webhookDelete, webhookSendAgain, webhookUpdate } from "./webhook.ts";

/** One handler for every command: a missing one does not compile. */
const checked: { [Name in CommandName]: Handler<Name> } = {
  "action.record": actionRecord,
  "action.count": actionCount,
  "action.undo": actionUndo,
  "action.undo-run": actionUndoRun,
  "action.forget": actionForget,
  "category.create": categoryCreate,
  "category.update": categoryUpdate,
  "category.delete": categoryDelete,
  "category.rename": categoryRename,
  "habit.create": habitCreate,
  "habit.update": habitUpdate,
  "habit.delete": habitDelete,
  "habit.act": habitAct,
  "habit.complete": habitComplete,
  "habit.undo": habitUndo,
  "habit.skip": habitSkip,
  "habit.unskip": habitUnskip,
  "todo.create": todoCreate,
  "todo.update": todoUpdate,
  "todo.delete": todoDelete,
  "todo.toggle": todoToggle,
  "reminder.set": reminderSet,
  "reminder.clear": reminderClear,
  "reminder.send-again": reminderSendAgain,
  "reminder.act": reminderAct,
  "push.subscribe": pushSubscribe,
  "push.unsubscribe": pushUnsubscribe,
  "token.set-rules": tokenSetRules,
  "webhook.create": webhookCreate,
  "webhook.update": webhookUpdate,
  "webhook.delete": webhookDelete,
  "webhook.send-again": webhookSendAgain,
  "approval.decide": approvalDecide,
  "batch.run": groupRun,
  "batch.run-as-one": groupRunAsOne(() => handlers),
  "import.stage": importStage,
  "import.apply": importApply,
  "import.continue": importContinue,
  "calendar.set": calendarSet,
  "user.configure": userConfigure,
  "user.claim-zone": userClaimZone,
  "user.end-sessions": userEndSessions,
  "user.see": userSee,
  "user.end-ways": userEndWays,
  "user.delete": userDelete,
  "webhook.test": channelTest,
  "journal.export": journalNote,
  "journal.count-use": journalNote,
  "journal.send": journalSend,
};

/** Workers read only batches whose commands they have. */
export const handlers: Readonly<Record<CommandName, AnyHandler>> = checked;
