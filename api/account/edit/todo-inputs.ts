import { longestLine } from "../../../shared/domain/quick-add/words.ts";
import { areaField, choice, selectField } from "../../../shared/web/choice-fields.ts";
import { field } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { categoryField } from "./category-choice.ts";
import type { Draft, DraftErrors, FormContext } from "./thing-form.ts";
import { timeOfDayOptions } from "./time-of-day-options.ts";

const commonRepeats = [
  "every day",
  "every weekday",
  "every week",
  "every 2 weeks",
  "every month",
  "every year",
];

export function todoInputs(draft: Draft, errors: DraftErrors, context: FormContext): Html {
  const of = (name: string) => ({ name, value: draft[name] ?? "", error: errors[name] });
  const optional = (name: string) => ({ ...of(name), required: false });
  return html`${field({ ...of("title"), label: "Title", max: 255 })}
    <div class="fields">${field({ ...optional("due_date"), label: "Due", type: "date" })}
    ${field({
      ...optional("remind_at"),
      label: "Remind me at",
      type: "datetime-local",
      hint: context.clock.timeZone,
    })}</div>
    ${field({
      ...optional("recurrence"),
      label: "Repeats",
      max: 500,
      suggestions: commonRepeats,
      hint: "Such as every Monday, every month on the 1st, every 2 weeks until 1 March; or an RRULE.",
    })}
    ${choice({
      name: "recurrence_from",
      value: "completion",
      type: "checkbox",
      label: "Count from the day on which it was done",
      isChosen: draft.recurrence_from === "completion",
    })}
    <div class="fields">${selectField({ ...of("time_of_day"), label: "Part of the day", options: timeOfDayOptions })}
    ${field({ ...optional("estimated_minutes"), label: "Takes (minutes)", type: "number", max: 6 })}</div>
    <div class="fields">${field({ ...optional("context"), label: "Context", max: 100, hint: "Such as desk or phone" })}
    ${categoryField(draft.category ?? "", errors.category ?? errors.category_id, context)}</div>
    ${areaField({ ...of("description"), label: "Notes", max: 5_000 })}`;
}

/** A line that changes other fields when the form is saved. */
export const wordsInput = ({ words = "" }: Draft, errors: DraftErrors): Html =>
  field({
    name: "words",
    label: "Or change it in words",
    value: words,
    error: errors.words,
    required: false,
    max: longestLine,
    hint: "Such as tomorrow at 9 every week #Home @desk 10min",
  });
