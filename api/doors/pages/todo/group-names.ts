import type { DueGroup } from "../../../queries/todo/due-groups.ts";

export const groupNames: Readonly<Record<DueGroup, string>> = {
  overdue: "Overdue",
  today: "Today",
  tomorrow: "Tomorrow",
  week: "This week",
  later: "Later",
  undated: "No date",
};
