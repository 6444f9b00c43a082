import { localTime } from "../../../../../shared/domain/day/day.ts";
import { mapGivingWay } from "../../../../http/give-way.ts";
import type { ActionFilters } from "../../../../queries/action/filters.ts";
import { namesOf } from "../../../../queries/action/names.ts";
import { readActions } from "../../../../queries/action/read.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { inPatientTurn } from "../../../../queries/engine/patient-turn.ts";
import { describeAction } from "../words/describe.ts";
import type { Telling } from "../words/field-words.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { idsNamedIn } from "../words/named-ids.ts";
import { wordsInText } from "../words/words.ts";

/** The columns of a file, in their order. */
export const columns = [
  "called_at",
  "local_time",
  "what",
  "door",
  "client_name",
  "tool",
  "outcome",
  "message",
  "resource_kind",
  "resource_id",
  "resource_name",
  "before",
  "after",
  "arguments",
  "undone_by",
  "replayed",
  "calls",
  "duration_ms",
  "token_id",
  "request_id",
] as const;

export type ExportedRow = Readonly<Partial<Record<(typeof columns)[number], unknown>>>;

const mostExported = 100_000;
const rowsInStep = 100;

/** The newest actions that the filters leave, step by step along the list's order. */
export async function* exportedRows(
  query: QueryContext,
  { filters, timeZone }: Readonly<{ filters: ActionFilters; timeZone: string }>,
): AsyncGenerator<readonly ExportedRow[]> {
  let [cursor, left]: [string | null | undefined, number] = [filters.cursor, mostExported];
  do {
    const limit = Math.min(rowsInStep, left);
    const { actions, next_cursor, names } = await inPatientTurn(
      query,
      (own) => readNamedActions(own, { ...filters, limit, ...(cursor && { cursor }) }),
      filters.q !== undefined,
    );
    yield await mapGivingWay(actions, (row) => exportedRow(row, { timeZone, names }));
    [cursor, left] = [next_cursor, left - actions.length];
  } while (cursor && left > 0);
  if (cursor) yield [{ what: `Older actions are not in this file, which has the newest ${mostExported}.` }];
}

async function readNamedActions(query: QueryContext, input: Parameters<typeof readActions>[1]) {
  const found = await readActions(query, input);
  return { ...found, names: await namesOf(query, idsNamedIn(found.actions)) };
}

function exportedRow(row: LoggedRow, telling: Telling): ExportedRow {
  const { words, deeds } = describeAction(row, telling);
  // A file may be read years later, so every date has its year.
  const say = (sentence: typeof words) => wordsInText(sentence, "");
  return {
    ...row,
    local_time: localTime(Date.parse(row.called_at), telling.timeZone).replace("T", " "),
    what: [words, ...deeds.map(({ sentence }) => sentence)].map(say).join("; "),
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
