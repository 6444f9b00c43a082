import { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { invalid, isRefused } from "../../../../../shared/errors.ts";
import { mapGivingWay } from "../../../../../shared/process/give-way.ts";
import { type ActionFilters, readActions } from "../../../../queries/action/read.ts";
import { readNames } from "../../../../queries/action/things.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { byteOrderMark, csvLine } from "../../kit/csv.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { download } from "../../session/download.ts";
import { describeAction, type Known } from "../narrator.ts";
import { localTimeOf, type Word, wordsInText } from "../words.ts";
import { chosenIn, readFilters } from "./filters.ts";

const { called_at: _, ...others } = LoggedAction.properties;
const columns = ["called_at", "local_time", "what", ...Object.keys(others)];

type ExportedRow = Readonly<Record<string, unknown>>;
type Format = keyof typeof types;

const types = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl" } as const;

/** GET /account/actions/export?format=…&…: what the filters of the list show, as a file. */
export async function exportActions(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const format = url.searchParams.get("format");
  if (format !== "csv" && format !== "jsonl")
    return invalid({ format: ["The format field must be csv or jsonl."] });
  const { timeZone } = await readDaySettings(query);
  const filters = readFilters(chosenIn(url), timeZone);
  if (isRefused(filters)) return filters;
  const rows = exportedRows(query, { filters: filters.input, timeZone });
  return download(visit, {
    name: `kept-actions-${localTime(query.now, timeZone).slice(0, 10)}.${format}`,
    type: types[format],
    what: "an export of actions",
    texts: linesOf(rows, format),
  });
}

async function* linesOf(steps: AsyncIterable<readonly ExportedRow[]>, format: Format) {
  const isCsv = format === "csv";
  if (isCsv) yield `${byteOrderMark}${csvLine(columns)}`;
  const line = (row: ExportedRow) =>
    isCsv ? csvLine(columns.map((column) => row[column])) : `${JSON.stringify(row)}\n`;
  for await (const rows of steps) if (rows.length > 0) yield (await mapGivingWay(rows, line)).join("");
}

const mostExported = 100_000;
const rowsInStep = 100;

/** The newest actions that the filters leave, step by step along the list's order. */
export async function* exportedRows(
  query: QueryContext,
  { filters, timeZone }: Readonly<{ filters: ActionFilters; timeZone: string }>,
): AsyncGenerator<readonly ExportedRow[]> {
  let [cursor, left]: [string | null | undefined, number] = [filters.cursor, mostExported];
  do {
    const input = { ...filters, limit: Math.min(rowsInStep, left), ...(cursor && { cursor }) };
    const { actions, next_cursor, names } = await query.stepInTurn(async (own) => {
      const found = await readActions(own, input);
      return { ...found, names: await readNames(own, found.actions) };
    }, filters.q !== undefined);
    yield await mapGivingWay(actions, (row) => exportedRow(row, { timeZone, names }));
    [cursor, left] = [next_cursor, left - actions.length];
  } while (cursor && left > 0);
  if (cursor) yield [{ what: `Older actions are not in this file, which has the newest ${mostExported}.` }];
}

function exportedRow(row: LoggedAction, known: Known): ExportedRow {
  const { sentence, changes } = describeAction(row, known);
  // A file may be read years later, so every date has its year.
  const inText = (words: readonly Word[]) => wordsInText(words, "");
  return {
    ...row,
    local_time: localTimeOf(row, known.timeZone).replace("T", " "),
    what: [sentence, ...changes].map(inText).join("; "),
    before: parsed(row.before),
    after: parsed(row.after),
    arguments: parsed(row.arguments),
  };
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return json;
  }
}
