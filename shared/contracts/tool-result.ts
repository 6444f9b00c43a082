import type { Static, TSchema } from "typebox";

/** The same facts twice: as lines to read, and under the names that REST uses. */
export type Presented = Readonly<{ lines: readonly string[]; facts: Readonly<Record<string, unknown>> }>;

/** What one tool answers with. */
export type Presenter<Result = never, Input = never> = Readonly<{
  /** JSON Schema of the facts, without day and zone, which every answer has. */
  facts: Readonly<Record<string, object>>;
  present(result: Result, input: Input): Presented;
}>;

/** Declares a presenter with the types of its contract. */
export function presenter<C extends { input: TSchema; output: TSchema }>(
  definition: Presenter<Static<C["output"]>, Static<C["input"]>>,
): Presenter {
  return definition;
}

/** Without what says nothing: null and false are what an agent assumes of a fact that is not there. */
export function lean(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const telling = Object.entries(facts).filter(([, value]) => value !== null && value !== false);
  return Object.fromEntries(telling);
}

/** One line of text: nothing that a person wrote can pass for a line of ours. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

export const list = (parts: readonly (string | false | null)[]): string =>
  parts.filter((part) => part !== false && part !== null).join(", ");
