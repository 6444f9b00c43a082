import { expect, test } from "bun:test";
import { type Answer, createHistory } from "../history.ts";
import { checkOrder } from "./order.ts";

type Renamed = Readonly<{ title: string; accepted_at: number; verdict?: "done" | "unknown" }>;

/** The number of renamings of one todo, done in this order, that the check finds out of order. */
function found(renamed: readonly Renamed[]): number {
  const history = createHistory();
  let before = "Made";
  const renamings = renamed.map(({ title, accepted_at, verdict = "done" }) => {
    const after = `Hurried burst ${title}`;
    const action = { kind: "rename todo", todo: 1, title: after } as const;
    const answer: Answer = verdict === "done" ? { verdict, resource: {}, replayed: false } : { verdict };
    history
      .begin({ client: 0, user: 0, action, via: "rest" })
      .attempts.push({ door: 0, from: accepted_at, to: accepted_at + 10, answer });
    const renaming = { todo: 1, before, after, accepted_at };
    before = after;
    return renaming;
  });
  const rest = { inflicted: [], todos: [], habits: [], categories: [], log: [], doubleReplies: 0 };
  return checkOrder({ history, renamings: renamings.toReversed(), ...rest }).length;
}

test("a change that takes effect before one accepted earlier is found, unless nobody was told of it", () => {
  const [first, second, third] = ["a", "b", "c"].map((title, index) => ({ title, accepted_at: index * 10 }));
  if (!first || !second || !third) throw new Error("no changes");
  expect(found([first, second, third])).toBe(0);
  expect(found([second, first, third])).toBe(1);
  expect(found([second, third, { ...first, verdict: "unknown" }])).toBe(0);
});
