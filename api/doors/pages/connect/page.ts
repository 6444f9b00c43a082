import { sql } from "kysely";
import type { OutputOf, Queries } from "../../../../shared/contracts/catalogue.ts";
import { own, selectFrom, statement } from "../../../../shared/db/reads/statement.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readTokens } from "../../../queries/action/read.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { copyScript } from "../../../web/assets.ts";
import { connectGuides, type Guide, guideLines } from "../../../web/connect-guides.ts";
import { icon } from "../../../web/icons.ts";
import { page } from "../../../web/page.ts";
import { agentsPath } from "../action/words.ts";
import { liveMark, liveScripts } from "../live/live.ts";
import type { Guest, Visit } from "../session/context.ts";
import { accountFrame, guestFrame } from "../session/frame.ts";
import { signedInVisit } from "../session/session.ts";
import { webhooksPath } from "../webhook/page.ts";

/** GET /account/connect: open to anybody, because it shows nothing but this server's address. */
export async function showConnect(guest: Guest): Promise<Response> {
  const { site, context, url } = guest;
  const { baseUrl, builtInIdentity } = context.config;
  const visit = await signedInVisit(guest);
  const waiting = visit && waitingAddress(visit);
  const mark = visit && (await liveMark(visit, { follows: "actions", from: waiting }));
  const lead = html`<p class="lead quiet">Your agent reads and changes your habits and todos, as far as you allow. You see
    what it did under <a href="/account/actions">Activity</a>, and can undo it.</p>`;
  const guides = connectGuides(baseUrl);
  const chosen = guides.find(({ client }) => slugOf(client) === url.searchParams.get("client")) ?? guides[0];
  const body = html`${mark}${visit && waiting && (await connectLight(visit, waiting))}
    <nav aria-label="Your client"><ul class="plain chips">${guides.map((guide) => tab(url, guide, guide === chosen))}</ul></nav>
    ${chosen && guideSection(chosen)}
    <p class="quiet small">An agent can <a href="${agentsPath}">ask you first</a> before large changes.${
      builtInIdentity && html` Scripts use a <a href="/profile/api-tokens">token</a>.`
    } A <a href="${webhooksPath}">webhook</a> tells your other programs what changes.</p>
    <p class="unseen" role="status" id="copied"></p>`;
  const frame = visit ? await accountFrame(visit) : guestFrame;
  return page(site, {
    title: "Connect an agent",
    lead,
    body,
    scripts: [copyScript, ...(visit ? liveScripts : [])],
    ...frame,
  });
}

const slugOf = (client: string): string => client.toLowerCase().replace(/\W+/g, "-");

/** A link to this page with the lines of one client. It keeps the time when the person began to wait. */
function tab(url: URL, { client }: Guide, isChosen: boolean): Html {
  const query = new URLSearchParams(url.search);
  query.set("client", slugOf(client));
  return html`<li><a href="/account/connect?${query.toString()}"${isChosen && html` aria-current="true"`}>${client}</a></li>`;
}

const guideSection = (guide: Guide): Html =>
  html`<section class="card" aria-labelledby="lines"><h2 id="lines">${guide.client}</h2>
    <p>${guide.text}</p>
    ${guideLines(guide)}</section>`;

const longestMs = 24 * 60 * 60 * 1_000;

/** The address of this page with the time when the person began to wait. */
function waitingAddress(visit: Visit): string {
  const { now } = visit.query;
  const since = Math.floor(Number(visit.url.searchParams.get("since")));
  const isUsable = since <= now && since > now - longestMs;
  const query = new URLSearchParams(visit.url.search);
  query.set("since", String(isUsable ? since : Math.floor(now)));
  return `/account/connect?${query.toString()}`;
}

/** A light that turns green at the first call of a client that never called before. */
async function connectLight(visit: Visit, waiting: string): Promise<Html> {
  const since = new Date(Number(/since=(\d+)/.exec(waiting)?.[1])).toISOString();
  const found = await visit.query.inTurn((own) => readNewTokens(own, since));
  const fresh = isRefused(found) ? [] : found;
  const content =
    fresh.length > 0
      ? html`<p><strong>Connected.</strong> ${fresh.map(sayClient)}</p>`
      : html`<p>Waiting for the first call of a new client.
        <a href="${waiting}#light">Look again</a></p>`;
  return html`<div id="light" class="${fresh.length > 0 ? "note" : "card"} light" role="status" data-part>${icon("plug")}${content}</div>`;
}

const sayClient = ({ token_id, client_name }: CallingToken): Html =>
  html`<span class="client"><strong>${client_name ?? "A client"}</strong> made its first call:
    <a href="/account/actions?${new URLSearchParams({ token_id, show: "all" }).toString()}">what it did</a>.</span> `;

type CallingToken = OutputOf<Queries["action.tokens"]>["tokens"][number];

const mostNew = 20;

const tokensWithoutPast = statement({ ids: "text[]", since: "timestamptz" }, (value) =>
  selectFrom(sql<{ token_id: string }>`unnest(${value("ids")})`.as<"recent">(sql`recent (token_id)`))
    .select("recent.token_id")
    .where(({ ref, not, exists }) =>
      not(
        exists(
          selectFrom(own("action_log").as("a"))
            .select("a.token_id")
            .where("a.token_id", "=", ref("recent.token_id"))
            .where("a.called_at", "<", value("since")),
        ),
      ),
    ),
);

/** The tokens whose first call in the action log came since a time (RFC 3339), the last used first. */
async function readNewTokens(query: QueryContext, since: string): Promise<readonly CallingToken[]> {
  const { tokens } = await readTokens(query, {});
  const recent = tokens.filter(({ token_id, last_called_at }) => token_id !== "" && last_called_at >= since);
  if (recent.length === 0) return [];
  const ids = recent.slice(0, mostNew).map(({ token_id }) => token_id);
  const found = await query.rows(tokensWithoutPast({ ids, since }));
  const fresh = new Set(found.map(({ token_id }) => token_id));
  return recent.filter(({ token_id }) => fresh.has(token_id));
}
