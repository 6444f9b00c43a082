/** Groups of REST operations in documents and clients, by the first part of the path. */
export const tags = {
  me: { name: "Me", description: "The user's day, and what this token may do" },
  dashboard: { name: "Dashboard", description: "One look at today" },
  habits: {
    name: "Habits",
    description:
      "What recurs, with streaks that survive some missed days. A bad habit is completed by having avoided it.",
  },
  todos: { name: "Todos", description: "What is done once, or again by a rule, and the reminders for it" },
  "quick-add": { name: "Quick add", description: "Todos and habits in words" },
  changes: {
    name: "Changes",
    description: "What was written or deleted since the last question, for clients that keep a copy",
  },
  categories: { name: "Categories", description: "Themes of habits and todos" },
  approvals: { name: "Approvals", description: "Requests that wait for the person's approval" },
  webhooks: { name: "Webhooks", description: "Changes that Kept posts to an address" },
  batch: { name: "Batch", description: "Many changes by one request" },
} as const;

type TagKey = keyof typeof tags;

/** A path below /api/v1. A new first part does not compile without its tag. */
export type RoutePath = `/${TagKey}` | `/${TagKey}/${string}`;
