import { timestamp } from "../../../../shared/domain/day/day.ts";
import { type WayOutKind, wayOutKinds, waysOut } from "../../../../shared/domain/ways-out.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readFeed } from "../../../queries/calendar/read.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { readExports } from "../../../queries/journal/read.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { readWebhooks } from "../../../queries/webhook/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { sayInstant } from "../kit/words.ts";
import type { Access, PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { pushPath, typedTargets } from "../settings/channels.ts";
import { webhooksPath } from "../webhook/page.ts";

export const accessPath = "/account/access";

/** Times are RFC 3339; null where nothing keeps them. */
type Row = Readonly<{
  name: string;
  reads?: string;
  madeAt: string | null;
  usedAt: string | null;
  /** The form that ends it, or the page where it ends. */
  end: Readonly<{ action: string; fields: Readonly<Record<string, string>> }> | string | null;
}>;

async function readAll(query: QueryContext) {
  return {
    settings: await readSettings(query, {}),
    webhooks: (await readWebhooks(query, {})).data,
    feed: await readFeed(query),
    exports: await readExports(query),
  };
}

type Found = Awaited<ReturnType<typeof readAll>> & Readonly<{ access: readonly Access[] }>;

/** The rows of each way out in the table. */
const rowsOf: Readonly<Record<WayOutKind, (found: Found) => readonly Row[]>> = {
  token: ({ access }) => access.filter(({ isPersonal }) => isPersonal).map(accessRow),
  app: ({ access }) => access.filter(({ isPersonal }) => !isPersonal).map(accessRow),
  webhook: ({ webhooks }) =>
    webhooks.map(({ id, url, events, created_at }) => ({
      ...{ name: new URL(url).host, reads: events.join(", "), madeAt: created_at, usedAt: null },
      end: { action: `${webhooksPath}/change`, fields: { webhook_id: id, act: "delete" } },
    })),
  calendar: ({ feed }) => {
    const end = { action: "/account/data/calendar/end", fields: {} };
    return feed ? [{ name: "Your calendar", madeAt: feed.madeAt, usedAt: null, end }] : [];
  },
  channel: ({ settings }) =>
    typedTargets.flatMap(({ channel, title, address }) => {
      const to = settings[address.column];
      const end = `/account/settings#${channel}`;
      return to === null ? [] : [{ name: `${title}: ${to}`, madeAt: null, usedAt: null, end }];
    }),
  browser: ({ settings }) =>
    settings.browsers.map(({ id, browser, created_at }) => ({
      ...{ name: browser, madeAt: created_at, usedAt: null },
      end: { action: `${pushPath}/remove`, fields: { id } },
    })),
  export: ({ exports }) =>
    exports.map(({ at, details }) => ({
      ...{ name: String(details.what), madeAt: timestamp(at), usedAt: null, end: null },
    })),
};

const accessRow = ({ id, name, scopes, createdAt, lastUsedAt }: Access): Row => ({
  ...{ name, reads: scopes.join(", ") || "nothing", madeAt: new Date(createdAt).toISOString() },
  usedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  end: { action: "/profile/api-tokens/revoke", fields: { id } },
});

/** GET /account/access: everything by which data leaves the account, and how to end it. */
export async function showAccess(visit: Visit): Promise<PageAnswer> {
  const { context, query, session } = visit;
  const found = await query.inTurn(readAll);
  if (isRefused(found)) return found;
  const access = await context.findAccess?.(session.sub);
  const all = { ...found, access: access ?? [] };
  const rows = wayOutKinds.flatMap((kind) =>
    rowsOf[kind](all).map((row) => rowInHtml(visit, { ...waysOut[kind], ...row }, found.settings.time_zone)),
  );
  const body = html`<p class="quiet lead">Everything by which your data leaves this account.
    ${!access && "Tokens and apps are listed at your identity provider."} What each did is under
    <a href="/account/actions">Actions</a> and in the <a href="/account/journal">account journal</a>.</p>
    ${rows.length === 0 && html`<p>Nobody but you can.</p>`}
    ${
      rows.length > 0 &&
      html`<div class="wide" role="region" aria-label="Who can see my data" tabindex="0"><table>
    <thead><tr><th>What</th><th>Reads</th><th>Since</th><th>Last used</th><th>End it</th></tr></thead>
    <tbody>${rows}</tbody></table></div>`
    }
    <p class="quiet small">If somebody else may have been here, choose a new password and let it end everything.</p>`;
  return accountPage(visit, { title: "Who can see my data", body });
}

function rowInHtml(
  visit: Visit,
  { what, name, reads, madeAt, usedAt, end }: Row & Readonly<{ what: string; reads: string }>,
  timeZone: string,
): Html {
  const say = (at: string | null) => (at === null ? "—" : sayInstant(at, timeZone));
  const ending =
    end !== null && typeof end === "object"
      ? html`<form method="post" action="${end.action}">${formToken(visit, end.fields)}
        <button class="plain">End<span class="unseen"> ${name}</span></button></form>`
      : end && html`<a href="${end}">Change<span class="unseen"> ${name}</span></a>`;
  return html`<tr><td>${what}: <strong>${name}</strong></td><td>${reads}</td><td>${say(madeAt)}</td>
    <td>${say(usedAt)}</td><td>${ending ?? "—"}</td></tr>`;
}
