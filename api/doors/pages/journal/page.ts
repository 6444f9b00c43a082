import { timestamp } from "../../../../shared/domain/day/day.ts";
import { sayEvent, sayOrigin } from "../../../../shared/domain/journal/events.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { type ListedEvent, readEventsBefore } from "../../../queries/journal/read.ts";
import { sayInstant } from "../kit/words.ts";
import type { Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

export const journalPath = "/account/journal";
const pageSize = 50;

/** GET /account/journal?before=…: what happened to the account, newest first. */
export async function showJournal(visit: Visit): Promise<Response> {
  const { query, url } = visit;
  const { timeZone } = await readDaySettings(query);
  const before = /^[1-9]\d{0,14}$/.exec(url.searchParams.get("before") ?? "")?.[0];
  const events = await readEventsBefore(query, Number(before ?? Number.MAX_SAFE_INTEGER), pageSize);
  const oldest = events.length === pageSize ? events.at(-1)?.number : undefined;
  const body = html`<p class="quiet lead">Sign-ins, passwords, tokens, apps, settings and files of this account, for 400 days. Times
      are those of ${timeZone}.</p>
    ${events.length === 0 && html`<p>Nothing has happened yet.</p>`}
    <ul class="plain">${events.map((event) => eventCard(event, timeZone))}</ul>
    <nav class="pager" aria-label="Pages">${before && html`<a href="${journalPath}">Newest</a>`}
    ${oldest && html`<a href="${journalPath}?before=${oldest}" rel="next">Older</a>`}</nav>
    <p class="quiet small">Daily totals appear the next day. The journal is part of the file with
      everything on <a href="/account/data">Your data</a>.</p>`;
  return accountPage(visit, { title: "Account journal", body });
}

const eventCard = ({ number, at, kind, details }: ListedEvent, timeZone: string): Html =>
  html`<li class="card" id="event-${number}"><p>${sayEvent(kind, details)}</p>
    <p class="quiet small">${sayInstant(timestamp(at), timeZone)} ${sayOrigin(details)}</p></li>`;
