import type { Action, Conclusion } from "../history.ts";

/** The rows that one client alone writes to, and so knows what is in them. */
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
 * A write that nobody answered may be carried out at any time: a door that is frozen knows nothing of its
 * caller's patience. What comes after it has no order then, so its row is left alone from here on.
 */
export const isLost = ({ verdict }: Conclusion, { kind }: Action): boolean =>
  verdict === "unanswered" && !kind.startsWith("read");

export function forget(rows: number[], row: number): void {
  const index = rows.indexOf(row);
  if (index >= 0) rows.splice(index, 1);
}
