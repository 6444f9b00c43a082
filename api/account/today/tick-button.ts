import { formToken } from "../../../shared/web/form.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Visit } from "../visit/context.ts";

type Tick = { kind: "habit" | "todo"; id: number; done: boolean; label: string };

/** The round button before an item, which ticks it off or takes that back. */
export function tickButton(visit: Visit, { kind, id, done, label }: Tick): Html {
  return html`<form method="post" action="/account/tick">${formToken(visit)}
    <input type="hidden" name="${kind}_id" value="${id}">
    <button class="tick" name="done" value="${done ? "no" : "yes"}" aria-label="${label}">${checkMark}</button>
    </form>`;
}

const checkMark = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>`;
