import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { choice } from "../../../web/form/choice-fields.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { categoryField } from "./category-choice.ts";
import { inputsOf } from "./field-inputs.ts";
import type { Draft, DraftErrors, FormContext } from "./thing-form.ts";

export function habitInputs(draft: Draft, errors: DraftErrors, context: FormContext): Html {
  const { name, type, time_of_day, remind_at, description, ...others } = inputsOf(habitFields, draft, errors);
  return html`${name}${type}
    ${rhythmChoice(draft, errors)}
    <div class="fields">${time_of_day}
    ${remind_at}
    ${categoryField(draft.category ?? "", errors.category, context)}</div>
    ${Object.values(others)}
    ${description}`;
}

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function rhythmChoice(draft: Draft, errors: DraftErrors): Html {
  const { rhythm, weekdays = "", times = "", every = "" } = draft;
  const kind = (value: string, label: Html | string) =>
    choice({ name: "rhythm", value, label, isChosen: rhythm === value });
  const number = (name: string, value: string, label: string, most: number) =>
    html`<input class="short" type="number" name="${name}" value="${value}" min="1" max="${most}" aria-label="${label}">`;
  const error = errors.rhythm;
  return html`<fieldset class="rhythm"><legend>How often</legend>
    ${kind("daily", "Every day")}
    ${kind("weekdays", "On these days of the week")}
    <div class="days" role="group" aria-label="Days of the week">${days.map((_, index) => {
      const day = (index + firstWeekday() - 1) % 7;
      const [label, value] = [days[day] ?? "", String(day + 1)];
      const isChosen = weekdays.split(",").includes(value);
      return choice({ name: "weekdays", value, label, isChosen, type: "checkbox" });
    })}</div>
    ${kind("times", "So many times in each week")}
    ${number("times", times, "Times in each week", 7)}
    ${kind("every", "Every so many days")}
    ${number("every", every, "Days from one to the next", 365)}
    ${error && html`<p class="error" id="rhythm-error">${error}</p>`}</fieldset>`;
}
