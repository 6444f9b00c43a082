import { type Html, html } from "../../../../../shared/html.ts";
import type { ThingNames } from "../../../../queries/action/things.ts";
import type { AskedChange } from "../../../../queries/approval/waiting.ts";
import { sayWallTime } from "../../kit/dates.ts";
import { describeAction } from "../narrator.ts";
import { type Day, listInHtml, localTimeOf, nameOfCaller, wordsInHtml } from "../words.ts";

export type AskedOnDay = Day & Readonly<{ names: ThingNames }>;

/** A request in words: when, who, and what would change. */
export function askedCard(
  { action }: AskedChange,
  shown: AskedOnDay,
  { badge, controls }: Readonly<{ badge?: Html; controls?: Html }>,
): Html {
  const { names, timeZone, today } = shown;
  const { sentence, changes } = describeAction(action, shown);
  const asked = sayWallTime(localTimeOf(action, timeZone).slice(0, 16), today);
  return html`<li class="card"><div class="spread"><p class="action"><time datetime="${action.called_at}">${asked}</time>
    <span><strong>${nameOfCaller(action)}</strong>: ${wordsInHtml(sentence, today, names)}</span></p>
    ${badge && html`<div class="badges">${badge}</div>`}</div>
    ${changes.length > 0 && html`<details><summary class="small">All ${changes.length} changes</summary>${listInHtml("changes small", changes, today, names)}</details>`}
    ${controls}</li>`;
}
