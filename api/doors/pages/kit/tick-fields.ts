import type { Html } from "../../../../shared/html.ts";
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
  const here = hereWithoutNotes(visit);
  const from = here === "/account" ? null : here;
  return formToken(visit, { [`${kind}_id`]: id, day, date, next, from });
}
