import { localTime } from "../../../../../shared/domain/day/day.ts";
import { invalid, isRefused } from "../../../../../shared/errors.ts";
import { mapGivingWay } from "../../../../http/give-way.ts";
import { readDaySettings } from "../../../../queries/engine/context.ts";
import { byteOrderMark, csvLine } from "../../kit/csv.ts";
import type { Visit } from "../../session/context.ts";
import { download } from "../../session/download.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { columns, type ExportedRow, exportedRows } from "./exported-rows.ts";
import { chosenIn, readFilters } from "./filters.ts";

type Format = Readonly<{
  type: string;
  ending: string;
  head: string;
  line(row: ExportedRow): string;
}>;

const formats: ReadonlyMap<string | null, Format> = new Map([
  [
    "csv",
    {
      type: "text/csv; charset=utf-8",
      ending: "csv",
      head: `${byteOrderMark}${csvLine(columns)}`,
      line: (row) => csvLine(columns.map((column) => row[column])),
    },
  ],
  [
    "jsonl",
    { type: "application/jsonl", ending: "jsonl", head: "", line: (row) => `${JSON.stringify(row)}\n` },
  ],
]);

/** GET /account/actions/export?format=…&…: what the filters of the list show, as a file. */
export async function exportActions(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const format = formats.get(url.searchParams.get("format"));
  if (!format)
    return refusalPage(context, invalid({ format: ["The format field must be csv or jsonl."] }).refusal);
  const query = context.query({ userId: session.sub });
  const { timeZone } = await readDaySettings(query);
  const filters = readFilters(chosenIn(url), timeZone);
  if (isRefused(filters)) return refusalPage(context, filters.refusal);
  const rows = exportedRows(query, { filters: filters.input, timeZone });
  const name = `kept-actions-${localTime(query.now, timeZone).slice(0, 10)}.${format.ending}`;
  return download(visit, {
    name,
    type: format.type,
    what: "an export of actions",
    texts: linesOf(rows, format),
  });
}

async function* linesOf(
  steps: AsyncIterable<readonly ExportedRow[]>,
  { head, line }: Format,
): AsyncGenerator<string> {
  if (head !== "") yield head;
  for await (const rows of steps) if (rows.length > 0) yield (await mapGivingWay(rows, line)).join("");
}
