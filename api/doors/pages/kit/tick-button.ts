import { type Html, html } from "../../../../shared/html.ts";
import type { Visit } from "../session/context.ts";
import { type Tickable, tickFields } from "./tick-fields.ts";

type Tick = Tickable & Readonly<{ done: boolean; label: string }>;

/** The round button before an item, which completes it or undoes that. */
export function tickButton(visit: Visit, { done, label, ...item }: Tick): Html {
  return html`<form method="post" action="/account/tick" data-stay>${tickFields(visit, item)}
    <button class="tick" name="done" value="${done ? "no" : "yes"}" aria-label="${label}">${checkMark}</button>
    </form>`;
}

const checkMark = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>`;
