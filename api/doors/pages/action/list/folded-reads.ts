import { contracts } from "../../../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import type { ReadCount } from "../../../../queries/action/reads.ts";
import { nameOf } from "../words/who.ts";

/** What one token looked at on one day. */
type DayReads = Readonly<{
  date: string;
  token_id: string;
  client_name: string | null;
  tools: Map<string, number>;
}>;

/** Counts of quarters of an hour as those of the user's days, the newest first. */
export function foldReads(counts: readonly ReadCount[], timeZone: string): readonly DayReads[] {
  const folded = new Map<string, DayReads>();
  for (const { token_id, client_name, tool, reads, called_at } of counts) {
    const date = localTime(Date.parse(called_at), timeZone).slice(0, 10);
    const key = `${date} ${token_id}`;
    const day = folded.get(key) ?? { date, token_id, client_name, tools: new Map() };
    day.tools.set(tool, (day.tools.get(tool) ?? 0) + reads);
    folded.set(key, day);
  }
  return [...folded.values()];
}

/** What a token looked at, in one sentence that leads to the calls. */
export function readsCard({ date, token_id, tools, ...day }: DayReads): Html {
  const calls = `/account/actions?${new URLSearchParams({ show: "reads", token_id, from: date, to: date })}`;
  const mostFirst = [...tools].toSorted(([, one], [, other]) => other - one);
  const sentences = mostFirst.map(([tool, reads]) => `${sayTool(tool)}${sayTimes(reads)}`);
  const [first = "", ...others] = sentences;
  const sentence = [first, ...others.map((other) => other.charAt(0).toLowerCase() + other.slice(1))].join(
    "; ",
  );
  return html`<li class="card folded"><p class="quiet small"><strong>${nameOf({ token_id, ...day })}</strong>:
    <a href="${calls}">${sentence}</a></p></li>`;
}

const sayTimes = (reads: number): string => (reads === 1 ? "" : ` ${reads} times`);

/** As the sentence of a call without arguments. */
function sayTool(tool: string): string {
  if (tool === resourceRead) return "Read resources";
  const sentence = contracts.find(({ mcp }) => mcp?.name === tool)?.mcp?.sentence({}, noNames);
  const object = sentence?.object.filter((part) => typeof part === "string").join("") ?? "something";
  return `${sentence?.done ?? "Looked at"} ${object}`;
}

const noNames = { habits: new Map(), todos: new Map() };
