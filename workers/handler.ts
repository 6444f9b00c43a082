import type { CommandName, Commands, InputOf, OutputOf } from "../shared/contracts/catalogue.ts";
import type {
  ActionRow,
  CategoryRow,
  HabitCompletionRow,
  HabitRow,
  InboxRow,
  ReminderDeliveryRow,
  ReminderRow,
  TodoRow,
  UserRow,
} from "../shared/db/entities.ts";
import type { Today } from "../shared/db/present.ts";
import type { Refused } from "../shared/errors.ts";
import type { NumberedTable } from "./unit-of-work/ids.ts";
import type { Need } from "./unit-of-work/load.ts";
import type { OwnRows } from "./unit-of-work/state.ts";

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
  users: OwnRows<UserRow>;
  categories: OwnRows<CategoryRow>;
  habits: OwnRows<HabitRow>;
  completions: OwnRows<HabitCompletionRow>;
  todos: OwnRows<TodoRow>;
  reminders: OwnRows<ReminderRow>;
  deliveries: OwnRows<ReminderDeliveryRow>;
  actions: OwnRows<ActionRow>;
  /** The stored replies, which the unit of work keeps; handlers only ever delete them with their user. */
  inbox: OwnRows<InboxRow>;
}>;

/** One command's rule: pure and synchronous, on rows already loaded and locked. Refusals are values. */
export type Handler<Name extends CommandName> = Readonly<{
  needs?(input: InputOf<Commands[Name]>): readonly Need[];
  run(context: Context, input: InputOf<Commands[Name]>): OutputOf<Commands[Name]> | Refused;
  /** The effect itself tells a repeat (its row has the command's key), so that no inbox row is needed. */
  repeatable?: boolean;
}>;
