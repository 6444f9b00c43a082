import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { type Cut, readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import type { ThingNames } from "../../../../queries/action/things.ts";
import { describeAction } from "../narrator.ts";
import { actionsPath, runPath } from "../paths.ts";
import { type Day, listInHtml, localTimeOf, nameOfCaller, quote, wordsInHtml } from "../words.ts";
import { outcomes } from "./filters.ts";

/** Everything that the cards of a list share. */
export type Listing = Day &
  Readonly<{
    /** Names of the things that still exist; each has a page to link to. */
    names: ThingNames;
    /** Tells whether an action came since the person's last visit. */
    isNew(row: Pick<LoggedAction, "called_at" | "door">): boolean;
    /** The buttons of an action. */
    controls(row: LoggedAction): Html | undefined;
  }>;

const longestReason = 300;

/** One action: when it was, what it did in words, by whom, and with its details folded. */
export function actionCard(row: LoggedAction, listing: Listing): Html {
  const { message } = row;
  const { names, today, timeZone } = listing;
  const { sentence, changes } = describeAction(row, listing);
  return html`<li class="card" id="action-${row.request_id}"><div class="spread">
    <p class="action"><time datetime="${row.called_at}">${localTimeOf(row, timeZone).slice(11)}</time>
    <span>${wordsInHtml(sentence, today, names)}</span></p>
    ${badges(row, listing)}</div>
    ${listInHtml("changes small", changes, today, names)}
    ${message !== null && html`<p class="reason small">It was told: ${quote(message, { longest: longestReason })}</p>`}
    ${listing.controls(row)}
    <details><summary class="small"><span class="unseen">Details of what was done by </span>
    ${byWhom(row)}${row.door === "mcp" && html` · ${row.tool}`}</summary>${details(row)}</details></li>`;
}

/** The usual outcome needs no badge. */
function badges(row: LoggedAction, { isNew }: Listing): Html {
  const { outcome, replayed } = row;
  const said = outcomes.find(([code]) => code === outcome)?.[1] ?? outcome;
  const end = outcome === "ok" ? "Repeated" : `${said}${replayed ? ", repeated" : ""}`;
  return html`<div class="badges">${isNew(row) && html`<p class="badge">New</p>`}
    ${(outcome !== "ok" || replayed) && html`<p class="badge${outcome !== "ok" && " bad"}">${end}</p>`}</div>`;
}

function byWhom(row: LoggedAction): Html {
  if (row.door === "page" && row.client_name !== null) return html`You, by ${row.client_name}`;
  if (row.door === "page") return html`You, ${row.tool === "import.apply" ? "by an import" : "on a page"}`;
  return html`<strong>${nameOfCaller(row)}</strong> over ${row.door === "rest" ? "REST" : "MCP"}`;
}

function details({ request_id, duration_ms, token_id, called_at, ...row }: LoggedAction): Html {
  const { args, cut } = readStored(row.arguments);
  const own = new URLSearchParams({ token_id });
  const since = new URLSearchParams({ token_id, since: called_at });
  return html`<dl class="facts small">
    ${row.arguments !== "{}" && json("Arguments", cut ? JSON.stringify(args) : row.arguments, cut)}
    ${image("Before", row.before)}${image("After", row.after)}
    <dt>Took</dt><dd>${Math.round(duration_ms)} ms</dd>
    ${
      token_id !== "" &&
      html`<dt>Token</dt><dd><code>${token_id}</code> <a href="${actionsPath}?${own.toString()}">All it did</a>
      <a href="${runPath}?${since.toString()}">Take back all since then</a></dd>`
    }
    <dt>Request</dt><dd><code>${request_id}</code></dd></dl>`;
}

function image(label: string, stored: string | null): Html | false {
  if (stored === null || stored === "{}") return false;
  try {
    const { images, cut } = readImages(stored);
    return json(label, JSON.stringify(images), cut);
  } catch {
    return json(label, stored, undefined);
  }
}

const longestJson = 2_000;

const json = (label: string, text: string, cut: Cut | undefined): Html => html`<dt>${label}</dt>
  <dd><code>${text.slice(0, longestJson)}${text.length > longestJson && "…"}</code>
  ${cut && html`<p class="quiet">Shortened from ${cut.bytes} bytes, SHA-256 <code>${cut.sha256}</code></p>`}</dd>`;
