/** The answer of a tool: the same facts twice, as lines to read and under the names that REST uses. */
export type ToolResult = Readonly<{
  lines: readonly string[];
  facts: Readonly<Record<string, unknown>>;
  /** True if it mentions a reminder that would reach nobody. */
  reachesNobody?: boolean;
}>;

/**
 * Leaves out null and false, which agents assume of a fact that is not there: this saves them tokens. It is a plain
 * loop, because lists of entries took nine times as long.
 */
export function lean(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in facts) {
    const value = facts[name];
    if (value !== null && value !== false) stated[name] = value;
  }
  return stated;
}

/** A stored text on one line and in quotation marks, so that it cannot pass for words of ours. */
export const quoteStored = (text: string): string => JSON.stringify(text.replace(/\s+/g, " ").trim());

/** A line of its own, because a description can be long. */
export const descriptionLine = (description: string | null): string =>
  description === null ? "" : `\n  description: ${quoteStored(description)}`;

/** The parts that apply, separated by commas. */
export const joined = (parts: readonly (string | false | null)[]): string =>
  parts.filter((part) => part !== false && part !== null).join(", ");
