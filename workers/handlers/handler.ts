import type { Pool } from "pg";
import type { CommandName, Commands, InputOf, OutputOf } from "../../shared/contracts/catalogue.ts";
import type { Today } from "../../shared/domain/today.ts";
import type { Refused } from "../../shared/errors.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import type { Need } from "../unit-of-work/load.ts";
import type { OwnRows } from "../unit-of-work/state.ts";
import type { Rows } from "../unit-of-work/tables.ts";

/** Everything a handler may look at and change: the calling user's rows as the commands before it left them. */
export type Context = Readonly<{
  /** When the front door accepted the command (epoch ms). */
  acceptedAt: number;
  /** The transaction's time, with microseconds. */
  now: string;
  /** PostgreSQL's clock, in epoch ms. */
  at: number;
  /** The user's day at `acceptedAt`. */
  today: Today;
  dayStartHour: number;
  nextId(table: NumberedTable): number;
  /** Takes the room of one more row. @returns false when the user has as many as one can have */
  takeRoom(table: NumberedTable): boolean;
  users: OwnRows<Rows["users"]>;
  categories: OwnRows<Rows["categories"]>;
  habits: OwnRows<Rows["habits"]>;
  completions: OwnRows<Rows["habit_completions"]>;
  todos: OwnRows<Rows["todos"]>;
  reminders: OwnRows<Rows["reminders"]>;
  deliveries: OwnRows<Rows["reminder_deliveries"]>;
  actions: OwnRows<Rows["action_log"]>;
}>;

/** One command's rule: pure and synchronous, on rows already loaded and locked. Refusals are values. */
export type Handler<Name extends CommandName> = Readonly<{
  needs?(input: InputOf<Commands[Name]>): readonly Need[];
  /** The table in which it makes a row. */
  makes?: NumberedTable;
  /** Its cost grows with what the user has, so that it gets a transaction of its own beside the shared ones. */
  alone?: boolean;
  run(context: Context, input: InputOf<Commands[Name]>): OutputOf<Commands[Name]> | Refused;
  /** The effect itself tells a repeat (its row has the command's key), so that no inbox row is needed. */
  repeatable?: boolean;
  /** What is too much for one transaction: done after it, before the command is answered. */
  followUp?(pool: Pool, userId: string): Promise<void>;
}>;
