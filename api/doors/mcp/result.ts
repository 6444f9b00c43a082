import type { CallToolResult } from "@modelcontextprotocol/server";
import type { DayFields } from "../../../shared/contracts/kernel/fields.ts";
import {
  dayNumber,
  isoWeekday,
  localTime,
  type Today,
  withPresentExamples,
} from "../../../shared/domain/day/day.ts";
import type { FieldErrors, Refusal, ResourceName, WaitingApproval } from "../../../shared/errors.ts";
import type { RefusedAt } from "./target.ts";
import type { ToolResult } from "./tool.ts";

/** The moment of an answer: the user's day, the time of the call (epoch ms), and whether the answer is a replay. */
type Moment = Readonly<{ today: Today; calledAt: number; replayed: boolean }>;

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const weekdayOf = (date: string): string => weekdays[isoWeekday(dayNumber(date)) - 1] ?? "";

/** The day for programs. The clock has its date (`2026-11-23T15:40`), which may be the day after `today`. */
export function dayFields({ today: { date, timeZone }, calledAt, replayed }: Moment): DayFields {
  const now = localTime(calledAt, timeZone).slice(0, 16);
  return { today: date, weekday: weekdayOf(date), ...(!replayed && { now }), time_zone: timeZone };
}

/**
 * The first line of every answer, because models confuse weekdays and have no clock. A replay has the day of the
 * first run, which may be over.
 */
export function dayLine({ today, weekday, now, time_zone }: DayFields): string {
  if (now === undefined)
    return `The answer of ${today} in ${time_zone} to an earlier call with this idempotency_key; this one changed nothing.`;
  const [wallDate, time] = now.split("T");
  // A day that begins later than midnight still lasts.
  const clock = wallDate === today ? time : `by the clock ${wallDate} ${time}`;
  return `Today is ${weekday} ${today}, ${clock} in ${time_zone}.`;
}

type Circumstances = Moment & Readonly<{ baseUrl: string }>;

/** A tool's answer: text and structured content say the same, because clients show only one of them. */
export function answered(
  { lines, facts, reachesNobody, canReturn }: ToolResult,
  { baseUrl, ...moment }: Circumstances,
): CallToolResult {
  const warning = `The reminder reaches nobody until the person chooses where reminders go: ${baseUrl}/account/settings`;
  const actions = `${baseUrl}/account/actions`;
  const wayBack = `Only the person can bring it back, for 30 days: ${actions} (you can make a new one like it)`;
  const notes = [...(reachesNobody ? [warning] : []), ...(canReturn ? [wayBack] : [])];
  const day = dayFields(moment);
  const text = [dayLine(day), ...lines, ...notes].join("\n");
  const structuredContent = {
    ...day,
    ...facts,
    ...(canReturn && { brought_back_at: actions }),
    ...(moment.replayed && { replayed: true }),
  };
  return { content: [{ type: "text", text }], structuredContent };
}

/** A change that waits for approval is no error. A repeat with its key tells what the person decided. */
function waits(
  { message, approval: { id, ...approval } }: Refusal & Readonly<{ approval: WaitingApproval }>,
  moment: Moment,
): CallToolResult {
  const next = "Repeat this call with the same idempotency_key to learn what they decided.";
  const facts = { waiting: true, approval_id: id, ...approval, message };
  const day = dayFields(moment);
  return {
    content: [{ type: "text", text: `${message} ${next}\n${dayLine(day)}` }],
    structuredContent: { ...day, ...facts, ...(moment.replayed && { replayed: true }) },
  };
}

/** A refusal that an agent can act on (MCP tools, error handling): a result, not a protocol error. */
export function refused(original: Refusal, { today, calledAt, replayed = false }: RefusedAt): CallToolResult {
  const refusal = today ? withPresentExamples(original, today.date) : original;
  const { code, errors, applied, approval, retryAfterSeconds } = refusal;
  if (approval && today) return waits({ ...refusal, approval }, { today, calledAt, replayed });
  const message = advise(refusal);
  const facts = {
    code,
    message,
    ...(errors && { errors }),
    ...(applied && { applied }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(replayed && { replayed }),
  };
  const sentence = errors ? allProblems(errors, message) : message;
  const day = today && dayFields({ today, calledAt, replayed });
  const text = day ? `${sentence}\n${dayLine(day)}` : sentence;
  return {
    isError: true,
    content: [{ type: "text", text }],
    // Output schemas demand the day, which nobody knows while the database is away.
    ...(day ? { structuredContent: { ...day, ...facts } } : { _meta: facts }),
  };
}

/** Some clients show only the text, so it has each error, too. */
function allProblems(errors: FieldErrors, message: string): string {
  const sentences = Object.values(errors).flat();
  return sentences.length > 1 ? sentences.join("\n") : message;
}

/** A refusal as one message that says what to do next. */
export function advise(refusal: Refusal): string {
  const { message, next } = refusal;
  const advice = adviceOn(refusal);
  if (advice === undefined) return message;
  const reason = next === undefined ? message : message.replace(` ${next}`, "");
  return `${reason.replace(/\.$/, "")}; ${advice}.`;
}

/** The tool that lists the ids of a resource, if there is one. */
const whereIdsAre: Readonly<Partial<Record<ResourceName, string>>> = {
  Habit: "get-today-habits lists the ids of the habits due today",
  Todo: "get-pending-todos lists the ids of the incomplete todos",
};

/** @returns undefined when the message needs no advice */
function adviceOn({ code, ...refusal }: Refusal): string | undefined {
  const { next, isSoAlready, resource, applied, retryAfterSeconds = 1 } = refusal;
  if (code === "rate_limited") return `wait ${retryAfterSeconds} seconds and call again`;
  if (code === "overloaded")
    return applied === "unknown"
      ? `the change may have been made. Call again in ${retryAfterSeconds} s with the same idempotency_key. Without one, check first whether it was made`
      : `nothing was changed, so call again in ${retryAfterSeconds} s`;
  if (next !== undefined) return undefined;
  if (isSoAlready) return "nothing was changed and nothing needs to be done";
  if (code === "invalid") return "correct the arguments and call again";
  return resource && code === "not_found" ? whereIdsAre[resource] : undefined;
}
