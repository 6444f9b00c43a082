import { expect, test } from "bun:test";
import { startApi } from "../../../api/start.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { callRest, freePort, startStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";

test("a network is news at its first use, and not again after a door started anew", async () => {
  const log = createLog("test", "info");
  const told: unknown[] = [];
  const info = (line: Readonly<{ kind?: string; network?: string }>) =>
    line.kind === "token_elsewhere" && told.push(line.kind);
  const { config, issuer, sub, rest, sql } = await startStack({ log: Object.assign(log, { info }) });
  const uses = async () => {
    const [row] = await sql`select times::int from journal_counts where kind = 'token_elsewhere'`;
    return row?.times;
  };
  const token = await issuer.token({ sub });
  await rest("GET", "/todos", { token });
  await eventually(async () => (await uses()) === 1);
  const port = freePort();
  const again = { ...config, port, baseUrl: `http://127.0.0.1:${port}` };
  const door = await startApi({ config: again, log });
  await callRest(again, "GET", "/todos", { token });
  await eventually(async () => (await uses()) === 2);
  await door.stop();
  expect(told).toEqual(["token_elsewhere"]);
});
