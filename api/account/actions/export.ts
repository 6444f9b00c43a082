import { localTime } from "../../../shared/domain/day.ts";
import { invalid, isRefused } from "../../../shared/errors.ts";
import { mapGivingWay } from "../../http/give-way.ts";
import { readDaySettings } from "../../queries/context.ts";
import type { Visit } from "../visit/context.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { byteOrderMark, csvLine } from "./csv.ts";
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
  return new Response(streamOf(linesOf(rows, format), visit), {
    headers: {
      "Content-Type": format.type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

async function* linesOf(
  steps: AsyncIterable<readonly ExportedRow[]>,
  { head, line }: Format,
): AsyncGenerator<string> {
  if (head !== "") yield head;
  for await (const rows of steps) if (rows.length > 0) yield (await mapGivingWay(rows, line)).join("");
}

/** Each step is read when the one before has been taken. A file that breaks off does not end like a whole one. */
function streamOf(texts: AsyncGenerator<string>, { context }: Visit): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        context.log.warn({ reason: String(error) }, "an export of actions broke off");
        controller.error(error);
      }
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
