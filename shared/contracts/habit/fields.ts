import { Type } from "typebox";
import { frequencies, habitTypes } from "../../domain/vocabulary.ts";
import {
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
import { Description, Id, Name, OneOf, TimeOfDayField, titled, WholeNumber } from "../kernel/fields.ts";

export const HabitTypeField = titled("HabitType", OneOf(habitTypes));
export const FrequencyField = titled("Frequency", OneOf(frequencies));
export const GraceDays = titled("GraceDays", WholeNumber(0, 30));
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
  name: required(line(Name), { label: "Name" }),
  type: required(word(HabitTypeField), {
    usual: "good",
    ticked: "bad",
    label: "Something to avoid",
    hint: "It is done on each day on which you avoided it.",
    told: "type",
    untold: "good",
  }),
  frequency: required(word(FrequencyField), { usual: "daily" }),
  time_of_day: optional(timeOfDay(TimeOfDayField), { label: "Part of the day", told: "time of day" }),
  category_id: link(Id),
  description: optional(paragraph(Description), { label: "Notes", told: "description" }),
  grace_days: usually(number(GraceDays), 1, {
    label: "Grace days",
    hint: "How many misses in a row the streak survives: 0 to 30",
    untold: 0,
  }),
  schedule: optional(json(ScheduleField)),
};
