import { type TSchema, Type } from "typebox";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Id, Nullable } from "../kernel/fields.ts";
import { deletionFacts, LeanObject } from "../kernel/tool.ts";
import { habitFields } from "./fields.ts";
import { HabitOfWeek } from "./schema.ts";

const { id, streak_count, longest_streak, streak_alive_through, ends_tonight, grace_left } =
  HabitOfWeek.properties;
const { amount_today, written_by, is_due_today, is_completed_today, reaches } = HabitOfWeek.properties;
const { category_id: _, grace_days, ...declared } = schemasOf(habitFields, "shown");

/** Values by month, such as 2026-11, or by date. */
const by = (value: TSchema) => Type.Optional(Type.Object({}, { additionalProperties: value }));

/** A habit as the facts of tools have it. */
export const HabitFacts = LeanObject({
  id,
  ...declared,
  written_by,
  this_week: Nullable(Type.String({ description: "Days done of days due, such as 2 of 3" })),
  streak_count,
  longest_streak,
  streak_alive_through,
  ends_tonight,
  grace_left,
  done: by(Type.Array(Type.Integer())),
  done_by_month: by(Type.Integer()),
  is_due_today,
  is_completed_today,
  amount_today,
  amounts: by(Type.Integer()),
  amount_by_month: by(Type.Integer()),
  category: Nullable(Type.String()),
  reaches,
  grace_days: Type.Optional(grace_days),
});

export const OneHabitFacts = Type.Object({ habit: HabitFacts });
export const HabitDayFacts = Type.Object({
  habit: HabitFacts,
  date: Type.Optional(CalendarDate),
  /** The sum of that date. */
  amount: Type.Optional(Type.Integer()),
});

export const DueHabitsFacts = Type.Object({
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  habits: Type.Array(HabitFacts),
  total: Type.Optional(Type.Integer()),
  next_cursor: Type.Optional(Type.Integer()),
});

export const DeletedHabitFacts = Type.Object({
  deleted_habit_id: Id,
  name: Type.Optional(Type.String()),
  ...deletionFacts,
});
