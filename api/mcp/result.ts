import type { CallToolResult } from "@modelcontextprotocol/server";
import type { DayFields } from "../../shared/contracts/fields.ts";
import type { ToolResult } from "../../shared/contracts/tool-result.ts";
import { withPresentExamples } from "../../shared/domain/example-dates.ts";
import type { Today } from "../../shared/domain/today.ts";
import type { Refusal } from "../../shared/errors.ts";
import { advise } from "./advice.ts";

/** The end of a call that succeeded, and the user's day on which it came. */
export type ToolOutcome = Readonly<{ result: ToolResult; today: Today; replayed: boolean }>;

/** A tool's answer: text and structured content say the same, because clients show only one of them. */
export function answered({ result, today, replayed }: ToolOutcome): CallToolResult {
  const { lines, facts } = result;
  const repeat = replayed
    ? ["Done by an earlier call with this idempotency_key; this one changed nothing."]
    : [];
  return {
    content: [{ type: "text", text: [dayLine(today), ...lines, ...repeat].join("\n") }],
    structuredContent: { ...dayFields(today), ...facts, ...(replayed && { replayed }) },
  };
}

/** A refusal that an agent can act on (MCP tools, error handling): a result, not a protocol error. */
export function refused(original: Refusal, today: Today | undefined): CallToolResult {
  const refusal = today ? withPresentExamples(original, today.date) : original;
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
    ...(today && { structuredContent: { ...dayFields(today), ...facts } }),
  };
}

/** The first line of every answer. */
export const dayLine = ({ date, timeZone }: Today): string => `Today is ${date} in ${timeZone}.`;
const dayFields = ({ date, timeZone }: Today): DayFields => ({ today: date, time_zone: timeZone });
