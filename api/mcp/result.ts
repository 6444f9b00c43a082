import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Today } from "../../shared/domain/today.ts";
import type { Refusal } from "../../shared/errors.ts";
import { advise } from "./advice.ts";
import type { Presented } from "./results/index.ts";

/** What a call did, and the user's day on which it did it. */
export type Done = Readonly<{ presented: Presented; today: Today; replayed: boolean }>;

/** A tool's answer: text and structured content say the same, because clients show only one of them. */
export function answered({ presented, today, replayed }: Done): CallToolResult {
  const { lines, facts } = presented;
  const repeat = replayed
    ? ["Done by an earlier call with this idempotency_key; this one changed nothing."]
    : [];
  return {
    content: [{ type: "text", text: [dayLine(today), ...lines, ...repeat].join("\n") }],
    structuredContent: { ...clockFacts(today), ...facts, ...(replayed && { replayed }) },
  };
}

/** A refusal that an agent can act on (MCP tools, error handling): a result, not a protocol error. */
export function refused(refusal: Refusal, today: Today | undefined): CallToolResult {
  const { code, errors, applied, retryAfterSeconds } = refusal;
  const message = advise(refusal);
  const facts = {
    code,
    message,
    ...(errors && { errors }),
    ...(applied && { applied }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  };
  const text = today ? `${message}\n${dayLine(today)}` : message;
  return {
    isError: true,
    content: [{ type: "text", text }],
    ...(today && { structuredContent: { ...clockFacts(today), ...facts } }),
  };
}

const dayLine = ({ date, timeZone }: Today): string => `Today is ${date} in ${timeZone}.`;
const clockFacts = ({ date, timeZone }: Today) => ({ today: date, time_zone: timeZone });
