import type { SeveralEnd, SeveralInput, SeveralItem, SeveralOutput } from "../../shared/contracts/several.ts";
import { isRefused } from "../../shared/errors.ts";
import type { HandlerOf } from "./handler.ts";

/**
 * Makes the handler of several things of that of one. They are done one after the other in one transaction, and one that
 * is refused keeps no other from being done.
 */
export function eachOf<Input, Output>(
  handler: Pick<HandlerOf<Input, Output>, "rows" | "related" | "makes" | "run">,
): HandlerOf<SeveralInput, SeveralOutput> {
  const { rows, related, makes, run } = handler;
  // The front door has checked each item by the contract of the one.
  const inputsOf = (items: readonly SeveralItem[]) =>
    items.flatMap((item) => (isRefused(item) ? [] : [item.input as Input]));
  return {
    slow: true,
    ...(makes && { makes, count: ({ items }) => items.length }),
    rows: ({ items }, acceptedAt) => inputsOf(items).flatMap((input) => rows?.(input, acceptedAt) ?? []),
    related: (loaded, { items }) => ({
      rows: inputsOf(items).flatMap((input) => related?.(loaded, input).rows ?? []),
    }),
    run: (context, { items }) => ({
      ends: items.map((item): SeveralEnd => {
        if (isRefused(item)) return item;
        const result = run(context, item.input as Input);
        return typeof result === "object" && isRefused(result) ? result : { body: result };
      }),
    }),
  };
}
