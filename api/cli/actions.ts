import { parseArgs } from "node:util";
import type { Static } from "typebox";
import { type LoggedAction, listActions } from "../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../shared/errors.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import { toRun } from "../../shared/process/to-run.ts";
import { validate } from "../http/input/validate.ts";
import { readActions } from "../queries/action/read.ts";
import { readNames } from "../queries/action/things.ts";
import {
  createQueryContext,
  openQueryDatabase,
  type QueryContext,
  readDaySettings,
} from "../queries/engine/context.ts";
import { callLine } from "./call-line.ts";
import { openRunningDatabase } from "./running.ts";
import { findSubject, listSubjects } from "./subjects.ts";

type LogFilters = Static<(typeof listActions)["input"]>;
type LoggedCall = Static<typeof LoggedAction>;

const pollMs = 1_000;
const pageSize = 200;
const newestLimit = 50;
/** A row has the time at which its call began, and is committed at the call's end, so it can appear this late. */
const maxDelayMs = 60_000;

/** The newest calls that pass the filters, oldest first. */
async function readNewest(query: QueryContext, filters: LogFilters): Promise<LoggedCall[]> {
  const { limit = newestLimit } = filters;
  const calls: LoggedCall[] = [];
  let cursor: string | null = null;
  do {
    const wanted = { ...filters, limit: limit - calls.length };
    const page = await readActions(query, { ...wanted, ...(cursor && { cursor }) });
    calls.push(...page.actions);
    cursor = page.next_cursor;
  } while (cursor && calls.length < limit);
  return calls.toReversed();
}

/** The newest calls, and then each new one soon after its commit, without end. */
async function* followLog(query: QueryContext, filters: LogFilters): AsyncGenerator<LoggedCall[]> {
  const readRecent = () =>
    readAll(query, { ...filters, from: new Date(Date.now() - maxDelayMs).toISOString() });
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

const idsOf = (calls: readonly LoggedCall[]) => new Set(calls.map(({ request_id }) => request_id));

/** All pages, oldest call first. */
async function readAll(query: QueryContext, filters: LogFilters): Promise<LoggedCall[]> {
  const calls: LoggedCall[] = [];
  let cursor: string | null = null;
  do {
    const page = await readActions(query, { ...filters, limit: pageSize, ...(cursor && { cursor }) });
    calls.unshift(...page.actions.toReversed());
    cursor = page.next_cursor;
  } while (cursor);
  return calls;
}

const usage = `What each token of a user did over MCP and REST, and the user on the account pages.

  ${toRun("actions")} --subject WHO [--token ID] [--door mcp|rest|page] [--tool NAME] [--outcome ok|CODE]
                              [--search TEXT] [--limit N] [--follow]

WHO is an e-mail address at the built-in identity provider, or a user's id (the token's sub). In the log:`;

const options = {
  subject: { type: "string" },
  token: { type: "string" },
  door: { type: "string" },
  tool: { type: "string" },
  outcome: { type: "string" },
  search: { type: "string" },
  limit: { type: "string" },
  follow: { type: "boolean" },
} as const;

/** Prints the action log, newest calls last; --follow then prints new calls. */
async function main(): Promise<void> {
  const {
    subject,
    token: token_id,
    search: q,
    follow = false,
    limit,
    ...rest
  } = parseArgs({ options }).values;
  const fields = { ...rest, q, token_id, limit: limit === undefined ? undefined : Number(limit) };
  const validated = validate(listActions, fields);
  if (isRefused(validated)) throw new Error(validated.refusal.message);
  const config = loadCommonConfig();
  const { defaultTimeZone, baseUrl } = config;
  const database = await openRunningDatabase(config, "actions");
  const db = openQueryDatabase(database);
  if (subject === undefined) {
    console.log([usage, ...(await listSubjects(db))].join("\n  "));
  } else {
    const userId = await findSubject(database.pool, subject);
    const query = createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
    await printLog(query, validated.input, follow);
  }
  await database.close();
}

async function printLog(query: QueryContext, filters: LogFilters, follow: boolean): Promise<void> {
  const { timeZone } = await readDaySettings(query);
  const steps = follow ? followLog(query, filters) : [await readNewest(query, filters)];
  for await (const calls of steps) {
    if (calls.length === 0) continue;
    const names = await readNames(query, calls);
    for (const call of calls) console.log(callLine(call, { timeZone, names }));
  }
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
