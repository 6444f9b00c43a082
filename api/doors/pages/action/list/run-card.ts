import { actionEffects } from "../../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import type { Run } from "../../../../queries/action/runs.ts";
import { countInWords } from "../../kit/dates.ts";
import { actionsPath, runPath } from "../paths.ts";
import { type Day, localTimeOf, nameOfCaller } from "../words.ts";

type Runs = Day & Readonly<{ isNew(row: Run[number]): boolean }>;

/** One card for a run: when, who, and a link for each kind of effect to the actions that had it. */
export function runCard(rows: Run, { timeZone, isNew }: Runs): Html {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return html``;
  const { token_id } = newest;
  const times = [oldest, newest].map((row) => localTimeOf(row, timeZone).slice(11, 16));
  const period = { since: oldest.called_at, until: justAfter(newest) };
  const who = token_id === "" ? { door: "page" } : { token_id };
  const takeBack = new URLSearchParams({ token_id, since: period.since, to: period.until });
  const address = (more: Record<string, string>) =>
    `${actionsPath}?${new URLSearchParams({ ...who, ...period, ...more })}`;
  const changes = rows.filter(({ effect }) => !["refused", "asked", "read"].includes(effect));
  const undone = changes.filter((row) => row.undone).length;
  const unseen = rows.filter(isNew).length;
  return html`<li class="card run" id="run-${oldest.request_id}"><div class="spread">
    <p class="action"><time datetime="${newest.called_at}">${[...new Set(times)].join("–")}</time>
    <span><strong>${token_id === "" ? "You" : nameOfCaller(newest)}</strong>
    ${listed(effectsOf(rows).map(({ effect, count, of }) => html`<a href="${address({ effect })}">${effect} ${of ? countInWords(count, "change") : count}</a>${of && ` of ${of}`}`))}</span></p>
    ${unseen > 0 && html`<div class="badges"><p class="badge">${unseen === rows.length ? "New" : `${unseen} new`}</p></div>`}</div>
    <p class="controls small">${undone > 0 && html`<span class="quiet">${undone === changes.length ? "All" : undone} taken back</span>`}
    ${token_id !== "" && undone < changes.length && html`<a href="${runPath}?${takeBack.toString()}">Take back all of it…</a>`}
    <a href="${address({})}">One by one</a></p></li>`;
}

type Counted = Pick<Run[number], "effect" | "things"> & Partial<Pick<Run[number], "of">>;

/** The number of things for each effect that some actions had, and the callers of those that an undo took back. */
export const effectsOf = (rows: readonly Counted[]) =>
  actionEffects.flatMap((effect) => {
    const own = rows.filter((row) => row.effect === effect);
    const count = own.reduce((sum, { things }) => sum + things, 0);
    const of = new Set(own.flatMap((row) => (row.of ? [callerInWords(row.of)] : [])));
    return own.length > 0 ? [{ effect, count, of: [...of].join(" and ") }] : [];
  });

const callerInWords = (caller: NonNullable<Run[number]["of"]>): string =>
  caller.token_id === "" ? "yours" : nameOfCaller(caller);

/** Periods end before this time. */
const justAfter = ({ called_at }: Run[number]): string => new Date(Date.parse(called_at) + 1).toISOString();

const listed = (parts: readonly Html[]): Html =>
  html`${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}`;
