import type { CommandName } from "../../shared/contracts/catalogue.ts";
import { actionCount } from "./action/count.ts";
import { actionForget } from "./action/forget.ts";
import { actionRecord } from "./action/record.ts";
import { actionUndo } from "./action/undo.ts";
import { actionUndoRun } from "./action/undo-run.ts";
import { approvalDecide } from "./approval/decide.ts";
import { tokenSetRules } from "./approval/set-rules.ts";
import { calendarSet } from "./calendar/set.ts";
import { categoryCreate } from "./category/create.ts";
import { categoryDelete } from "./category/delete.ts";
import { categoryRename } from "./category/rename.ts";
import { categoryUpdate } from "./category/update.ts";
import { groupRun, groupRunAsOne } from "./group/run.ts";
import { habitComplete } from "./habit/complete.ts";
import { habitCreate } from "./habit/create.ts";
import { habitDelete } from "./habit/delete.ts";
import { habitSkip } from "./habit/skip.ts";
import { habitUndo } from "./habit/undo.ts";
import { habitUnskip } from "./habit/unskip.ts";
import { habitUpdate } from "./habit/update.ts";
import type { AnyHandler, Handler } from "./handler.ts";
import { importApply } from "./import/apply.ts";
import { importContinue } from "./import/continue.ts";
import { importStage } from "./import/stage.ts";
import { journalNote } from "./journal/note.ts";
import { journalSend } from "./journal/send.ts";
import { reminderAct } from "./reminder/act.ts";
import { habitAct } from "./reminder/act-on-habit.ts";
import { reminderClear } from "./reminder/clear.ts";
import { pushSubscribe, pushUnsubscribe } from "./reminder/push.ts";
import { reminderSendAgain } from "./reminder/send-again.ts";
import { reminderSet } from "./reminder/set.ts";
import { channelTest } from "./reminder/test-channel.ts";
import { todoCreate } from "./todo/create.ts";
import { todoDelete } from "./todo/delete.ts";
import { todoToggle } from "./todo/toggle.ts";
import { todoUpdate } from "./todo/update.ts";
import { userClaimZone } from "./user/claim-zone.ts";
import { userConfigure } from "./user/configure.ts";
import { userDelete } from "./user/delete.ts";
import { userEndSessions } from "./user/end-sessions.ts";
import { webhookCreate } from "./webhook/create.ts";
import { webhookDelete } from "./webhook/delete.ts";
import { webhookSendAgain } from "./webhook/send-again.ts";
import { webhookUpdate } from "./webhook/update.ts";

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
  "user.delete": userDelete,
  "webhook.test": channelTest,
  "journal.export": journalNote,
  "journal.count-use": journalNote,
  "journal.send": journalSend,
};

/** Workers read only batches whose commands they have. */
export const handlers: Readonly<Record<CommandName, AnyHandler>> = checked;
