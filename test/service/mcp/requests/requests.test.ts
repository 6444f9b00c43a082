import { expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { useStack } from "../../../harness.ts";
import { settle } from "./world.ts";

type Question = Readonly<{
  /** The words of a person. */
  words: string;
  /** The calls of an agent that sees only the tool list. */
  calls: readonly (readonly [tool: string, args: object])[];
  /** The answers have all of these together, and none of those. */
  tells: readonly RegExp[];
  hides?: readonly RegExp[];
}>;

/** Questions of people, asked by an agent without a model. */
const questions: readonly Question[] = [
  {
    words: "What's on today?",
    calls: [
      ["get-today-habits", {}],
      ["get-pending-todos", { due_by: "2026-11-23" }],
    ],
    tells: [/"Meditate"/, /"Buy milk"/, /"Vacuum".*overdue/],
    hides: [/"Call Grace"/, /"Sort photos"/],
  },
  {
    words: "What's overdue?",
    calls: [["get-pending-todos", { overdue_only: true }]],
    tells: [/^3 of 3/m, /"Pay the electricity bill"/, /"Vacuum"/],
    hides: [/"Buy milk"/, /"Call the bank"/],
  },
  {
    words: "What is due this week?",
    calls: [["get-pending-todos", { due_by: "2026-11-29" }]],
    tells: [/"Dentist appointment": due 2026-11-25/, /"Review Anna’s draft"/],
    hides: [/"Quarterly report"/, /"Sort photos"/],
  },
  {
    words: "Which habits are at risk tonight?",
    calls: [["get-today-habits", {}]],
    tells: [/"Floss".*ends tonight/],
    hides: [/"Meditate".*ends tonight/],
  },
  {
    words: "What did I skip this week?",
    calls: [["get-today-habits", { from: "2026-11-16", to: "2026-11-22" }]],
    tells: [/"Read".*Nov 17 18 20 21/, /"Yoga".*Nov 20/, /"Water plants".*not done then/],
  },
  {
    words: "How is my reading this month, and how was it last month?",
    calls: [["get-today-habits", { query: "read", from: "2026-10-01" }]],
    tells: [/Oct 26 27 28 29 30, Nov 17 18 20 21/],
    hides: [/"Run"/],
  },
  {
    words: "What did I finish yesterday?",
    calls: [["get-pending-todos", { done_since: "2026-11-22" }]],
    tells: [/"Call the bank".*2026-11-22/],
    hides: [/"Buy stamps"/, /"Vacuum"/, /0 of 0/],
  },
  {
    words: "How many todos are in each category?",
    calls: [["get-pending-todos", { count_by_category: true }]],
    tells: [/4 in "Home"/, /4 in "Work"/, /0 in "Health"/, /7 in none/],
  },
  {
    words: "What was my best streak ever?",
    calls: [["get-today-habits", { all: true }]],
    tells: [/streak 6/],
  },
  {
    words: "Is there anything without a date?",
    calls: [["get-pending-todos", { due: "none" }]],
    tells: [/^3 of 3/m, /"Fix the tap"/, /"Sort photos"/, /"Renew the passport"/],
  },
  {
    words: "What can I do at home in a quarter of an hour?",
    calls: [["get-pending-todos", { context: "home" }]],
    tells: [/"Fix the tap": 15 min/],
    hides: [/"Buy milk"/],
  },
  {
    words: "Which reminders are coming?",
    calls: [["get-pending-todos", { has_reminder: true }]],
    tells: [/^1 of 1/m, /"Call Grace".*reminds 2026-11-24T09:00/],
  },
  {
    words: "Did I already call the bank?",
    calls: [["get-pending-todos", { query: "call bank", status: "all" }]],
    tells: [/"Call the bank".*done 2026-11-22/],
  },
  {
    words: "Anything late in Home?",
    calls: [["get-pending-todos", { category: "home", overdue_only: true }]],
    tells: [/^2 of 2/m, /"Vacuum"/],
    hides: [/"Pay the/],
  },
  {
    words: "How often did I meditate each month of this year?",
    calls: [["get-today-habits", { query: "meditate", from: "2026-01-01" }]],
    tells: [/2026-10: 2, 2026-11: 6/],
  },
  {
    words: "May I leave out journaling today without losing the streak?",
    calls: [["get-today-habits", { query: "journal" }]],
    tells: [/"Journal".*grace left 1/],
  },
  {
    words: "What at home has no date?",
    calls: [["get-pending-todos", { due: "none", category: "Home" }]],
    tells: [/^1 of 1/m, /"Fix the tap"/],
  },
  {
    words: "What did I finish at home last week?",
    calls: [["get-pending-todos", { status: "completed", category: "Home", done_since: "2026-11-16" }]],
    tells: [/"Clean the oven"/],
    hides: [/"Call the bank"/],
  },
  {
    words: "Did I buy everything in the shop?",
    calls: [["get-pending-todos", { context: "shop", status: "all" }]],
    tells: [/"Buy milk"/, /"Buy stamps".*done 2026-11-16/],
  },
];

const world = await settle(await useStack({ travels: true }));
/** The calls of each question, and the tokens of their arguments and of the text that answers them. */
const costs: Readonly<{ calls: number; tokens: number }>[] = [];
const tokensOf = (text: string): number => encode(text).length;

test.each(questions.map((question) => [question.words, question] as const))(
  "%s",
  async (_, { calls, tells, hides = [] }) => {
    const answers: string[] = [];
    let tokens = 0;
    for (const [tool, args] of calls) {
      const known = world.tools.get(tool)?.inputSchema.properties ?? {};
      expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(args)));
      const { text, isError } = await world.call(tool, args);
      expect([isError, text]).toEqual([false, text]);
      answers.push(text);
      tokens += tokensOf(JSON.stringify(args)) + tokensOf(text);
    }
    const answer = answers.join("\n");
    for (const words of tells) expect(answer).toMatch(words);
    for (const words of hides) expect(answer).not.toMatch(words);
    costs.push({ calls: calls.length, tokens });
  },
);

test("a question takes few calls and tokens on average", () => {
  const average = (of: "calls" | "tokens") => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  expect(average("calls")).toBeLessThanOrEqual(1.5);
  expect(average("tokens")).toBeLessThanOrEqual(160);
});
