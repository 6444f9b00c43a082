import type { Visit } from "../../session/context.ts";

/** The parameter of an address with the states of what was decided last, such as `done-2_outdated-1`. */
export const decidedParameter = "decided";

const inWords: Readonly<Record<string, string>> = {
  done: "approved and carried out",
  approved: "approved, and being carried out",
  declined: "declined",
  outdated: "approved, but left alone, because it was changed meanwhile",
  expired: "expired before you decided",
};

/** The sentence about what was decided last; undefined without any. */
export function decidedInWords({ url }: Pick<Visit, "url">): string | undefined {
  const parts = (url.searchParams.get(decidedParameter) ?? "").split("_").flatMap((part) => {
    const [, state = "", count = ""] = /^([a-z]+)-(\d{1,3})$/.exec(part) ?? [];
    const words = inWords[state];
    return words === undefined ? [] : [`${count} ${words}`];
  });
  return parts.length === 0 ? undefined : `${parts.join("; ")}.`;
}
