import { changeSettings } from "../../../../shared/contracts/user/contracts.ts";
import { own, selectFrom, statement } from "../../../../shared/db/reads/statement.ts";
import { localTime, timestamp } from "../../../../shared/domain/day/day.ts";
import { perTarget } from "../../../../shared/domain/reminder/channels.ts";
import { invalid } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { mapGivingWay } from "../../../../shared/process/give-way.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { allRows, type ExportRows, type KindOfThing } from "../../../queries/import/read.ts";
import { allEvents } from "../../../queries/journal/read.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { readWebhooks } from "../../../queries/webhook/read.ts";
import { copyScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { calendarCard } from "../calendar/feed.ts";
import { byteOrderMark, csvLine } from "../kit/csv.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { download } from "../session/download.ts";
import { accountPage } from "../session/frame.ts";
import { exportFormat, fileColumns, presentInFile, readableFiles } from "./exported-things.ts";

const path = "/account/data/export";

/** The page that begins a download, for a sign-in that must lead to a page. */
export const pageOfExport = (next: string): string =>
  next.replace(`${path}?`, "/account/data?download=yes&").replace(/(?<=\/actions)\/export\?.*/, "");

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
  return html`<h2>Export</h2>
    <div class="card">
    <p>One file with all habits and their days, todos, reminders and categories. Any Kept can read the file again.</p>
    <p><a class="button" href="${path}?format=json">Download everything (JSON)</a></p>
    <p>For a spreadsheet:</p>
    <ul class="plain links">${table("habits", "Habits (CSV)")}${table("completions", "Completions of habits (CSV)")}
    ${table("amounts", "Amounts of habits (CSV)")}
    ${table("todos", "Todos with reminders (CSV)")}${table("categories", "Categories (CSV)")}</ul>
    <p class="quiet small">The history of changes has its own file on <a href="/account/actions">Activity</a>. No file has
      your tokens or the secret of a webhook.</p></div>`;
}

function importCard(visit: Visit): Html {
  return html`<h2>Import</h2>
    <form method="post" action="/account/data/import" enctype="multipart/form-data" class="card">${formToken(visit)}
    <p>From ${readableFiles}. You see a preview first.</p>
    <div class="field"><label for="files">Files, 5 MB together</label>
    <input type="file" id="files" name="files" multiple required accept=".json,.csv,.zip,.ics,.db"></div>
    <button>Preview</button></form>`;
}

