import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { type Cost, carryOut, type Request, said } from "./request.ts";
import { settle } from "./world.ts";

/** Questions of people, asked by an agent without a model. */
const questions: readonly Request[] = [
  said("What's on today?", "get-today-habits", {})
    .andThen("get-pending-todos", { due_by: "2026-11-23" })
    .tells(/"Meditate"/, /"Buy milk"/, /"Vacuum".*overdue/)
    .hides(/"Call Grace"/, /"Sort photos"/),
  said("What's overdue?", "get-pending-todos", { overdue_only: true })
    .tells(/^3 of 3/m, /"Pay the electricity bill"/, /"Vacuum"/)
    .hides(/"Buy milk"/, /"Call the bank"/),
  said("What is due this week?", "get-pending-todos", { due_by: "2026-11-29" })
    .tells(/"Dentist appointment": due 2026-11-25/, /"Review Anna’s draft"/)
    .hides(/"Quarterly report"/, /"Sort photos"/),
  said("Which habits are at risk tonight?", "get-today-habits", {})
    .tells(/"Floss".*ends tonight/)
    .hides(/"Meditate".*ends tonight/),
  said("What did I skip this week?", "get-today-habits", { from: "2026-11-16", to: "2026-11-22" }).tells(
    /"Read".*Nov 17 18 20 21/,
    /"Yoga".*Nov 20/,
    /"Water plants".*not done then/,
  ),
  said("How is my reading this month, and how was it last month?", "get-today-habits", {
    query: "read",
    from: "2026-10-01",
  })
    .tells(/Oct 26 27 28 29 30, Nov 17 18 20 21/)
    .hides(/"Run"/),
  said("What did I finish yesterday?", "get-pending-todos", { done_since: "2026-11-22" })
    .tells(/"Call the bank".*2026-11-22/)
    .hides(/"Buy stamps"/, /"Vacuum"/, /0 of 0/),
  said("How many todos are in each category?", "get-pending-todos", { count_by_category: true }).tells(
    /4 in "Home"/,
    /4 in "Work"/,
    /0 in "Health"/,
    /7 in none/,
  ),
  said("What was my best streak ever?", "get-today-habits", { all: true }).tells(/streak 6/),
  said("Is there anything without a date?", "get-pending-todos", { due: "none" }).tells(
    /^3 of 3/m,
    /"Fix the tap"/,
    /"Sort photos"/,
    /"Renew the passport"/,
  ),
  said("What can I do at home in a quarter of an hour?", "get-pending-todos", { context: "home" })
    .tells(/"Fix the tap": 15 min/)
    .hides(/"Buy milk"/),
  said("Which reminders are coming?", "get-pending-todos", { has_reminder: true }).tells(
    /^1 of 1/m,
    /"Call Grace".*reminds 2026-11-24T09:00/,
  ),
  said("Did I already call the bank?", "get-pending-todos", { query: "call bank", status: "all" }).tells(
    /"Call the bank".*done 2026-11-22/,
  ),
  said("Anything late in Home?", "get-pending-todos", { category: "home", overdue_only: true })
    .tells(/^2 of 2/m, /"Vacuum"/)
    .hides(/"Pay the/),
  said("How often did I meditate each month of this year?", "get-today-habits", {
    query: "meditate",
    from: "2026-01-01",
  }).tells(/2026-10: 2, 2026-11: 6/),
  said("May I leave out journaling today without losing the streak?", "get-today-habits", {
    query: "journal",
  }).tells(/"Journal".*grace left 1/),
  said("What at home has no date?", "get-pending-todos", { due: "none", category: "Home" }).tells(
    /^1 of 1/m,
    /"Fix the tap"/,
  ),
  said("What did I finish at home last week?", "get-pending-todos", {
    status: "completed",
    category: "Home",
    done_since: "2026-11-16",
  })
    .tells(/"Clean the oven"/)
    .hides(/"Call the bank"/),
  said("Did I buy everything in the shop?", "get-pending-todos", { context: "shop", status: "all" }).tells(
    /"Buy milk"/,
    /"Buy stamps".*done 2026-11-16/,
  ),
];

const world = await settle(await useStack({ travels: true }));
const costs: Cost[] = [];

test.each(questions.map((request) => [request.words, request] as const))("%s", async (_, request) => {
  costs.push(await carryOut(world, request));
});

test("a question takes few calls and tokens on average", () => {
  const average = (of: keyof Cost) => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  expect(average("calls")).toBeLessThanOrEqual(1.5);
  expect(average("tokens")).toBeLessThanOrEqual(160);
});
