import type { Static, TSchema } from "typebox";
import * as action from "./action/contracts.ts";
import * as approval from "./approval/contracts.ts";
import * as category from "./category/contracts.ts";
import * as change from "./change/contracts.ts";
import * as dashboard from "./dashboard/contracts.ts";
import * as group from "./group/contracts.ts";
import * as habit from "./habit/commands.ts";
import * as habits from "./habit/queries.ts";
import * as imports from "./import/contracts.ts";
import type { CommandContract, QueryContract } from "./kernel/contract.ts";
import * as reminder from "./reminder/contracts.ts";
import * as todo from "./todo/commands.ts";
import * as todos from "./todo/queries.ts";
import * as user from "./user/contracts.ts";
import * as webhook from "./webhook/contracts.ts";

/** Every mutation. Workers without a handler for one of them do not compile. */
export const commands = catalogue(
  action.recordToolCall,
  action.countToolCalls,
  action.undoActions,
  action.undoRun,
  action.forgetResource,
  category.createCategory,
  category.updateCategory,
  category.deleteCategory,
  category.renameCategory,
  habit.createHabit,
  habit.updateHabit,
  habit.deleteHabit,
  habit.actOnHabit,
  habit.completeHabit,
  habit.undoHabit,
  habit.skipHabit,
  habit.takeSkipBack,
  todo.createTodo,
  todo.updateTodo,
  todo.deleteTodo,
  todo.toggleTodo,
  reminder.setReminder,
  reminder.clearReminder,
  reminder.sendReminderAgain,
  reminder.actOnReminder,
  reminder.subscribePush,
  reminder.unsubscribePush,
  approval.setTokenRules,
  approval.decideApprovals,
  webhook.createWebhook,
  webhook.updateWebhook,
  webhook.deleteWebhook,
  webhook.sendDeliveryAgain,
  group.runGroup,
  group.runAsOne,
  imports.stageImport,
  imports.applyImport,
  imports.continueImport,
  user.setCalendarFeed,
  user.changeSettings,
  user.claimZone,
  user.testChannel,
  user.seeActions,
  user.endSessions,
  user.endWaysOut,
  user.deleteUser,
  user.noteExport,
  user.countUse,
  user.sendMessage,
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
  habits.listCompletions,
  habits.listAmounts,
  todos.listTodos,
  todos.pendingTodos,
  todos.getTodo,
  change.listChanges,
  change.streamChanges,
  reminder.getReminder,
  dashboard.getDashboard,
  user.getSettings,
  user.getMe,
  approval.getApproval,
  webhook.listWebhooks,
  webhook.getWebhook,
  webhook.listDeliveries,
  todos.getQuickAdd,
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
