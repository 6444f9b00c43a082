import { partsOfRule } from "../../../shared/domain/todo/recurrence.ts";
import { repeatsIn } from "./forms/repeat.ts";
import { dayOfCode } from "./forms/rule.ts";

/** Says a normalised rule in words that `readRepeat` reads back as the same rule; else gives the rule itself. */
export function sayRepeat(rule: string): string {
  const until = /;UNTIL=(\d{4})(\d\d)(\d\d)/.exec(rule);
  const endless = rule.replace(until?.[0] ?? "", "");
  const words = inWords(endless);
  const [read] = repeatsIn(words);
  if (read?.says.rule !== endless || read.end - read.start < words.length) return rule;
  return until ? `${words} until ${until.slice(1).join("-")}` : words;
}

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const monthNames = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2026, month)).toLocaleDateString("en-GB", { month: "long", timeZone: "UTC" }),
);

function inWords(rule: string): string {
  const parts = partsOfRule(rule);
  const freq = parts.get("FREQ") ?? "";
  const months = parts
    .get("BYMONTH")
    ?.split(",")
    .map((month) => monthNames[Number(month) - 1]);
  if (freq === "YEARLY" && months)
    return `${everyOf(parts)} on ${parts.get("BYMONTHDAY")} ${months.join(", ")}`;
  return `${everyDay(freq, parts)}${months ? ` in ${months.join(", ")}` : ""}`;
}

type Parts = ReadonlyMap<string, string>;

function everyOf(parts: Parts): string {
  const unit =
    { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }[parts.get("FREQ") ?? ""] ?? "";
  const interval = Number(parts.get("INTERVAL") ?? 1);
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
}

function everyDay(freq: string, parts: Parts): string {
  const every = everyOf(parts);
  const days = parts.get("BYDAY");
  if (freq === "WEEKLY" && days)
    return parts.has("INTERVAL")
      ? `${every} on ${namesOf(days)}`
      : `every ${dayGroups.get(days) ?? namesOf(days)}`;
  const places = parts.get("BYSETPOS")?.split(",").map(Number);
  const monthDays = parts.get("BYMONTHDAY")?.split(",");
  if (freq !== "MONTHLY" || !(days ?? monthDays)) return every;
  if (days) return `${every} on the ${places ? `${places.map(ordinal).join(", ")} workday` : inMonth(days)}`;
  return `${every} on the ${monthDays?.map(monthDay).join(", ")}`;
}

const dayGroups = new Map([
  ["MO,TU,WE,TH,FR", "weekday"],
  ["SA,SU", "weekend"],
]);

const namesOf = (days: string): string => days.split(",").map(nameOf).join(", ");
const nameOf = (code: string): string => weekdayNames[dayOfCode(code) - 1] ?? code;

/** The last Friday, or the 2nd and 4th. */
const inMonth = (days: string): string =>
  days
    .split(",")
    .map((day) => `${ordinal(Number.parseInt(day, 10))} ${nameOf(day.slice(-2))}`)
    .join(", ");

const monthDay = (day: string): string => `${ordinal(Number(day))}${day.startsWith("-") ? " day" : ""}`;

function ordinal(number: number): string {
  if (number < 0) return number === -1 ? "last" : `${ordinal(-number)} last`;
  const suffix = /(?<!1)[123]$/.exec(String(number))?.[0];
  return `${number}${{ 1: "st", 2: "nd", 3: "rd" }[suffix ?? ""] ?? "th"}`;
}
