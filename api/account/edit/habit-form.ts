import type { Static } from "typebox";
import type { Habit } from "../../../shared/contracts/habit-schema.ts";
import type { QuickHabit } from "../../../shared/domain/quick-add/quick-add.ts";
import { rhythmOf } from "../../../shared/domain/rhythm.ts";
import type { Rules } from "../../../shared/domain/schedule.ts";
import { isRefused } from "../../../shared/errors.ts";
import { html } from "../../../shared/web/html.ts";
import { readHabit } from "../../queries/habit.ts";
import { categoryValue, chosenCategoryId } from "./category-choice.ts";
import { habitInputs } from "./habit-inputs.ts";
import type { Draft, FormContext, ThingForm } from "./thing-form.ts";

const blank = {
  name: "",
  type: "",
  rhythm: "daily",
  weekdays: "",
  times: "3",
  every: "2",
  time_of_day: "",
  grace_days: "1",
  category: "",
  description: "",
} satisfies Draft;

const rhythmFields = ["frequency", "schedule"];

/** The pages on which habits are made and changed. */
export const habitForm: ThingForm = {
  noun: "habit",
  idField: "habit_id",
  commands: { create: "habit.create", update: "habit.update", remove: "habit.delete" },
  newPath: "/account/habits/new",
  path: (id) => `/account/habits/${id}/edit`,
  shownAt: (id) => `/account/habits/${id}`,
  home: "/account",
  title: "New habit",
  blank,
  commandFields: {
    rhythm: rhythmFields,
    weekdays: rhythmFields,
    times: rhythmFields,
    every: rhythmFields,
    category: ["category_id"],
  },
  toFields,
  async read(query, id) {
    const habit = await readHabit(query, { habit_id: id });
    if (isRefused(habit)) return habit;
    const lead = async () => html`<p><a href="/account/habits/${id}">Its streak and its days</a></p>`;
    return { draft: draftOfHabit(habit), json: JSON.stringify(habit), name: habit.name, lead };
  },
  inputs: habitInputs,
};

function draftOfHabit(habit: Static<typeof Habit>): Draft {
  return {
    ...blank,
    name: habit.name,
    type: habit.type === "bad" ? "bad" : "",
    ...draftOfRhythm(habit),
    time_of_day: habit.time_of_day ?? "",
    grace_days: String(habit.grace_days),
    category: String(habit.category?.id ?? ""),
    description: habit.description ?? "",
  };
}

/** A line in words as a filled-in form. */
export function draftOfQuickHabit(quick: QuickHabit, context: FormContext): Draft {
  return {
    ...blank,
    name: quick.name,
    type: quick.type === "bad" ? "bad" : "",
    ...draftOfRhythm({ ...quick, grace_days: Number(blank.grace_days) }),
    time_of_day: quick.time_of_day ?? "",
    category: categoryValue(quick.category, context),
  };
}

function draftOfRhythm(rules: Rules): Draft {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return { rhythm: "times", times: String(rhythm.times) };
  if ("weekdays" in rhythm) return { rhythm: "weekdays", weekdays: rhythm.weekdays.join(",") };
  return rhythm.every === 1 ? { rhythm: "daily" } : { rhythm: "every", every: String(rhythm.every) };
}

function toFields(draft: Draft, context: FormContext) {
  const { name = "", type, rhythm, weekdays = "", time_of_day, grace_days = "", description = "" } = draft;
  const hasDays = weekdays !== "";
  const fields = {
    name,
    type: type === "bad" ? "bad" : "good",
    ...rhythmOfDraft(draft),
    time_of_day: time_of_day || null,
    grace_days: grace_days.trim() === "" ? null : Number(grace_days),
    category_id: chosenCategoryId(draft.category ?? "", context),
    description,
  };
  if (hasDays === (rhythm === "weekdays")) return { fields, errors: {} };
  const error = hasDays
    ? "You ticked days of the week: choose “On these days of the week”, or take them off."
    : "Choose at least one day.";
  return { fields, errors: { rhythm: error } };
}

function rhythmOfDraft({ rhythm, weekdays = "", times, every }: Draft) {
  const custom = (schedule: object) => ({ frequency: "custom", schedule });
  if (rhythm === "weekdays") return custom({ weekdays: weekdays.split(",").map(Number) });
  if (rhythm === "every") return custom({ every_days: Number(every) });
  if (rhythm !== "times") return { frequency: "daily", schedule: null };
  return Number(times) === 1
    ? { frequency: "weekly", schedule: null }
    : custom({ times_per_week: Number(times) });
}
