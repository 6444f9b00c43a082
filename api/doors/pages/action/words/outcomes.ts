/** The outcomes of tool calls as people read them. */
const words = new Map(
  Object.entries({
    ok: "Done",
    insufficient_scope: "Not permitted",
    invalid: "Wrong arguments",
    not_found: "Not found",
    conflict: "Not possible then",
    quota: "No room",
    rate_limited: "Too many calls",
    overloaded: "Service was away",
    internal: "Failed",
  }),
);

/** The outcomes that the list can be filtered by. */
export const outcomes: readonly (readonly [code: string, words: string])[] = [...words];

export const sayOutcome = (code: string): string => words.get(code) ?? code;
