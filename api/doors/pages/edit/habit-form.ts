import type { Static } from "typebox";
import type { Habit } from "../../../../shared/contracts/habit/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import type { Rules } from "../../../../shared/domain/habit/rhythm.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import type { QuickHabit } from "../../../queries/quick-add/quick-add.ts";
import { choice } from "../../../web/form/form-fields.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { weekdayNames } from "../kit/words.ts";
import type { Draft, DraftErrors, FormContext, ThingForm } from "./thing-form.ts";
import {
  categoryField,
  categoryValue,
  chosenCategoryId,
  draftOf,
  fieldsOfDraft,
  inputsOf,
} from "./thing-form.ts";

const blank = {
  ...draftOf(habitFields),
  rhythm: "daily",
  weekdays: "",
  times: "3",
  every: "2",
  category: "",
} satisfies Draft;

const rhythmFields = ["frequency", "schedule"];

export const habitForm: ThingForm = {
  noun: "habit",
  newPath: "/account/habits/new",
  path: (id) => `/account/habits/${id}/edit`,
  shownAt: (id) => `/account/habits/${id}`,
  home: "/account",
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
    ...draftOf(habitFields, habit),
    ...draftOfRhythm(habit),
    category: String(habit.category?.id ?? ""),
  };
}

/** A line in words as a filled-in form. */
export function draftOfQuickHabit(quick: QuickHabit, context: FormContext): Draft {
  return {
    ...blank,
    ...draftOf(habitFields, quick),
    ...draftOfRhythm({ ...quick, grace_days: habitFields.grace_days.usual }),
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
  const { rhythm, weekdays = "", category = "" } = draft;
  const hasDays = weekdays !== "";
  const fields = {
    ...fieldsOfDraft(habitFields, draft),
    ...rhythmOfDraft(draft),
    category_id: chosenCategoryId(category, context),
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

function habitInputs(draft: Draft, errors: DraftErrors, context: FormContext): Html {
  const { name, type, time_of_day, remind_at, description, ...others } = inputsOf(habitFields, draft, errors);
  return html`${name}${type}
    ${rhythmChoice(draft, errors)}
    <div class="fields">${time_of_day}
    ${remind_at}
    ${categoryField(draft.category ?? "", errors.category, context)}</div>
    ${Object.values(others)}
    ${description}`;
}

function rhythmChoice(draft: Draft, errors: DraftErrors): Html {
  const { rhythm, weekdays = "", times = "", every = "" } = draft;
  const kind = (value: string, label: Html | string) =>
    choice({ name: "rhythm", value, label, isChosen: rhythm === value });
  const number = (name: string, value: string, label: string, most: number) =>
    html`<div class="custom"><input class="short" type="number" name="${name}" value="${value}" min="1" max="${most}" aria-label="${label}"></div>`;
  const error = errors.rhythm;
  return html`<fieldset class="rhythm"><legend>How often</legend>
    ${kind("daily", "Every day")}
    ${kind("weekdays", "On these days of the week")}
    <div class="custom spread" role="group" aria-label="Days of the week">${weekdayNames.map((_, index) => {
      const day = (index + firstWeekday() - 1) % 7;
      const [label, value] = [weekdayNames[day] ?? "", String(day + 1)];
      const isChosen = weekdays.split(",").includes(value);
      return choice({ name: "weekdays", value, label, isChosen, type: "checkbox" });
    })}</div>
    ${kind("times", "Times a week")}
    ${number("times", times, "Times in each week", 7)}
    ${kind("every", "Every … days")}
    ${number("every", every, "Days from one to the next", 365)}
    ${error && html`<p class="error" id="rhythm-error">${error}</p>`}</fieldset>`;
}
