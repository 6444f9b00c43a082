import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";

export type Tickable = Readonly<{
  kind: "habit" | "todo";
  id: number;
  /** The user's day that the page shows: a page of yesterday must not complete anything without asking. */
  day: string;
  /** The day to complete, if it is not today. */
  date?: string;
  /** The id of the element to go on at when this one leaves its list, for browsers without scripts. */
  next?: string | undefined;
}>;

/** The hidden fields of a form that completes an item or undoes that. */
export function tickFields(visit: Visit, { kind, id, day, date, next }: Tickable): Html {
  const from = hereWithoutNotes(visit);
  return html`${formToken(visit)}<input type="hidden" name="${kind}_id" value="${id}">
    <input type="hidden" name="day" value="${day}">
    ${date !== undefined && html`<input type="hidden" name="date" value="${date}">`}
    ${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}
    ${from !== "/account" && html`<input type="hidden" name="from" value="${from}">`}`;
}
