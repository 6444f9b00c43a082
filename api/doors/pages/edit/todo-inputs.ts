import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { field } from "../../../web/form/form-fields.ts";
import { categoryField } from "./category-choice.ts";
import { inputsOf } from "./field-inputs.ts";
import type { Draft, DraftErrors, FormContext } from "./thing-form.ts";

export function todoInputs(draft: Draft, errors: DraftErrors, context: FormContext): Html {
  const { title, due_date, due_time, recurrence, recurrence_from, time_of_day, ...more } = inputsOf(
    todoFields,
    draft,
    errors,
  );
  const { estimated_minutes, context: place, description, ...others } = more;
  const remindAt = field({
    name: "remind_at",
    value: draft.remind_at ?? "",
    error: errors.remind_at,
    label: "Remind me at",
    type: "datetime-local",
    required: false,
    hint: `${context.clock.timeZone}. It moves with the due date.`,
  });
  return html`${title}
    <div class="fields">${due_date}
    ${due_time}
    ${remindAt}</div>
    ${recurrence}
    ${recurrence_from}
    <div class="fields">${time_of_day}
    ${estimated_minutes}</div>
    <div class="fields">${place}
    ${categoryField(draft.category ?? "", errors.category ?? errors.category_id, context)}</div>
    ${Object.values(others)}
    ${description}`;
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
