import { Type } from "typebox";
import { frequencies, habitTypes } from "../../domain/vocabulary.ts";
import {
  clockTime,
  day,
  json,
  line,
  link,
  number,
  optional,
  paragraph,
  required,
  timeOfDay,
  usually,
  word,
} from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ClockTime,
  Description,
  Id,
  Line,
  Name,
  OneOf,
  TimeOfDayField,
  titled,
  WholeNumber,
} from "../kernel/fields.ts";

export const HabitTypeField = titled("HabitType", OneOf(habitTypes));
export const FrequencyField = titled("Frequency", OneOf(frequencies));
const GraceDays = titled("GraceDays", WholeNumber(0, 30));
/** Enough for glasses, pages, metres and steps; larger amounts have a larger unit. */
export const Amount = titled("Amount", WholeNumber(1, 100_000));
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
  time_of_day: optional(timeOfDay(TimeOfDayField), {
    label: "Part of the day",
    meaning: "The part of the day for which it is meant; null for any",
    inLog: "time of day",
  }),
  category_id: link(Id, { inLog: "category" }),
  remind_at: optional(clockTime(ClockTime), {
    label: "Remind at",
    hint: "On each day on which it is due and not done yet",
    meaning: "The time of day of its reminder on days on which it is due and not done yet; null for none",
    inLog: "reminder",
  }),
  description: optional(paragraph(Description), {
    label: "Notes",
    meaning: "Notes, also in several lines",
    inLog: "description",
  }),
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
  target: optional(number(Amount), {
    label: "Amount a day",
    hint: "Such as 8 glasses. The day is done when its amounts add up to it; empty: one tick does it.",
    meaning: "The amount that makes a day done; null if one tick does it",
  }),
  unit: optional(line(Unit), {
    label: "Unit",
    hint: "Such as glasses, pages or minutes",
    meaning: "The unit of target",
  }),
};
