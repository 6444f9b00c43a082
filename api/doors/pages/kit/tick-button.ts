import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";

/** The labels say what a press does: to an item that is not done, and to one that is. */
type Tick = Tickable & Readonly<{ done: boolean; labels: readonly [string, string] }>;

/** The round button before an item, which completes it or undoes that. Scripts show its other label at once. */
export function tickButton(visit: Visit, { done, labels, ...item }: Tick): Html {
  const [label, other] = done ? labels.toReversed() : labels;
  return html`<form method="post" action="/account/tick" id="${tickFormId(item)}" data-stay>${tickFields(visit, item)}
    <button class="tick" name="done" value="${done ? "no" : "yes"}" aria-label="${label}" data-other="${other}">${checkMark}</button>
    </form>`;
}

/** The id of the form that ticks an item, for buttons outside it. */
export const tickFormId = ({ kind, id }: Pick<Tickable, "kind" | "id">): string => `tick-${kind}-${id}`;

const checkMark = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>`;

type Counted = Readonly<{ name: string; unit: string | null; date?: string }>;

/** Adds an amount to a day of a habit with a target. */
export function amountForm(visit: Visit, { name, unit, ...item }: Omit<Tickable, "kind"> & Counted): Html {
  return html`<form method="post" action="/account/tick" class="amount" data-stay>${tickFields(visit, { ...item, kind: "habit" })}
    <input type="number" name="amount" value="1" min="1" max="100000" required aria-label="${unit ?? "Amount"} to add: ${name}">
    <button class="plain" name="done" value="add">Add</button></form>`;
}

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
  const here = hereWithoutNotes(visit);
  const from = here === "/account" ? null : here;
  return formToken(visit, { [`${kind}_id`]: id, day, date, next, from });
}
