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

const modules = {
  ...action,
  ...approval,
  ...category,
  ...change,
  ...dashboard,
  ...group,
  ...habit,
  ...habits,
  ...imports,
  ...reminder,
  ...todo,
  ...todos,
  ...user,
  ...webhook,
};
type Exported = (typeof modules)[keyof typeof modules];
type Declared<Kind extends "command" | "query"> = Extract<Exported, { kind: Kind }>;
type ByName<One extends { name: string }> = { [Name in One["name"]]: Extract<One, { name: Name }> };

/** Every contract that a module exports, so that a new one is in no list. */
function declared<Kind extends "command" | "query">(kind: Kind) {
  const found = Object.values(modules).flatMap((one) =>
    typeof one === "object" && "kind" in one && one.kind === kind ? [[one.name, one] as const] : [],
  );
  return Object.fromEntries(found) as ByName<Declared<Kind>>;
}

/** Every mutation. Workers without a handler for one of them do not compile. */
export const commands = declared("command");

/** Every read. A front door without an answer to one of them does not compile. */
export const queries = declared("query");

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type Queries = typeof queries;
export type QueryName = keyof Queries;
export type InputOf<C extends { input: TSchema }> = Static<C["input"]>;
export type OutputOf<C extends { output: TSchema }> = Static<C["output"]>;

export type Contract = CommandContract<CommandName> | QueryContract<QueryName>;

export const contracts: readonly Contract[] = [...Object.values(commands), ...Object.values(queries)];
