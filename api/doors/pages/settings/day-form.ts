import { type Html, html } from "../../../../shared/html.ts";
import { selectField } from "../../../web/form/choice-fields.ts";
import { formToken } from "../../../web/form/form.ts";
import { zoneField } from "../../../web/form/form-fields.ts";
import type { Visit } from "../session/context.ts";
import type { UserSettings } from "./user-settings.ts";

const hours = ["Midnight", "1 a.m.", "2 a.m.", "3 a.m.", "4 a.m.", "5 a.m.", "6 a.m."];

/** The form for the time zone and hour in which the user's day begins. */
export function dayForm(visit: Visit, { time_zone, day_start_hour }: UserSettings): Html {
  return html`<form method="post" action="/account/settings/day" class="card">${formToken(visit)}
    ${zoneField(time_zone)}
    ${selectField({
      name: "day_start_hour",
      label: "A new day starts at",
      value: String(day_start_hour),
      options: hours.map((label, hour) => ({ value: String(hour), label })),
      hint: html`For people who finish after midnight. Changing this or the zone breaks no streak.`,
    })}
    <button>Save your day</button></form>`;
}
