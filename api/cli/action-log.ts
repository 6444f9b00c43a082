import { styleText } from "node:util";
import type { Pool } from "pg";
import type { Static } from "typebox";
import type { LoggedAction, listActions } from "../../shared/contracts/action/contracts.ts";
import { readStored } from "../../shared/domain/action/cut-arguments.ts";
import { describeAction, type Known } from "../doors/pages/action/narrator.ts";
import { localTimeOf, wordsInText } from "../doors/pages/action/words.ts";
import { printable } from "../http/input.ts";
import { findAccountByEmail, normalizeEmail } from "../identity/accounts/accounts.ts";
import { readActions } from "../queries/action/read.ts";
import type { QueryContext, QueryDatabase } from "../queries/engine/context.ts";

export type LogFilters = Static<(typeof listActions)["input"]>;

const pollMs = 1_000;
const pageSize = 200;
const newestLimit = 50;
/** A row has the time at which its call began, and is committed at the call's end, so it can appear this late. */
const maxDelayMs = 60_000;

/** The newest calls that pass the filters, oldest first: so many, or all of them. */
async function readCalls(query: QueryContext, filters: LogFilters, most: number): Promise<LoggedAction[]> {
  const calls: LoggedAction[] = [];
  let cursor: string | null = null;
  do {
    const wanted = { ...filters, limit: Math.min(pageSize, most - calls.length) };
    const page = await readActions(query, { ...wanted, ...(cursor && { cursor }) });
    calls.push(...page.actions);
    cursor = page.next_cursor;
  } while (cursor && calls.length < most);
  return calls.toReversed();
}

export const readNewest = (query: QueryContext, { limit = newestLimit, ...filters }: LogFilters) =>
  readCalls(query, filters, limit);

/** The newest calls, and then each new one soon after its commit, without end. */
export async function* followLog(query: QueryContext, filters: LogFilters): AsyncGenerator<LoggedAction[]> {
  const readRecent = () => {
    const from = new Date(Date.now() - maxDelayMs).toISOString();
    return readCalls(query, { ...filters, from }, Number.POSITIVE_INFINITY);
  };
  const recent = await readRecent();
  const newest = await readNewest(query, filters);
  yield newest;
  let shown = idsOf([...recent, ...newest]);
  for (;;) {
    await Bun.sleep(pollMs);
    const calls = await readRecent();
    yield calls.filter(({ request_id }) => !shown.has(request_id));
    shown = idsOf(calls);
  }
}

const idsOf = (calls: readonly LoggedAction[]) => new Set(calls.map(({ request_id }) => request_id));

const maxArgumentsLength = 160;
const maxSentenceLength = 300;

/** An action on one line: its time in the user's zone, actor, door, tool, outcome, changes, arguments and duration. */
export function callLine(call: LoggedAction, known: Known): string {
  const { outcome, replayed, calls, door } = call;
  const time = localTimeOf(call, known.timeZone).replace("T", " ");
  const caller = door === "page" ? "user" : `${call.client_name ?? "token"} ${call.token_id.slice(0, 8)}`;
  const what = `${printable(caller).padEnd(20)} ${door.padEnd(4)} ${printable(call.tool).padEnd(17)}`;
  const ending = `${outcome}${replayed ? " (repeat)" : ""}${calls > 1 ? ` (${calls} calls)` : ""}`;
  const colouredEnding = styleText(outcome === "ok" ? "green" : "red", ending);
  const duration = styleText("dim", `${Math.round(call.duration_ms)} ms`);
  const words = [changesOf(call, known), argumentsOf(call)].filter((text) => text !== "").join("  ");
  return `${styleText("dim", time)}  ${what} ${colouredEnding}  ${words}  ${duration}`;
}

/** The changes in words, else only the resource; empty for a read. */
function changesOf(call: LoggedAction, known: Known): string {
  const { before, after, resource_kind, resource_id } = call;
  if (before === null && after === null) return resource_kind ? `${resource_kind} ${resource_id}` : "";
  const sentence = wordsInText(describeAction(call, known).sentence, "");
  return sentence.length > maxSentenceLength ? `${sentence.slice(0, maxSentenceLength)}…` : sentence;
}

/** Commands by REST and from pages have no arguments in the log; the line shows their changes. */
function argumentsOf(call: LoggedAction): string {
  if (call.door !== "mcp" && call.arguments === "{}") return "";
  const { args, cut } = readStored(call.arguments);
  const text = cut ? JSON.stringify(args) : call.arguments;
  const shown = text.length > maxArgumentsLength ? `${text.slice(0, maxArgumentsLength)}…` : text;
  return printable(cut ? `${shown} (shortened: ${cut.bytes} bytes were sent)` : shown);
}

const maxSubjects = 50;

/** The user with this e-mail address at the built-in provider; other text is a user's id. */
export async function findSubject(pool: Pool, text: string): Promise<string> {
  const email = normalizeEmail(text);
  const account = email === undefined ? undefined : await findAccountByEmail(pool, email);
  return account?.id ?? text;
}

/**
 * The users with calls in the log: the only read across users, for the owner of the instance. It skips from user to
 * user along the index.
 */
export async function listSubjects({ run }: QueryDatabase): Promise<string[]> {
  const text = `
    with recursive seen as (
      (select user_id from action_log order by user_id limit 1)
      union all
      select next.user_id from seen, lateral (
        select user_id from action_log where user_id > seen.user_id order by user_id limit 1
      ) next
    )
    select seen.user_id, account.email from seen
    left join identity.accounts account on account.id = seen.user_id
    order by seen.user_id limit $1`;
  const rows = await run<{ user_id: string; email: string | null }>("", { text, values: [maxSubjects] });
  return rows.map(({ user_id, email }) => (email === null ? user_id : `${user_id}  ${email}`));
}
