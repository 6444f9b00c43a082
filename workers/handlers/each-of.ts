import { hideCategories } from "../../shared/contracts/category/name.ts";
import type { SeveralEnd, SeveralInput, SeveralOutput } from "../../shared/contracts/todo/several.ts";
import { isRefused, type Refused } from "../../shared/errors.ts";
import type { HandlerOf } from "./handler.ts";

/**
 * Makes the handler of several things of that of one. They are done one after the other in one transaction, and one that
 * is refused keeps no other from being done. When none is done, the whole call is refused as the first is.
 */
export function eachOf<Input, Output>(
  handler: Pick<HandlerOf<Input, Output>, "rows" | "related" | "makes" | "run">,
): HandlerOf<SeveralInput, SeveralOutput> {
  const { rows, related, makes, run } = handler;
  // The front door has checked each input by the contract of the one.
  const inputOf = (input: object, alike?: object) => ({ ...alike, ...input }) as Input;
  const inputsOf = ({ items, alike }: SeveralInput) =>
    items.flatMap((item) => (isRefused(item) ? [] : [inputOf(item.input, alike)]));
  return {
    stores: "more",
    ...(makes && { makes, count: ({ items }) => items.length }),
    rows: (several, acceptedAt) => inputsOf(several).flatMap((input) => rows?.(input, acceptedAt) ?? []),
    related: (loaded, several) => ({
      rows: inputsOf(several).flatMap((input) => related?.(loaded, input).rows ?? []),
    }),
    run(context, { items, alike }) {
      const ends = items.map((item): SeveralEnd => {
        if (isRefused(item)) return item;
        const result = run(context, inputOf(item.input, alike));
        return typeof result === "object" && isRefused(result) ? result : { body: result };
      });
      const refusals = ends.filter((end) => isRefused(end));
      const [first] = refusals;
      return first && refusals.length === ends.length ? first : { ends: withOneList(ends) };
    },
  };
}

/** The list of the categories can be long, so only the first refusal that tells it does. */
function withOneList(ends: readonly SeveralEnd[]): SeveralEnd[] {
  const first = ends.findIndex(listsCategories);
  return ends.map((end, index) => (index > first && listsCategories(end) ? hideCategories(end, []) : end));
}

const listsCategories = (end: SeveralEnd): end is Refused =>
  isRefused(end) && end.refusal.listsCategories === true;
