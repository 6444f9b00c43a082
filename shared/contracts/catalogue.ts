import type { Static, TSchema } from "typebox";
import * as action from "./action/contracts.ts";
import * as undo from "./action/undo.ts";
import * as approval from "./approval/contracts.ts";
import * as calendar from "./calendar/contracts.ts";
import * as category from "./category/contracts.ts";
import * as change from "./change/contracts.ts";
import * as dashboard from "./dashboard/contracts.ts";
import * as group from "./group/contracts.ts";
import * as acting from "./habit/commands.ts";
import * as amounts from "./habit/commands.ts";
import * as habit from "./habit/commands.ts";
import * as completing from "./habit/commands.ts";
import * as completions from "./habit/completions.ts";
import * as habits from "./habit/queries.ts";
import * as skipping from "./habit/skip.ts";
import * as imports from "./import/contracts.ts";
import * as journal from "./journal/contracts.ts";
import type { CommandContract, QueryContract } from "./kernel/contract.ts";
import * as reminder from "./reminder/contracts.ts";
import * as push from "./reminder/contracts.ts";
import * as todo from "./todo/commands.ts";
import * as todos from "./todo/queries.ts";
import * as quickAdd from "./todo/quick-add.ts";
import * as user from "./user/contracts.ts";
import * as me from "./user/contracts.ts";
import * as webhook from "./webhook/contracts.ts";
import * as deliveries from "./webhook/deliveries.ts";

/** Every mutation. Workers without a handler for one of them do not compile. */
export const commands = catalogue(
  action.recordToolCall,
  action.countToolCalls,
  undo.undoActions,
  undo.undoRun,
  action.forgetResource,
  category.createCategory,
  category.updateCategory,
  category.deleteCategory,
  category.renameCategory,
  habit.createHabit,
  habit.updateHabit,
  habit.deleteHabit,
  acting.actOnHabit,
  completing.completeHabit,
  completing.undoHabit,
  skipping.skipHabit,
  skipping.takeSkipBack,
  todo.createTodo,
  todo.updateTodo,
  todo.deleteTodo,
  todo.toggleTodo,
  reminder.setReminder,
  reminder.clearReminder,
  reminder.sendReminderAgain,
  reminder.actOnReminder,
  push.subscribePush,
  push.unsubscribePush,
  approval.setTokenRules,
  approval.decideApprovals,
  webhook.createWebhook,
  webhook.updateWebhook,
  webhook.deleteWebhook,
  deliveries.sendDeliveryAgain,
  group.runGroup,
  group.runAsOne,
  imports.stageImport,
  imports.applyImport,
  imports.continueImport,
  calendar.setCalendarFeed,
  user.changeSettings,
  user.claimZone,
  user.testChannel,
  user.endSessions,
  user.deleteUser,
  journal.noteExport,
  journal.countUse,
  journal.sendMessage,
);

/** Every read. A front door without an answer to one of them does not compile. */
export const queries = catalogue(
  action.listActions,
  action.listTokens,
  category.listCategories,
  category.getCategory,
  habits.listHabits,
  habits.todayHabits,
  habits.getHabit,
  completions.listCompletions,
  amounts.listAmounts,
  todos.listTodos,
  todos.pendingTodos,
  todos.getTodo,
  change.listChanges,
  change.streamChanges,
  reminder.getReminder,
  dashboard.getDashboard,
  user.getSettings,
  me.getMe,
  approval.getApproval,
  webhook.listWebhooks,
  webhook.getWebhook,
  deliveries.listDeliveries,
  quickAdd.getQuickAdd,
);

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type Queries = typeof queries;
export type QueryName = keyof Queries;
export type InputOf<C extends { input: TSchema }> = Static<C["input"]>;
export type OutputOf<C extends { output: TSchema }> = Static<C["output"]>;

export type Contract = CommandContract<CommandName> | QueryContract<QueryName>;

export const contracts: readonly Contract[] = [...Object.values(commands), ...Object.values(queries)];

function catalogue<const Contracts extends readonly { name: string }[]>(...list: Contracts) {
  return Object.fromEntries(list.map((contract) => [contract.name, contract])) as {
    [One in Contracts[number] as One["name"]]: One;
  };
}
