import type { Static } from "typebox";
import type { LoggedAction } from "../../../shared/contracts/action.ts";
import { resourceRead } from "../../../shared/contracts/mcp-resource.ts";
import { idIn, type Names, type SentArguments } from "../../../shared/contracts/tool-sentence.ts";
import { type Cut, readStored } from "../../../shared/domain/cut-arguments.ts";
import { localTime } from "../../../shared/domain/day.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { QueryContext } from "../../queries/context.ts";
import { namesOf } from "../../queries/names.ts";
import { sayDate } from "../visit/dates.ts";
import { describeCall, describeRefusals } from "./describe.ts";
import { sayOutcome } from "./outcomes.ts";
import { argumentsOfRead } from "./resource-reads.ts";
import { nameOf } from "./who.ts";

type Call = Static<typeof LoggedAction> & { args: SentArguments; cut: Cut | undefined; localTime: string };
type Shown = Readonly<{ timeZone: string; today: string; isFiltered: boolean; hasOlder: boolean }>;

/** The calls, each under the user's day on which it came. */
export async function actionList(
  query: QueryContext,
  actions: readonly Static<typeof LoggedAction>[],
  { timeZone, today, isFiltered, hasOlder }: Shown,
): Promise<Html> {
  if (actions.length === 0) {
    const noneLikeThat = hasOlder
      ? "None of these calls is like that, but older ones may be."
      : "No call is like that.";
    return html`<p class="quiet">${isFiltered ? noneLikeThat : none}</p>`;
  }
  const calls = actions.map((action) => ({
    ...action,
    ...readArgs(action),
    localTime: localTime(Date.parse(action.called_at), timeZone),
  }));
  const names = await namesOf(query, idsIn(calls));
  const days = Map.groupBy(calls, (call) => call.localTime.slice(0, 10));
  return html`${[...days].map(
    ([date, calls]) => html`<h2>${sayDate(date, today)}</h2>
      <ul class="plain log">${calls.map((call) => callItem(call, names))}</ul>`,
  )}`;
}

function readArgs({ tool, arguments: stored }: Static<typeof LoggedAction>): Pick<Call, "args" | "cut"> {
  const { args, cut } = readStored(stored);
  return { args: tool === resourceRead ? argumentsOfRead(args) : args, cut };
}

const none = "Nobody has called a tool yet. What the agents that you connect do will be listed here.";

function idsIn(calls: readonly Call[]) {
  const ids = (name: string) => calls.flatMap(({ args }) => idIn(args, name) ?? []);
  return { habits: ids("habit_id"), todos: ids("todo_id") };
}

function callItem(call: Call, names: Names): Html {
  const { tool, args, outcome, replayed, calls, called_at } = call;
  const ok = outcome === "ok";
  const deed = outcome === "rate_limited" ? describeRefusals(calls) : describeCall({ tool, args, ok, names });
  return html`<li class="card"><div class="spread">
    <p class="deed"><time datetime="${called_at}">${call.localTime.slice(11, 16)}</time>
    <span>${deed}</span></p>
    <p class="badge${!ok && " bad"}">${sayOutcome(outcome)}${replayed && ", repeated"}</p></div>
    <details><summary class="small"><span class="unseen">Details of the call by </span>
    <strong>${nameOf(call)}</strong> · ${tool}</summary>${fineprint(call)}</details></li>`;
}

const longestArguments = 2_000;

function fineprint({ arguments: stored, args, cut, request_id, duration_ms, token_id }: Call): Html {
  const own = `/account/actions?${new URLSearchParams({ token_id })}`;
  const json = cut ? JSON.stringify(args) : stored;
  const isLong = json.length > longestArguments;
  return html`<dl class="facts small"><dt>Arguments</dt>
    <dd><code>${json.slice(0, longestArguments)}${isLong && "…"}</code>
    ${cut && html`<p class="quiet">Shortened: ${cut.bytes} bytes were sent, SHA-256 <code>${cut.sha256}</code></p>`}</dd>
    <dt>Took</dt><dd>${Math.round(duration_ms)} ms</dd>
    <dt>Token</dt><dd><code>${token_id}</code> <a href="${own}">All its calls</a></dd>
    <dt>Request</dt><dd><code>${request_id}</code></dd></dl>`;
}
