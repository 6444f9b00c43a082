import type { Action, Conclusion } from "../history.ts";

/** Rows that only one client writes to, which therefore knows their content. */
export type OwnRows = {
  todos: number[];
  habits: number[];
  categories: number[];
  hurried?: number | undefined;
};

export const noRows = (): OwnRows => ({ todos: [], habits: [], categories: [] });

/** Clients stop writing to rows beyond these numbers. */
export const most = { todos: 6, habits: 3, categories: 3 };

/**
 * An unanswered write may be carried out at any time, because a frozen door does not know that its caller gave up.
 * Later operations have no order then, so the row is left alone from here on.
 */
export const isLost = ({ verdict }: Conclusion, { kind }: Action): boolean =>
  verdict === "unanswered" && !kind.startsWith("read");

export function forget(rows: number[], row: number): void {
  const index = rows.indexOf(row);
  if (index >= 0) rows.splice(index, 1);
}
