import { type GetPromptResult, INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";

type Prompt = Readonly<{ name: string; title: string; description: string; text: string }>;

const prompts: readonly Prompt[] = [
  {
    name: "plan-my-day",
    title: "Plan my day",
    description: "Puts today's habits and todos into an order that fits the day",
    text: [
      "Plan my day with Kept.",
      "Look at my habits due today (get-today-habits) and at my pending todos (get-pending-todos).",
      "Propose an order: overdue todos first, then those due today, each habit at its time of day. Use the estimated minutes, and say what will not fit.",
      "For what will not fit, suggest another day. A bad habit takes no time: it is done by avoiding it.",
      "Change nothing before I agree.",
    ].join("\n"),
  },
  {
    name: "weekly-review",
    title: "Weekly review",
    description: "Looks at what is late, what has no date and which streaks are at risk",
    text: [
      "Make my weekly review with Kept.",
      "Look at all my pending todos (get-pending-todos, following next_cursor to the end) and at my habits (get-today-habits).",
      "Tell me what is overdue, what has no date, what looks like it was forgotten or is there twice, and which streaks are at risk.",
      "Then go through it with me, one group at a time: do, move, drop or keep. Change only what I agree to.",
    ].join("\n"),
  },
];

/** The answer to prompts/list. */
export const promptList = prompts.map(({ name, title, description }) => ({ name, title, description }));

/** The message behind a prompt that a person chose. It has none of their data. */
export function getPrompt(name: unknown): GetPromptResult {
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt) {
    const names = prompts.map((one) => one.name).join(", ");
    throw new ProtocolError(INVALID_PARAMS, `Unknown prompt; the prompts are ${names}.`);
  }
  const { description, text } = prompt;
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}
