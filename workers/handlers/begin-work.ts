import type { CommandName } from "../../shared/contracts/catalogue.ts";
import type { HandlerContext } from "./handler.ts";

/**
 * Begins long work with the steps of the handler of `name`.
 * @returns its id
 */
export function beginWork({ works, now }: HandlerContext, name: CommandName, input: object): string {
  const id = Bun.randomUUIDv7();
  works.push({
    ...{ id, name, input: JSON.stringify(input), cursor: null, done: 0, tries: 0, total: 0 },
    ...{ outcome: null, created_at: now, ended_at: null },
  });
  return id;
}
