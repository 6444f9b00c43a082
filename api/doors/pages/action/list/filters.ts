import { type Static, Type } from "typebox";
import {
  Instant,
  LoggedAction,
  listActions,
  type listTokens,
} from "../../../../../shared/contracts/action/contracts.ts";
import { contracts, type InputOf } from "../../../../../shared/contracts/catalogue.ts";
import { CalendarDate } from "../../../../../shared/contracts/kernel/fields.ts";
import { addDays, localTime, resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import type { ActionKind } from "../../../../../shared/domain/vocabulary.ts";
import { invalid, isRefused, type Refused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { mapGivingWay } from "../../../../../shared/process/give-way.ts";
import { queryFields, validate } from "../../../../http/input.ts";
import { type ActionFilters, isRequestId, readActions } from "../../../../queries/action/read.ts";
import { readNames, resourceRead } from "../../../../queries/action/things.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { tools as agentTools } from "../../../mcp/tools/index.ts";
import { byteOrderMark, csvLine } from "../../kit/csv.ts";
import { type FilterChoice, filterInput, filterSelect, foldedFilters } from "../../kit/lists.ts";
import { sayDay } from "../../kit/words.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { download } from "../../session/download.ts";
import { describeAction, type Known } from "../narrator.ts";
import { actionsPath, type Day, localTimeOf, nameOfCaller, type Word, wordsInText } from "../words.ts";

/** The values of the parameter `show` with their labels; without it, changes and refusals are listed. */
const shown: readonly (readonly [show: string, label: string, kinds: readonly ActionKind[] | undefined])[] = [
  ["changes", "Changes", ["change"]],
  ["refusals", "Refusals", ["refusal"]],
  ["reads", "Only looked at", ["read"]],
  ["all", "Everything", undefined],
];

export type ActionsFilter = Readonly<{
  input: Omit<InputOf<typeof listActions>, "limit">;
  /** True if the list also sums up the reads of each day. */
  foldsReads: boolean;
  /** True if the list shows runs: nothing but days and a token is chosen. */
  showsRuns: boolean;
}>;

/** The parameters of an address with a value, because a form also sends the empty ones. */
export const chosenIn = (url: URL): URLSearchParams =>
  new URLSearchParams([...url.searchParams].filter(([, value]) => value.trim() !== ""));

/** The filters of the query, with the user's days instead of instants. A run has `since` and `until`. */
const { limit: _, ...queryFilters } = listActions.input.properties;
const Filters = Type.Object({
  ...queryFilters,
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  since: Type.Optional(Instant),
  until: Type.Optional(Instant),
});

/** The filters of an address: those of the query, `show`, and the user's days `from` and `to`, both inclusive. */
export function readFilters(chosen: URLSearchParams, timeZone: string): ActionsFilter | Refused {
  const validated = validate({ input: Filters }, queryFields(Filters, chosen));
  if (isRefused(validated)) return validated;
  const { from, to, since, until, ...fields } = validated.input;
  const show = shown.find(([name]) => name === chosen.get("show"));
  const namesRequest = fields.q !== undefined && isRequestId(fields.q);
  const isUsual = !show && fields.tool === undefined && !namesRequest;
  const kinds: readonly ActionKind[] | undefined = isUsual ? ["change", "refusal"] : show?.[2];
  const input = {
    ...fields,
    ...(from && { from: beginningOf(within(from), timeZone) }),
    ...(to && { to: beginningOf(addDays(within(to), 1), timeZone) }),
    ...(since && { from: since }),
    ...(until && { to: until }),
    ...(kinds && { kinds: [...kinds] }),
  };
  const { q, thing, effect, door } = fields;
  const showsRuns = isUsual && [q, thing, effect, door, since].every((value) => value === undefined);
  return { input, foldsReads: isUsual, showsRuns };
}

/** The log has nothing outside these dates, and PostgreSQL cannot write distant instants. */
const [firstDate, lastDate] = ["2000-01-01", "9000-01-01"];
const within = (date: string): string => (date < firstDate ? firstDate : date > lastDate ? lastDate : date);

const beginningOf = (date: string, timeZone: string): string =>
  new Date(resolveLocalTime(`${date}T00:00`, timeZone)).toISOString();

/** The outcomes of calls as people read them. */
export const outcomes: readonly FilterChoice[] = [
  ["ok", "Done"],
  ["insufficient_scope", "Not permitted"],
  ["invalid", "Wrong arguments"],
  ["not_found", "Not found"],
  ["conflict", "Not possible at that moment"],
  ["quota", "No room"],
  ["waiting", "Asked first"],
  ["token_limit", "Beyond its rules"],
  ["rate_limited", "Too many calls"],
  ["overloaded", "Service was away"],
  ["internal", "Failed"],
];

const doors: readonly FilterChoice[] = [
  ["mcp", "Agents (MCP)"],
  ["rest", "Scripts (REST)"],
  ["page", "Pages"],
];

/** Choices of tools, and of commands by scripts and pages. */
const tools: readonly FilterChoice[] = [
  ...agentTools.map(({ name }): FilterChoice => [name, name]),
  [resourceRead, "a resource"],
  ...contracts.flatMap(({ kind, name, rest }): FilterChoice[] =>
    kind === "command" && (rest || name === "action.undo") ? [[name, name]] : [],
  ),
];

/** The form that filters the list: one line that searches, with the other filters folded in it. */
export function filterForm(
  chosen: URLSearchParams,
  all: Static<typeof listTokens.output>["tokens"],
  { timeZone, today }: Day,
): Html {
  // Actions without a token were done on the pages; the filter by door lists them.
  const tokens = all.flatMap(({ last_called_at: at, ...token }): FilterChoice[] =>
    token.token_id === ""
      ? []
      : [[token.token_id, `${nameOfCaller(token)} (last: ${sayDay(at, timeZone, today)})`]],
  );
  const kinds = shown.map(([show, label]): FilterChoice => [show, label]);
  const thing = chosen.get("thing");
  return foldedFilters(actionsPath, chosen, [
    thing === null ? html`` : html`<input type="hidden" name="thing" value="${thing}">`,
    filterSelect({ name: "show", label: "Show" }, kinds, chosen, "Changes and refusals"),
    filterSelect({ name: "token_id", label: "Token or app" }, tokens, chosen),
    filterInput("date", { name: "from", label: "From" }, chosen),
    filterInput("date", { name: "to", label: "To" }, chosen),
    filterSelect({ name: "tool", label: "Tool" }, tools, chosen),
    filterSelect({ name: "door", label: "Way" }, doors, chosen),
    filterSelect({ name: "outcome", label: "Outcome" }, outcomes, chosen),
  ]);
}

const columns = [...new Set(["called_at", "local_time", "what", ...Object.keys(LoggedAction.properties)])];

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
