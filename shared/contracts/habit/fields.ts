import { type Static, Type } from "typebox";
import { frequencies, habitTypes } from "../../domain/vocabulary.ts";
import { CategoryRef } from "../category/fields.ts";
import {
  clockTime,
  day,
  decimal,
  json,
  line,
  link,
  notes,
  number,
  optional,
  partOfDay,
  required,
  schemasOf,
  usually,
  word,
} from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ChooseChannelAt,
  ClockTime,
  Id,
  Line,
  Name,
  Nullable,
  OneOf,
  Reach,
  Timestamp,
  TodayFields,
  titled,
  titledObject,
  WholeNumber,
  WrittenBy,
} from "../kernel/fields.ts";

export const HabitTypeField = titled("HabitType", OneOf(habitTypes));
export const FrequencyField = titled("Frequency", OneOf(frequencies));
const GraceDays = titled("GraceDays", WholeNumber(0, 30));
/** Enough for glasses, pages, metres and steps; larger amounts have a larger unit. */
export const mostTarget = 100_000;
/** Amounts have up to three decimals. */
export const leastAmount = 0.001;
export const AmountWithin = (minimum: number, maximum: number) =>
  Type.Number({
    ...{ minimum, maximum, multipleOf: leastAmount },
    expects: `a number from ${minimum} to ${maximum} with up to three decimals`,
  });
export const Amount = titled("Amount", AmountWithin(leastAmount, mostTarget));
/** A sum without the error of binary fractions. */
export const roundAmount = (amount: number): number => Math.round(amount * 1_000) / 1_000;
/** A person's words on a completed day. */
export const CompletionNote = titled(
  "CompletionNote",
  Type.String({ minLength: 1, maxLength: 500, format: "paragraph", expects: "text of 1 to 500 characters" }),
);
/** The largest sum of a day, far below what its column can hold. */
export const mostInDay = 1_000_000;
const Unit = titled("Unit", Line(30));
const exactly = { additionalProperties: false };

export const ScheduleField = titled(
  "Schedule",
  Type.Union(
    [
      titled("EveryDays", Type.Object({ every_days: Type.Integer({ minimum: 1, maximum: 365 }) }, exactly)),
      titled(
        "Weekdays",
        Type.Object(
          {
            weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
              minItems: 1,
              maxItems: 7,
              uniqueItems: true,
            }),
          },
          exactly,
        ),
      ),
      titled(
        "TimesPerWeek",
        Type.Object({ times_per_week: Type.Integer({ minimum: 1, maximum: 7 }) }, exactly),
      ),
    ],
    {
      expects:
        'one of {"every_days": 1 to 365}, {"weekdays": [1 to 7, Monday is 1]}, {"times_per_week": 1 to 7}',
    },
  ),
);

export const habitFields = {
  name: required(line(Name), { label: "Name", meaning: "The name that people read" }),
  type: required(word(HabitTypeField), {
    usual: "good",
    ticked: "bad",
    label: "Something to avoid",
    hint: "It is done on each day on which you avoided it.",
    meaning: "good, or bad for something to avoid, which is done on each day on which it was avoided",
    inLog: "type",
    untold: "good",
  }),
  frequency: required(word(FrequencyField), {
    usual: "daily",
    meaning: "Every day, once in each week from Monday on, or custom as schedule says",
    inLog: "rhythm",
  }),
  time_of_day: partOfDay,
  category_id: link(Id, { inLog: "category" }),
  remind_at: optional(clockTime(ClockTime), {
    label: "Remind at",
    hint: "On each day on which it is due and not done yet",
    meaning: "The time of day of its reminder on days on which it is due and not done yet; null for none",
    inLog: "reminder",
  }),
  description: notes,
  grace_days: usually(number(GraceDays), 1, {
    label: "Grace days",
    hint: "How many misses in a row the streak survives: 0 to 30",
    meaning: "The misses in a row that the streak survives",
    untold: 0,
  }),
  schedule: optional(json(ScheduleField), { meaning: "The days of a custom habit; null for every day" }),
  paused_from: optional(day(CalendarDate), {
    label: "Paused from",
    hint: "On the days of a pause nothing is asked, and the streak neither grows nor breaks.",
    meaning: "The first day of a pause, on whose days nothing is asked and the streak stays; null for none",
  }),
  paused_through: optional(day(CalendarDate), {
    label: "Paused through",
    hint: "Empty: until you end it",
    meaning: "The last day of the pause; null until somebody ends it",
  }),
  target: optional(decimal(Amount), {
    label: "Amount a day",
    hint: "Such as 8 glasses or 2.5 km. The day is done when its amounts add up to it; empty: one tick does it.",
    meaning: "The amount that makes a day done; null if one tick does it",
  }),
  unit: optional(line(Unit), {
    label: "Unit",
    hint: "Such as glasses, pages or minutes",
    meaning: "The unit of target",
  }),
};

const { category_id: _, ...shown } = schemasOf(habitFields, "shown");

const DayAmount = titledObject("DayAmount", { date: CalendarDate, amount: Type.Number() });

export const Habit = titledObject("Habit", {
  id: Id,
  ...shown,
  /** The destination of its reminders; null without one. */
  reaches: Nullable(Reach),
  choose_channel_at: ChooseChannelAt,
  streak_count: Type.Integer(),
  longest_streak: Type.Integer(),
  streak_alive_through: Nullable(CalendarDate),
  skipped_dates: Type.Array(CalendarDate),
  is_completed_today: Type.Boolean(),
  /** Null for a habit without a target. */
  amount_today: Nullable(Type.Number()),
  /** The sums of today and of the days that can still change, the newest first. */
  recent_amounts: Type.Array(DayAmount),
  completions_count: Type.Integer(),
  written_by: WrittenBy,
  category: Nullable(CategoryRef),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** The sum of a day that can still change. */
export const sumOn = ({ recent_amounts }: Static<typeof Habit>, date: string): number | undefined =>
  recent_amounts.find((day) => day.date === date)?.amount;

/** A habit beside its day and week, as agents see it. */
export const HabitOfWeek = Type.Object({
  ...Habit.properties,
  /** Absent if the list has only due habits. */
  is_due_today: Type.Optional(Type.Boolean()),
  /** Null for a habit without a number of times a week. */
  week_progress: Nullable(Type.Object({ done: Type.Integer(), target: Type.Integer() })),
  /** The misses that its streak still forgives; absent as above, and if it has no streak. */
  grace_left: Type.Optional(Type.Integer()),
  ends_tonight: Type.Boolean(),
  /** Days of the requested period on which it was done. */
  done_days: Type.Optional(Type.Array(CalendarDate)),
  /** The sums of its days; absent for a habit without a target. */
  day_amounts: Type.Optional(Type.Array(DayAmount)),
});

export const TodayHabits = Type.Object({
  ...TodayFields,
  habits: Type.Array(HabitOfWeek),
  total: Type.Integer(),
  /** Present if a period was requested, with its real ends. */
  period: Type.Optional(Type.Object({ from: CalendarDate, to: CalendarDate })),
  next_cursor: Nullable(Type.Integer()),
});
