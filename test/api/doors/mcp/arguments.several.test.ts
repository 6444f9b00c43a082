import { expect, test } from "bun:test";
import { askedTool } from "../../../../api/doors/mcp/tools.ts";
import { isRefused } from "../../../../shared/errors.ts";

test("the check of many costly rules lets other requests go on", async () => {
  const recurrence = "FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29";
  const args = { todos: Array.from({ length: 25 }, () => ({ title: "t", recurrence })) };
  const { target } = askedTool({ name: "create-todo", arguments: args }) ?? {};
  if (!target || isRefused(target)) throw new Error("There is no such tool.");
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await target.understand();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
