import type { AccountBytesRow } from "../../../../shared/db/entities.ts";
import { sql } from "../../../../shared/db/reads/sql.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { copyScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { calendarCard } from "../calendar/card.ts";
import type { Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

const path = "/account/data/export";

/** The page that begins a download, for a sign-in that must lead to a page. */
export const pageOfExport = (next: string): string => next.replace(`${path}?`, "/account/data?download=yes&");

/** GET /account/data */
export async function showData(visit: Visit): Promise<Response> {
  const file = askedFile(visit.url.searchParams);
  const body = html`${
    file &&
    html`<p class="note" role="status">Your download begins. If not, <a href="${file}">begin it
      here</a>.</p>`
  }
    ${exportCard()}
    ${importCard(visit)}
    ${await keptCard(visit)}
    ${await calendarCard(visit)}
    <p class="unseen" role="status" id="copied"></p>`;
  const content = { title: "Your data", body, scripts: [copyScript] };
  return accountPage(visit, content, file === undefined ? {} : { headers: { Refresh: `0; url=${file}` } });
}

function askedFile(asked: URLSearchParams): string | undefined {
  if (asked.get("download") !== "yes") return undefined;
  return `${path}?${new URLSearchParams({ format: asked.get("format") ?? "", kind: asked.get("kind") ?? "" })}`;
}

function exportCard(): Html {
  const table = (kind: string, label: string) =>
    html`<li><a href="${path}?format=csv&kind=${kind}">${label}</a></li>`;
  return html`<h2>Take it with you</h2>
    <div class="card">
    <p>One file with everything: categories, habits with every completion, todos, open and done, and their reminders.
      Kept can read it back, here or elsewhere.</p>
    <p><a class="button" href="${path}?format=json">Download everything (JSON)</a></p>
    <p>For a spreadsheet, one table of each kind:</p>
    <ul>${table("habits", "Habits (CSV)")}${table("completions", "Completions of habits (CSV)")}
    ${table("amounts", "Amounts of habits (CSV)")}
    ${table("todos", "Todos with reminders (CSV)")}${table("categories", "Categories (CSV)")}</ul>
    <p class="quiet small">What was done, by you and by agents, is a file of its own on
      <a href="/account/actions">Actions</a>. The <a href="/account/journal">account journal</a> is part of the file
      with everything. The secret of your webhook and your tokens are in no file.</p></div>`;
}

function importCard(visit: Visit): Html {
  return html`<h2>Bring it here</h2>
    <form method="post" action="/account/data/import" enctype="multipart/form-data" class="card">${formToken(visit)}
    <p>From a file of Kept (JSON), a project of Todoist (CSV), a backup of Todoist (zip), Loop Habit Tracker (its zip, or
      Habits.csv and Checkmarks.csv) or Habitica (userdata.json). You see first what would come.</p>
    <div class="field"><label for="files">Files, 5 MB together</label>
    <input type="file" id="files" name="files" multiple required accept=".json,.csv,.zip"></div>
    <button>Show what would come</button></form>`;
}

/** The account's stored bytes, and the ways to free some. */
async function keptCard({ context, query }: Visit): Promise<Html> {
  const { things, images, log } = await readKeptBytes(query);
  const { accountMegabytes } = context.config;
  return html`<h2>How much there is</h2>
    <div class="card">
    <p>You keep ${megabytes(things + images + log)} MB${accountMegabytes > 0 && ` of ${accountMegabytes} MB`}:
      ${megabytes(things)} MB of habits, todos and categories, ${megabytes(images)} MB of what changes replaced and
      ${megabytes(log)} MB of the list of actions.</p>
    <p class="quiet small">What a change replaced is kept for 30 days, so that it can be taken back; forgetting a deleted thing on
      <a href="/account/actions">Actions</a> makes room at once. The rest is counted each hour.</p></div>`;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

type KeptBytes = Pick<AccountBytesRow, "things" | "images" | "log">;

/** A new account is counted soon after its first change. */
async function readKeptBytes({ own, rows }: Pick<QueryContext, "own" | "rows">): Promise<KeptBytes> {
  const [kept] = await rows(sql<KeptBytes>`
    select things::float8, images::float8, log::float8 from ${own("account_bytes")} b`);
  return kept ?? { things: 0, images: 0, log: 0 };
}
