import type { CallToolResult } from "@modelcontextprotocol/server";
import type { DayFields } from "../../../shared/contracts/kernel/fields.ts";
import type { ToolResult } from "../../../shared/contracts/kernel/tool-result.ts";
import { withPresentExamples } from "../../../shared/domain/day/example-dates.ts";
import type { Today } from "../../../shared/domain/day/today.ts";
import type { Refusal } from "../../../shared/errors.ts";
import { advise } from "./advice.ts";

/** The user's day on which a call came, the first one where it is a replay, and the service's address. */
type Circumstances = Readonly<{ today: Today; replayed: boolean; baseUrl: string }>;

/** A tool's answer: text and structured content say the same, because clients show only one of them. */
export function answered(
  { lines, facts, reachesNobody }: ToolResult,
  { today, replayed, baseUrl }: Circumstances,
): CallToolResult {
  const warning = `The reminder reaches nobody until the person chooses where reminders go: ${baseUrl}/account/settings`;
  const text = [dayLine(today, replayed), ...lines, ...(reachesNobody ? [warning] : [])].join("\n");
  const structuredContent = { ...dayFields(today), ...facts, ...(replayed && { replayed }) };
  return { content: [{ type: "text", text }], structuredContent };
}

/** A refusal that an agent can act on (MCP tools, error handling): a result, not a protocol error. */
export function refused(original: Refusal, today: Today | undefined, replayed = false): CallToolResult {
  const refusal = today ? withPresentExamples(original, today.date) : original;
  const { code, errors, applied, retryAfterSeconds } = refusal;
  const message = advise(refusal);
  const facts = {
    code,
    message,
    ...(errors && { errors }),
    ...(applied && { applied }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(replayed && { replayed }),
  };
  const text = today ? `${message}\n${dayLine(today, replayed)}` : message;
  return {
    isError: true,
    content: [{ type: "text", text }],
    ...(today && { structuredContent: { ...dayFields(today), ...facts } }),
  };
}

/** The first line of every answer. A replay has the day of the first run, which may be over. */
export const dayLine = ({ date, timeZone }: Today, replayed = false): string =>
  replayed
    ? `The answer of ${date} in ${timeZone} to an earlier call with this idempotency_key; this one changed nothing.`
    : `Today is ${date} in ${timeZone}.`;
const dayFields = ({ date, timeZone }: Today): DayFields => ({ today: date, time_zone: timeZone });
