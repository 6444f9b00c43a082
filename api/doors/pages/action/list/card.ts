import { type Cut, readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { runPath } from "../paths.ts";
import { describeAction } from "../words/describe.ts";
import type { Telling } from "../words/field-words.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { sayOutcome } from "../words/outcomes.ts";
import { quote } from "../words/quote.ts";
import { byWhom } from "../words/who.ts";
import { type Thing, wordsInHtml } from "../words/words.ts";

/** What all cards of a list share. */
export type Listing = Telling &
  Readonly<{
    today: string;
    /** Where a thing is shown, if it is. */
    addressOf(thing: Thing): string | undefined;
    /** Whether it came since the person's last visit. */
    isNew(row: LoggedRow): boolean;
    /** What can be done about an action. */
    controls(row: LoggedRow): Html | undefined;
  }>;

const longestReason = 300;

/** One action: when it was, what it did in words, by whom, and with its details folded. */
export function actionCard(row: LoggedRow, listing: Listing): Html {
  const { message } = row;
  const { words, deeds } = describeAction(row, listing);
  return html`<li class="card" id="action-${row.request_id}"><div class="spread">
    <p class="deed"><time datetime="${row.called_at}">${timeOf(row, listing)}</time>
    <span>${wordsInHtml(words, listing)}</span></p>
    ${badges(row, listing)}</div>
    ${deeds.length > 0 && html`<ul class="deeds small">${deeds.map(({ sentence }) => html`<li>${wordsInHtml(sentence, listing)}</li>`)}</ul>`}
    ${message !== null && html`<p class="reason small">It was told: ${quote(message, { longest: longestReason })}</p>`}
    ${listing.controls(row)}
    <details><summary class="small"><span class="unseen">Details of what was done by </span>
    ${byWhom(row)}${row.door === "mcp" && html` · ${row.tool}`}</summary>${details(row)}</details></li>`;
}

/** Nothing where all is as usual. */
function badges(row: LoggedRow, { isNew }: Listing): Html {
  const { outcome, replayed } = row;
  const end = outcome === "ok" ? "Repeated" : `${sayOutcome(outcome)}${replayed ? ", repeated" : ""}`;
  return html`<div class="badges">${isNew(row) && html`<p class="badge">New</p>`}
    ${(outcome !== "ok" || replayed) && html`<p class="badge${outcome !== "ok" && " bad"}">${end}</p>`}</div>`;
}

const timeOf = ({ called_at }: LoggedRow, { timeZone }: Listing): string =>
  localTime(Date.parse(called_at), timeZone).slice(11);

function details(row: LoggedRow): Html {
  const { request_id, duration_ms, token_id } = row;
  const own = `/account/actions?${new URLSearchParams({ token_id })}`;
  const { args, cut } = readStored(row.arguments);
  return html`<dl class="facts small">
    ${row.arguments !== "{}" && json("Arguments", cut ? JSON.stringify(args) : row.arguments, cut)}
    ${image("Before", row.before)}${image("After", row.after)}
    <dt>Took</dt><dd>${Math.round(duration_ms)} ms</dd>
    ${
      token_id !== "" &&
      html`<dt>Token</dt><dd><code>${token_id}</code> <a href="${own}">All it did</a>
      <a href="${runPath}?${new URLSearchParams({ token_id, since: row.called_at }).toString()}">Take back all since then</a></dd>`
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

function json(label: string, text: string, cut: Cut | undefined): Html {
  return html`<dt>${label}</dt>
    <dd><code>${text.slice(0, longestJson)}${text.length > longestJson && "…"}</code>
    ${cut && html`<p class="quiet">Shortened from ${cut.bytes} bytes, SHA-256 <code>${cut.sha256}</code></p>`}</dd>`;
}
