/** The answer of a tool: the same facts twice, as lines to read and under the names that REST uses. */
export type ToolResult = Readonly<{ lines: readonly string[]; facts: Readonly<Record<string, unknown>> }>;

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

/** Text in one line, so that what a person wrote cannot pass for a line of ours. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The parts that apply, separated by commas. */
export const joined = (parts: readonly (string | false | null)[]): string =>
  parts.filter((part) => part !== false && part !== null).join(", ");
