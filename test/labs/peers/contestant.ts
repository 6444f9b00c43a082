import type { JsonBody } from "../../harness.ts";
import type { Scenario } from "../bench/scenarios.ts";

export const questions = ["list", "get", "create", "complete"] as const;
export type Question = (typeof questions)[number];

/** A page of open todos, in the words that all contestants share. */
export type Page = Readonly<{ total: number; todos: readonly Todo[] }>;
type Todo = Readonly<Record<"title" | "due_date" | "time_of_day" | "category" | "is_completed", unknown>>;

/** A server, how it is asked, and how its answers read. `complete` is two requests: done, and open again. */
export type Contestant = Readonly<{
  name: string;
  /** The program in `servers/` and its tables; undefined for Kept. */
  server?: Readonly<{ file: string; tables: "plain" | "parse" }>;
  /** The promises of Kept that it does not make. */
  lacks: string;
  asks: Readonly<Partial<Record<Question, Scenario["requests"]>>>;
  readPage(body: JsonBody): Page;
  readTodo(body: JsonBody): Todo;
  /** The token of a user, and its headers; unset: the bearer token that Kept takes. */
  sessionOf?: (user: string) => string;
  headersOf?: (token: string) => Readonly<Record<string, string>>;
}>;

export const pageSize = 15;
/** Complete, and open again. */
export const states = [true, false];

export const todo = (one: JsonBody, category: unknown): Todo => ({
  title: one.title,
  due_date: one.due_date,
  time_of_day: one.time_of_day ?? null,
  category: category ?? null,
  is_completed: one.is_completed ?? false,
});
