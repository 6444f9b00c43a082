import { parseArgs } from "node:util";
import { listActions } from "../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../shared/errors.ts";
import { toRun } from "../../shared/process/to-run.ts";
import { validate } from "../http/input.ts";
import { readNames } from "../queries/action/things.ts";
import {
  createQueryContext,
  openQueryDatabase,
  type QueryContext,
  readDaySettings,
} from "../queries/engine/context.ts";
import { callLine, findSubject, followLog, type LogFilters, listSubjects, readNewest } from "./action-log.ts";
import { runCommand, withRunningDatabase } from "./running.ts";

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
  await withRunningDatabase("actions", async (database, { defaultTimeZone, baseUrl }) => {
    const db = openQueryDatabase(database);
    if (subject === undefined) return console.log([usage, ...(await listSubjects(db))].join("\n  "));
    const userId = await findSubject(database.pool, subject);
    const query = createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
    await printLog(query, validated.input, follow);
  });
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

await runCommand(main);
