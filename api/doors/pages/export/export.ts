import { changeSettings } from "../../../../shared/contracts/user/contracts.ts";
import { localTime, timestamp } from "../../../../shared/domain/day/day.ts";
import { perTarget } from "../../../../shared/domain/reminder/channels.ts";
import { invalid } from "../../../../shared/errors.ts";
import { mapGivingWay } from "../../../../shared/process/give-way.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { allRows, type ExportRows, type KindOfThing } from "../../../queries/import/read.ts";
import { allEvents } from "../../../queries/journal/read.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { readWebhooks } from "../../../queries/webhook/read.ts";
import { byteOrderMark, csvLine } from "../kit/csv.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { download } from "../session/download.ts";
import { exportFormat, fileColumns, presentInFile } from "./exported-things.ts";

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

const additions: { [Kind in KindOfThing]: (row: ExportRows[Kind]) => Readonly<Record<string, unknown>> } = {
  categories: () => ({}),
  habits: (row) => ({
    category: row.category_name,
    completions: row.completions_count,
    longest_streak: row.longest_streak,
  }),
  completions: () => ({}),
  amounts: () => ({}),
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
): Readonly<Record<string, unknown>> => ({ ...presentInFile[kind](row), ...additions[kind](row) });

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
  yield* journalLines(query);
  yield "\n]\n}\n";
}

async function* linesOf<Kind extends KindOfThing>(query: QueryContext, kind: Kind): AsyncGenerator<string> {
  let separator = "\n";
  for await (const rows of allRows(query, kind)) {
    const lines = await mapGivingWay(rows, (row) => JSON.stringify(presentInFile[kind](row)));
    yield `${separator}${lines.join(",\n")}`;
    separator = ",\n";
  }
}

async function* journalLines(query: QueryContext): AsyncGenerator<string> {
  let separator = "\n";
  for await (const events of allEvents(query)) {
    const lines = events.map(({ at, ...event }) => JSON.stringify({ ...event, at: timestamp(at) }));
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
