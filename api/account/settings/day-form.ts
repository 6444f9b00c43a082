import { formToken } from "../../../shared/web/form.ts";
import { zoneField } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Visit } from "../visit/context.ts";
import type { UserSettings } from "./user-settings.ts";

const hours = ["Midnight", "1 a.m.", "2 a.m.", "3 a.m.", "4 a.m.", "5 a.m.", "6 a.m."];

/** The form for the time zone and hour in which the user's day begins. */
export function dayForm(visit: Visit, { time_zone, day_start_hour }: UserSettings): Html {
  return html`<form method="post" action="/account/settings/day" class="card">${formToken(visit)}
    ${zoneField(time_zone)}
    <div class="field"><label for="day_start_hour">A new day starts at</label>
    <select id="day_start_hour" name="day_start_hour" aria-describedby="day-hint">${hours.map(
      (label, hour) =>
        html`<option value="${hour}"${hour === day_start_hour && html` selected`}>${label}</option>`,
    )}</select>
    <p class="quiet small" id="day-hint">For people who finish after midnight. Changing this or the
      zone breaks no streak.</p></div>
    <button>Save your day</button></form>`;
}
