import { hideCategories } from "../../shared/contracts/category/name.ts";
import type { ManyEnd, ManyInput, ManyOutput } from "../../shared/contracts/kernel/many.ts";
import { isRefused, type Refused } from "../../shared/errors.ts";
import type { HandlerOf } from "./handler.ts";

/**
 * Makes the handler for several things from that for one. They run in order in one transaction, and a refused one
 * does not stop the others. If none succeeds, the call gets the first refusal.
 */
export function eachOf<Input, Output>(
  handler: Pick<HandlerOf<Input, Output>, "rows" | "related" | "makes" | "stores" | "run">,
): HandlerOf<ManyInput, ManyOutput> {
  const { rows, related, makes, stores, run } = handler;
  // The front door has checked each input by the contract of the one.
  const inputOf = (input: object, shared?: object) => ({ ...shared, ...input }) as Input;
  const inputsOf = ({ items, shared }: ManyInput) =>
    items.flatMap((item) => (isRefused(item) ? [] : [inputOf(item.input, shared)]));
  return {
    ...(stores && { stores }),
    ...(makes && { makes, count: ({ items }) => items.length }),
    rows: (many, acceptedAt) => inputsOf(many).flatMap((input) => rows?.(input, acceptedAt) ?? []),
    related(loaded, many) {
      const all = inputsOf(many).map((input) => related?.(loaded, input));
      return {
        rows: all.flatMap((one) => one?.rows ?? []),
        makes: all.flatMap((one) => one?.makes ?? []),
      };
    },
    run(context, { items, shared }) {
      const ends = items.map((item): ManyEnd => {
        if (isRefused(item)) return item;
        const result = run(context, inputOf(item.input, shared));
        return typeof result === "object" && isRefused(result) ? result : { body: result };
      });
      const refusals = ends.filter((end) => isRefused(end));
      const [first] = refusals;
      return first && refusals.length === ends.length ? first : { ends: withOneList(ends) };
    },
  };
}

/** The list of categories can be long, so only the first refusal has it. */
function withOneList(ends: readonly ManyEnd[]): ManyEnd[] {
  const first = ends.findIndex(listsCategories);
  return ends.map((end, index) => (index > first && listsCategories(end) ? hideCategories(end, []) : end));
}

const listsCategories = (end: ManyEnd): end is Refused =>
  isRefused(end) && end.refusal.listsCategories === true;
