import type { ActionEnd, ActionInput } from "../../shared/contracts/group/contracts.ts";
import { isRefused } from "../../shared/errors.ts";
import type { AnyHandler, Handler, HandlerContext } from "./handler.ts";

/** Workers split a client's batch before any handler runs, so only a fault in Kept's code leads here. */
export const groupRun: Handler<"batch.run"> = {
  run() {
    throw new Error("A group has no handler of its own.");
  },
};

/**
 * Runs the changes of one action in order. A refused one does not stop the others. If none succeeds, the action gets
 * the first refusal.
 */
export function groupRunAsOne(
  handlers: () => Readonly<Record<string, AnyHandler>>,
): Handler<"batch.run-as-one"> {
  const handlerOf = (name: string): AnyHandler => {
    const handler = handlers()[name];
    if (!handler) throw new Error(`No handler has the name ${name}.`);
    return handler;
  };
  const changesIn = ({ operations }: ActionInput) =>
    operations.flatMap((one) => (isRefused(one) ? [] : [{ ...handlerOf(one.name), input: one.input }]));
  return {
    rows: (action, acceptedAt) =>
      changesIn(action).flatMap(({ rows, input }) => rows?.(input, acceptedAt) ?? []),
    related(loaded, action) {
      const changes = changesIn(action);
      const demands = changes.map(({ related, input }) => related?.(loaded, input));
      return {
        rows: demands.flatMap((demand) => demand?.rows ?? []),
        makes: [...changes, ...demands].flatMap((one) => one?.makes ?? []),
      };
    },
    run(context, { operations }) {
      const ends = operations.map((one) =>
        isRefused(one) ? one : endOf(context, handlerOf(one.name), one.input),
      );
      const refused = ends.find((end) => isRefused(end));
      return refused && ends.every((end) => isRefused(end)) ? refused : { ends };
    },
  };
}

function endOf(context: HandlerContext, { stores, run }: AnyHandler, input: object): ActionEnd {
  const result = (stores && context.refuseFull(stores)) ?? run(context, input);
  return isRefused(result) ? result : { body: result };
}
