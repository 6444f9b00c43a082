import { type Html, html } from "../../../../shared/html.ts";
import { type RunRow, readRunRows } from "../../../queries/action/runs.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { effectsOf } from "../action/list/run-card.ts";
import { actionsPath } from "../action/paths.ts";
import { nameOfCaller } from "../action/words/known.ts";

/** Today is shown anew after each change of an agent, so its line looks at few actions. */
const mostLookedAt = 200;

/** One line about the changes of agents and scripts since the person last looked at Actions; empty without any. */
export async function newsOfAgents(query: QueryContext, before: string | undefined): Promise<Html | false> {
  if (before === undefined) return false;
  const { rows, end } = await readRunRows(
    query,
    { kinds: ["change", "refusal"], from: before },
    mostLookedAt,
  );
  const fresh = rows
    .slice(0, mostLookedAt)
    .filter(({ door, called_at }) => door !== "page" && called_at > before);
  if (fresh.length === 0) return false;
  const callers = [...Map.groupBy(fresh, ({ token_id }) => token_id).values()].map(callerInWords);
  const isMore = end !== undefined || rows.length > mostLookedAt;
  return html`<p class="quiet"><a href="${actionsPath}">Since you last looked</a>: ${callers.join("; ")}${isMore && ", and more before"}.</p>`;
}

const callerInWords = (rows: readonly RunRow[]): string => {
  const name = rows[0] ? nameOfCaller(rows[0]) : "";
  return `${name} ${effectsOf(rows)
    .map(([effect, count]) => `${effect} ${count}`)
    .join(", ")}`;
};
