import { type Static, Type } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import {
  CalendarDate,
  Context,
  DueField,
  Flag,
  Name,
  OneOf,
  SearchText,
  WholeNumber,
} from "../kernel/fields.ts";
import { TodoCursor } from "./cursor.ts";

/** The default limit of listed pending todos. */
export const pendingLimit = 25;
const maxPendingLimit = 100;

export const ListedStatus = OneOf(["pending", "completed", "all"]);

/** The arguments of get-pending-todos. */
export const PendingFilters = Type.Object({
  query: Type.Optional(SearchText),
  status: Type.Optional(ListedStatus),
  done_since: Type.Optional(CalendarDate),
  due: Type.Optional(DueField),
  due_by: Type.Optional(CalendarDate),
  overdue_only: Type.Optional(Flag),
  has_reminder: Type.Optional(Flag),
  context: Type.Optional(Context),
  category: Type.Optional(Name),
  count_by_category: Type.Optional(Flag),
  limit: Type.Optional(WholeNumber(1, maxPendingLimit)),
  cursor: Type.Optional(TodoCursor),
});

export type PendingInput = Static<typeof PendingFilters>;

/** The status of the listed todos. A caller who names a day of completion wants completed ones. */
export const listedStatus = ({ status, done_since }: Pick<PendingInput, "status" | "done_since">) =>
  status ?? (done_since === undefined ? "pending" : "completed");

/** Refuses filters that exclude each other, because "none found" would pass for an answer. */
export function checkPending(input: PendingInput): FieldProblems | undefined {
  const { due, overdue_only, due_by, done_since, has_reminder } = input;
  const beside = (["category", "cursor"] as const).find((name) => input[name] !== undefined);
  if (input.count_by_category && beside)
    return {
      [beside]: [{ reason: `${beside} cannot be given beside count_by_category`, next: "leave it out." }],
    };
  if (overdue_only && due !== undefined && due !== "overdue")
    return excludes("due", due, "overdue_only asks for");
  if (due === "none" && due_by !== undefined) return excludes("due", due, "due_by asks for");
  const status = listedStatus(input);
  if (status === "pending" && done_since !== undefined)
    return excludes("status", status, "done_since asks for");
  const isForPending = overdue_only || due === "overdue" || has_reminder;
  if (isForPending && (status === "completed" || done_since !== undefined))
    return excludes(
      done_since === undefined ? "status" : "done_since",
      done_since ?? status,
      "is overdue or has a reminder that will ring",
    );
  return undefined;
}

const excludes = (field: string, value: string, wanted: string): FieldProblems => ({
  [field]: [
    {
      reason: `The ${field} field is ${value}, which excludes everything that ${wanted}`,
      next: "send one of them.",
    },
  ],
});
