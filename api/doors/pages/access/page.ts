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
import { pushPath, targetPath, typedTargets } from "../settings/channels.ts";
import { webhooksPath } from "../webhook/page.ts";

export const accessPath = "/account/data/access";

/** Times are RFC 3339, and absent where nothing keeps them. */
type Row = Readonly<{
  name: string;
  reads?: string;
  madeAt?: string;
  usedAt?: string;
  /** The form that ends it: its action and fields. */
  end?: readonly [action: string, fields: Readonly<Record<string, string>>];
}>;

async function readAll(query: QueryContext) {
  const [settings, { data: webhooks }] = [await readSettings(query, {}), await readWebhooks(query, {})];
  return { settings, webhooks, feed: await readFeed(query), exports: await readExports(query) };
}

type Found = Awaited<ReturnType<typeof readAll>> & Readonly<{ access: readonly Access[] }>;

/** The rows of each way out in the table. */
const rowsOf: Readonly<Record<WayOutKind, (found: Found) => readonly Row[]>> = {
  token: ({ access }) => access.filter(({ isPersonal }) => isPersonal).map(accessRow),
  app: ({ access }) => access.filter(({ isPersonal }) => !isPersonal).map(accessRow),
  webhook: ({ webhooks }) =>
    webhooks.map(({ id, url, events, created_at: madeAt }) => ({
      ...{ name: new URL(url).host, reads: events.join(", "), madeAt },
      end: [`${webhooksPath}/change`, { webhook_id: id, act: "delete" }],
    })),
  calendar: ({ feed }) =>
    feed ? [{ name: "of your todos", madeAt: feed.madeAt, end: ["/account/data/calendar/end", {}] }] : [],
  channel: ({ settings }) =>
    typedTargets.flatMap(({ channel, title, address: { column } }) => {
      const to = settings[column];
      return to === null ? [] : [{ name: `${title}, ${to}`, end: [targetPath(channel), { [column]: "" }] }];
    }),
  browser: ({ settings }) =>
    settings.browsers.map(({ id, browser: name, created_at: madeAt }) => ({
      ...{ name, madeAt, end: [`${pushPath}/remove`, { id }] },
    })),
  export: ({ exports }) =>
    exports.map(({ at, details }) => ({ name: String(details.what), madeAt: timestamp(at) })),
};

const accessRow = ({ id, name, scopes, createdAt, lastUsedAt }: Access): Row => ({
  ...{ name, reads: scopes.join(", ") || "nothing", madeAt: new Date(createdAt).toISOString() },
  ...(lastUsedAt !== null && { usedAt: new Date(lastUsedAt).toISOString() }),
  end: ["/profile/api-tokens/revoke", { id }],
});

/** GET /account/data/access: everything by which data leaves the account, and how to end it. */
export async function showAccess(visit: Visit): Promise<PageAnswer> {
  const found = await visit.query.inTurn(readAll);
  if (isRefused(found)) return found;
  const access = await visit.context.findAccess?.(visit.session.sub);
  const all = { ...found, access: access ?? [] };
  const rows = wayOutKinds.flatMap((kind) =>
    rowsOf[kind](all).map((row) => rowInHtml(visit, { ...waysOut[kind], ...row }, found.settings.time_zone)),
  );
  const body = html`<p class="quiet lead">Every way in which your data leaves this account.
    ${!access && "Your identity provider lists tokens and apps."} What each did is under
    <a href="/account/actions">Activity</a> and in the <a href="/account/journal">account journal</a>.</p>
    <div class="table" role="region" aria-label="Who can see my data" tabindex="0"><table>
    <thead><tr><th>Who reads what</th><th>Since</th><th>End it</th></tr></thead>
    <tbody>${rows}</tbody></table></div>
    <p class="quiet small">If somebody else may have been here, choose a new password and let it end everything.</p>`;
  return accountPage(visit, { title: "Who can see my data", body });
}

function rowInHtml(
  visit: Visit,
  { what, name, reads, madeAt, usedAt, end }: Row & Readonly<{ what: string; reads: string }>,
  timeZone: string,
): Html {
  const say = (at: string) => sayInstant(at, timeZone);
  const ending =
    end &&
    html`<form method="post" action="${end[0]}">${formToken(visit, end[1])}
      <button class="plain">End<span class="unseen"> ${name}</span></button></form>`;
  const used = usedAt !== undefined && html`<div class="quiet small">used ${say(usedAt)}</div>`;
  return html`<tr><td>${what}: <strong>${name}</strong><div class="quiet small">${reads}</div></td>
    <td>${madeAt === undefined ? "—" : say(madeAt)}${used}</td><td>${ending ?? "—"}</td></tr>`;
}
