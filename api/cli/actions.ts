import { parseArgs } from "node:util";
import { listToolCalls } from "../../shared/contracts/tool-call.ts";
import { validate } from "../../shared/contracts/validate.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { isRefused } from "../../shared/errors.ts";
import { loadConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/log.ts";
import { runningDatabase } from "../../shared/process/running-database.ts";
import { type QueryContext, readDaySettings, type Tables } from "../queries/context.ts";
import { type Filters, follow, newest, subjects } from "./follow.ts";
import { actionLine } from "./view.ts";

const usage = `What each token of a user did over MCP.

  npm run actions -- --subject SUB [--token ID] [--tool NAME] [--outcome ok|CODE] [--limit N] [--follow]

SUB is the user's id at the identity provider (the token's sub). In the log:`;

const options = {
  subject: { type: "string" },
  token: { type: "string" },
  tool: { type: "string" },
  outcome: { type: "string" },
  limit: { type: "string" },
  follow: { type: "boolean" },
} as const;

/** The action log in the terminal, the newest calls last, as a log reads; --follow keeps on showing. */
async function main(): Promise<void> {
  const { subject, token: token_id, follow: goOn = false, limit, ...rest } = parseArgs({ options }).values;
  const fields = { ...rest, token_id, limit: limit === undefined ? undefined : Number(limit) };
  const filters = validate(listToolCalls, fields);
  if (isRefused(filters)) throw new Error(filters.refusal.message);
  const config = loadConfig();
  const url = await runningDatabase(config);
  const database = await openDatabase({ url, log: createLog("actions", "warn"), connections: 1 });
  const { defaultTimeZone, baseUrl } = config;
  const db = database.orm.em.getKysely<Tables>();
  if (subject === undefined) {
    console.log([usage, ...(await subjects({ db }))].join("\n  "));
  } else {
    await show({ db, userId: subject, now: Date.now(), defaultTimeZone, baseUrl }, filters.input, goOn);
  }
  await database.close();
}

async function show(query: QueryContext, filters: Filters, goOn: boolean): Promise<void> {
  const { timeZone } = await readDaySettings(query);
  const rows = goOn ? follow(query, filters) : await newest(query, filters);
  for await (const row of rows) console.log(actionLine(row, timeZone));
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
