import type { Request } from "./request.ts";

/** Requests about habits that count towards an amount a day. */
export const counting: readonly Request[] = [
  {
    said: "I drank two glasses",
    calls: [["complete-habit", { habit_id: "#Water", amount: 2 }]],
    tells: [/2 of 8 glasses today/],
    leaves: [["/habits/#Water", { amount_today: 2, is_completed_today: false }]],
  },
  {
    said: "I drank two glasses, and then seven more",
    calls: [
      ["complete-habit", { habit_id: "#Water", amount: 2 }],
      ["complete-habit", { habit_id: "#Water", amount: 7 }],
    ],
    tells: [/Done today: .*9 of 8 glasses today/],
    leaves: [["/habits/#Water", { amount_today: 9, is_completed_today: true }]],
  },
  {
    said: "I had all my water today",
    calls: [["complete-habit", { habit_id: "#Water" }]],
    tells: [/8 of 8 glasses today/],
    leaves: [["/habits/#Water", { amount_today: 8, is_completed_today: true }]],
  },
  {
    said: "I forgot three glasses yesterday evening",
    calls: [["complete-habit", { habit_id: "#Water", date: "2026-11-22", amount: 3 }]],
    tells: [/Done on 2026-11-22, 8 of 8 glasses: /],
    leaves: [["/habits/#Water", { amount_today: 0, completions_count: 2, streak_count: 2 }]],
  },
  {
    said: "None of the water I noted for Saturday is true",
    calls: [["complete-habit", { habit_id: "#Water", date: "2026-11-21", undo: true }]],
    tells: [/0 of 8 glasses/],
    leaves: [
      ["/habits/#Water", { recent_amounts: [{ date: "2026-11-22", amount: 5 }], completions_count: 0 }],
    ],
  },
  {
    said: "How much did I drink at the weekend?",
    calls: [["get-today-habits", { query: "water", from: "2026-11-21", to: "2026-11-22" }]],
    tells: [/"Water".*8 glasses a day.*13 in all \(2026-11-21: 8, 2026-11-22: 5\)/],
  },
  {
    said: "How much did I drink this autumn?",
    calls: [["get-today-habits", { query: "water", from: "2026-09-01" }]],
    tells: [/"Water".*13 in all \(2026-11: 13\)/],
  },
  {
    said: "How much water is left for today?",
    calls: [["get-today-habits", { query: "water" }]],
    tells: [/"Water".*0 of 8 glasses today/],
  },
  {
    said: "I want to do 30 push-ups a day",
    calls: [["create-habit", { name: "Push-ups", target: 30 }]],
    tells: [/"Push-ups".*0 of 30 today/],
    leaves: [
      ["/habits?q=push", { data: [{ name: "Push-ups", target: 30, unit: null, frequency: "daily" }] }],
    ],
  },
  {
    said: "Ten glasses from now on",
    calls: [["complete-habit", { habit_id: "#Water", set: { target: 10 } }]],
    tells: [/0 of 10 glasses today/],
    leaves: [["/habits/#Water", { target: 10, completions_count: 1 }]],
  },
  {
    said: "Stop counting my water, a tick will do",
    calls: [["complete-habit", { habit_id: "#Water", set: { clear: ["target", "unit"] } }]],
    leaves: [["/habits/#Water", { target: null, unit: null, amount_today: null }]],
  },
];
