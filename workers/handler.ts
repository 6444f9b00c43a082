import type { CommandName, Commands, InputOf, OutputOf } from "../shared/contracts/catalogue.ts";
import type { Today } from "../shared/db/present.ts";
import type { Refused } from "../shared/errors.ts";
import type { NumberedTable } from "./unit-of-work/ids.ts";
import type { Need } from "./unit-of-work/load.ts";
import type { OwnRows } from "./unit-of-work/state.ts";
import type { Rows } from "./unit-of-work/tables.ts";

/** Everything a handler may look at and change: the calling user's rows as the commands before it left them. */
export type Context = Readonly<{
  /** When the front door accepted the command (epoch ms). */
  acceptedAt: number;
  /** The transaction's time, with microseconds. */
  now: string;
  /** The user's day at `acceptedAt`. */
  today: Today;
  dayStartHour: number;
  nextId(table: NumberedTable): number;
  users: OwnRows<Rows["users"]>;
  categories: OwnRows<Rows["categories"]>;
  habits: OwnRows<Rows["habits"]>;
  completions: OwnRows<Rows["habit_completions"]>;
  todos: OwnRows<Rows["todos"]>;
  reminders: OwnRows<Rows["reminders"]>;
  deliveries: OwnRows<Rows["reminder_deliveries"]>;
  actions: OwnRows<Rows["action_log"]>;
  /** The stored replies, which the unit of work keeps; handlers only ever delete them with their user. */
  inbox: OwnRows<Rows["inbox"]>;
}>;

/** One command's rule: pure and synchronous, on rows already loaded and locked. Refusals are values. */
export type Handler<Name extends CommandName> = Readonly<{
  needs?(input: InputOf<Commands[Name]>): readonly Need[];
  run(context: Context, input: InputOf<Commands[Name]>): OutputOf<Commands[Name]> | Refused;
  /** The effect itself tells a repeat (its row has the command's key), so that no inbox row is needed. */
  repeatable?: boolean;
}>;
