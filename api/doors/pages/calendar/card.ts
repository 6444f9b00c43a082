import { localTime } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readFeed } from "../../../queries/calendar/read.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { formToken } from "../../../web/form/form.ts";
import { locale } from "../../../web/locale.ts";
import type { Visit } from "../session/context.ts";
import { feedAddress, hashOf } from "./address.ts";
import { madeCookie } from "./change.ts";

/** The calendar feed: whether there is one, its address just after it was made, and how to make or end it. */
export async function calendarCard(visit: Visit): Promise<Html> {
  const { context, query } = visit;
  const [feed, { today }, made] = await Promise.all([
    readFeed(query),
    readDaySettings(query),
    madeCookie(context).open(visit.request),
  ]);
  const isNew = feed !== undefined && made !== undefined && hashOf(made.secret) === feed.secretHash;
  return html`<h2 id="calendar">In your calendar</h2>
    <div class="card">
    <p>Your calendar can show what is due: it subscribes to a secret address, which needs no password.</p>
    ${isNew && newAddress(feedAddress(context.config.baseUrl, made.secret))}
    ${
      feed &&
      !isNew &&
      html`<p>The address was made on ${sayDated(localTime(Date.parse(feed.madeAt), today.timeZone).slice(0, 10), today.date, locale())}.
      It was shown then; if it is lost or somebody else knows it, make a new one.</p>`
    }
    <form method="post" action="/account/data/calendar">${formToken(visit, { do: "make" })}
    <button${feed && html` class="plain"`}>${feed ? "Make a new address, which ends the old one" : "Make an address"}</button></form>
    ${feed && endForm(visit)}</div>`;
}

const newAddress = (address: string): Html => html`<div class="note" role="status">
    <p>This is your address. Copy it into your calendar now, under “subscribe” or “from URL”; it is shown only once.</p>
    <pre class="lines" data-name="your calendar"><code class="secret address">${address}</code></pre>
    <p class="quiet small">Whoever has it can read the titles and descriptions of your todos. For programs that keep tasks,
      add <code>?as=tasks</code> to it.</p></div>`;

const endForm = (visit: Visit): Html =>
  html`<form method="post" action="/account/data/calendar">${formToken(visit, { do: "end" })}<button class="danger">End the feed</button></form>`;