/** The account's stored bytes, and the ways to free some. */
async function keptCard({ context, query }: Visit): Promise<Html> {
  const { things, images, log } = await readKeptBytes(query);
  const { accountMegabytes } = context.config;
  return html`<h2>Storage</h2>
    <div class="card">
    <p><strong>${megabytes(things + images + log)}${accountMegabytes > 0 && ` of ${accountMegabytes}`} MB used</strong>:
      ${megabytes(things)} MB of habits, todos and categories, ${megabytes(images)} MB for undo and
      ${megabytes(log)} MB of activity.</p>
    <p class="quiet small">Changes can be undone for 30 days. <em>Forget for good</em> on
      <a href="/account/actions">Activity</a> makes room at once; everything else is counted each hour.</p></div>`;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

const keptBytes = statement({}, () =>
  selectFrom(own("account_bytes").as("b")).select(["b.things", "b.images", "b.log"]),
);

/** A new account is counted soon after its first change. */
async function readKeptBytes({ rows }: Pick<QueryContext, "rows">) {
  const [kept] = await rows(keptBytes({}));
  return kept ?? { things: 0, images: 0, log: 0 };
}

/** Columns for human readers that replace one column of the file for import. */
const inPlaceOf: Readonly<Partial<Record<KindOfThing, Readonly<Record<string, readonly string[]>>>>> = {
  habits: {
    pauses: [],
    skips: [],
    category_id: ["category_id", "category", "completions", "longest_streak"],
  },
  todos: {
    category_id: ["category_id", "category"],
    reminder: ["remind_at", "remind_at_wall_time", "reminder_status"],
  },
};

/** The columns of a kind's table, in order. */
export const columnsOfTable = (kind: KindOfThing): readonly string[] =>
  fileColumns[kind].flatMap((name) => inPlaceOf[kind]?.[name] ?? [name]);

const additions: { [Kind in KindOfThing]?: (row: ExportRows[Kind]) => Readonly<Record<string, unknown>> } = {
  habits: (row) => ({
    category: row.category_name,
    completions: row.completions_count,
    longest_streak: row.longest_streak,
  }),
  todos: (row) => ({
    category: row.category_name,
    remind_at: row.remind_at,
    remind_at_wall_time: row.wall_time,
    reminder_status: row.reminder_status,
  }),
};

export const presentInTable = <Kind extends KindOfThing>(
  kind: Kind,
  row: ExportRows[Kind],
): Readonly<Record<string, unknown>> => ({ ...presentInFile[kind](row), ...additions[kind]?.(row) });

const secrets = Object.entries(perTarget(({ secret }) => secret)).filter(([, isSecret]) => isSecret);
/** A file has what its person chose, without secrets and the state of channels. */
const settingFields = new Set(Object.keys(changeSettings.input.properties)).difference(new Map(secrets));

const kinds: readonly KindOfThing[] = ["categories", "habits", "completions", "amounts", "todos"];

/** GET /account/data/export?format=json, or format=csv&kind=…: a file with everything or with one kind of things. */
export async function exportData(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const { timeZone } = await readDaySettings(query);
  const date = localTime(query.now, timeZone).slice(0, 10);
  const what = "an export of everything";
  if (url.searchParams.get("format") === "json") {
    const name = `kept-${date}.json`;
    return download(visit, { name, type: "application/json", what, texts: exportedJson(query) });
  }
  const kind = kinds.find((one) => one === url.searchParams.get("kind"));
  if (kind && url.searchParams.get("format") === "csv") {
    const name = `kept-${kind}-${date}.csv`;
    return download(visit, { name, type: "text/csv; charset=utf-8", what, texts: csvOf(query, kind) });
  }
  const demand = "The format field must be json, or csv with a kind.";
  return invalid({ format: [demand] });
}

/** Writes one object with a line for each thing, so that a long file stays readable. */
export async function* exportedJson(query: QueryContext): AsyncGenerator<string> {
  const settings = await readSettings(query, {});
  const { data: webhooks } = await readWebhooks(query, {});
  const head = { ...exportFormat, exported_at: new Date(query.now).toISOString() };
  const chosen = Object.fromEntries(Object.entries(settings).filter(([name]) => settingFields.has(name)));
  yield `${JSON.stringify(head).slice(0, -1)},\n"settings":${JSON.stringify(chosen)}`;
  yield `,\n"webhooks":${JSON.stringify(webhooks)}`;
  for (const kind of kinds) {
    yield `,\n"${kind}":[`;
    yield* linesOf(query, kind);
    yield "\n]";
  }
  yield `,\n"journal":[`;
  yield* jsonLines(allEvents(query), ({ at, ...event }) => ({ ...event, at: timestamp(at) }));
  yield "\n]\n}\n";
}

const linesOf = <Kind extends KindOfThing>(query: QueryContext, kind: Kind): AsyncGenerator<string> =>
  jsonLines(allRows(query, kind), presentInFile[kind]);

async function* jsonLines<Row>(steps: AsyncIterable<readonly Row[]>, present: (row: Row) => object) {
  let separator = "\n";
  for await (const rows of steps) {
    const lines = await mapGivingWay(rows, (row) => JSON.stringify(present(row)));
    yield `${separator}${lines.join(",\n")}`;
    separator = ",\n";
  }
}

async function* csvOf<Kind extends KindOfThing>(query: QueryContext, kind: Kind): AsyncGenerator<string> {
  const columns = columnsOfTable(kind);
  yield `${byteOrderMark}${csvLine(columns)}`;
  for await (const rows of allRows(query, kind)) {
    const lines = await mapGivingWay(rows, (row) => {
      const cells = presentInTable(kind, row);
      return csvLine(columns.map((column) => cells[column]));
    });
    yield lines.join("");
  }
}
