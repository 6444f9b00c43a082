import { type Html, html } from "../../../../../shared/html.ts";
import { readNames } from "../../../../queries/action/things.ts";
import { type AskedChange, readWaiting } from "../../../../queries/approval/waiting.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { formToken } from "../../../../web/form/form.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { hereWithoutNotes } from "../../session/go-on.ts";
import { approvalsPath } from "../paths.ts";
import { localTimeOf, readLogDay } from "../words.ts";
import { type AskedOnDay, askedCard } from "./asked-card.ts";
import { decidedInWords } from "./decided.ts";

/** Other pages show the first ones. */
const mostBeside = 3;

type WaitingInWords = Readonly<{ waiting: readonly AskedChange[]; shown: AskedOnDay }>;

export async function readWaitingInWords(query: QueryContext): Promise<WaitingInWords | undefined> {
  const waiting = await readWaiting(query);
  if (waiting.length === 0) return undefined;
  const names = await readNames(
    query,
    waiting.map(({ action }) => action),
  );
  return { waiting, shown: { ...(await readLogDay(query)), names } };
}

/** The first requests beside what another page is about, and what was decided last. */
export function waitingBeside(visit: Visit, found: WaitingInWords | undefined): Html {
  const decided = decidedInWords(visit);
  const note = decided && html`<p class="note" role="status">${decided}</p>`;
  if (!found) return html`<div id="approvals" data-part>${note}</div>`;
  const { waiting, shown } = found;
  const more =
    waiting.length > mostBeside && html`<p><a href="${approvalsPath}">All ${waiting.length}</a></p>`;
  return html`<section id="approvals" data-part aria-labelledby="waiting">${note}<h2 id="waiting">Waiting for your approval</h2>
    ${waitingForm(visit, { waiting: waiting.slice(0, mostBeside), shown })}${more}</section>`;
}

/** Requests that the person approves or declines: one, the chosen ones, or all that are shown. */
export function waitingForm(visit: Visit, { waiting, shown }: WaitingInWords): Html {
  const isMany = waiting.length > 1;
  const item = (one: AskedChange) => askedCard(one, shown, { controls: decision(one, shown, isMany) });
  return html`<form method="post" action="${approvalsPath}">${formToken(visit, { from: hereWithoutNotes(visit) })}
    ${waiting.map(({ id }) => html`<input type="hidden" name="shown" value="${id}">`)}
    <ul class="plain log">${waiting.map(item)}</ul>
    ${isMany && html`<div class="actions">${buttons("chosen", "the chosen ones")} ${buttons("all", `all ${waiting.length}`)}</div>`}</form>`;
}

function decision({ id, expires_at }: AskedChange, { timeZone, today }: AskedOnDay, isMany: boolean): Html {
  const until = sayWallTime(localTimeOf({ called_at: expires_at }, timeZone).slice(0, 16), today);
  return html`<div class="decision">${buttons(id)}
    ${isMany && html`<label><input type="checkbox" name="approval_id" value="${id}"> Choose</label>`}
    <span class="quiet small">Expires ${until}</span></div>`;
}

/** @param which the id of one, `chosen` or `all` */
const buttons = (which: string, words = ""): Html =>
  html`<button class="plain" name="act" value="approve ${which}">Approve${words && ` ${words}`}</button>
    <button class="plain" name="act" value="decline ${which}">Decline${words && ` ${words}`}</button>`;
