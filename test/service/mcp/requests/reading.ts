import type { Request } from "./request.ts";

/** Numbers 1 to 16 of the sixty requests: questions. */
export const reading: readonly Request[] = [
  {
    said: "What's on today?",
    calls: [
      ["get-today-habits", {}],
      ["get-pending-todos", { due_by: "2026-11-23" }],
    ],
    tells: [/"Meditate"/, /"Buy milk"/, /"Vacuum".*overdue/],
    hides: [/"Call Grace"/, /"Sort photos"/],
  },
  {
    said: "What's overdue?",
    calls: [["get-pending-todos", { overdue_only: true }]],
    tells: [/^3 of 3/m, /"Pay the electricity bill"/, /"Vacuum"/],
    hides: [/"Buy milk"/, /"Call the bank"/],
  },
  {
    said: "What is due this week?",
    calls: [["get-pending-todos", { due_by: "2026-11-29" }]],
    tells: [/"Dentist appointment": due 2026-11-25/, /"Review Anna’s draft"/],
    hides: [/"Quarterly report"/, /"Sort photos"/],
  },
  {
    said: "Which habits are at risk tonight?",
    calls: [["get-today-habits", {}]],
    tells: [/"Floss".*ends tonight/],
    hides: [/"Meditate".*ends tonight/],
  },
  {
    said: "What did I skip this week?",
    calls: [["get-today-habits", { from: "2026-11-16", to: "2026-11-22" }]],
    tells: [/"Read".*Nov 17 18 20 21/, /"Yoga".*Nov 20/, /"Water plants".*never/],
  },
  {
    said: "How is my reading this month, and how was it last month?",
    calls: [["get-today-habits", { query: "read", from: "2026-10-01" }]],
    tells: [/Oct 26 27 28 29 30, Nov 17 18 20 21/],
    hides: [/"Run"/],
  },
  {
    said: "What did I finish yesterday?",
    calls: [["get-pending-todos", { done_since: "2026-11-22" }]],
    tells: [/"Call the bank".*2026-11-22/],
    hides: [/"Buy stamps"/, /"Vacuum"/, /0 of 0/],
  },
  {
    said: "How many todos are in each category?",
    calls: [["get-pending-todos", { count_by_category: true }]],
    tells: [/4 in "Home"/, /4 in "Work"/, /0 in "Health"/, /7 in none/],
  },
  {
    said: "What was my best streak ever?",
    calls: [["get-today-habits", { all: true }]],
    tells: [/streak 6/],
  },
  {
    said: "Show everything in Work",
    calls: [["get-pending-todos", { category: "Work" }]],
    tells: [/^4 of 4/m, /"Quarterly report"/],
  },
  {
    said: "Find the thing about the insurance",
    calls: [["get-pending-todos", { query: "insurance" }]],
    tells: [/^1 of 1/m, /"Call the insurance about the claim"/],
  },
  {
    said: "Is there anything without a date?",
    calls: [["get-pending-todos", { due: "none" }]],
    tells: [/^3 of 3/m, /"Fix the tap"/, /"Sort photos"/, /"Renew the passport"/],
  },
  {
    said: "What can I do at home in a quarter of an hour?",
    calls: [["get-pending-todos", { context: "home" }]],
    tells: [/"Fix the tap": 15 min/],
    hides: [/"Buy milk"/],
  },
  {
    said: "Which reminders are coming?",
    calls: [["get-pending-todos", { has_reminder: true }]],
    tells: [/^1 of 1/m, /"Call Grace".*reminds 2026-11-24T09:00/],
  },
  {
    said: "Which categories do I have?",
    calls: [["get-pending-todos", { count_by_category: true }]],
    tells: [/"Home"/, /"Work"/, /"Health"/, /"Reading"/],
  },
  {
    said: "Did I already call the bank?",
    calls: [["get-pending-todos", { query: "call bank", status: "all" }]],
    tells: [/"Call the bank".*done 2026-11-22/],
  },
];
