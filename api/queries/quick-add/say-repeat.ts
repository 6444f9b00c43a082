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
  const all = (name: string) => parts.get(name)?.split(",") ?? [];
  const freq = parts.get("FREQ") ?? "";
  const unit = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }[freq] ?? "";
  const interval = Number(parts.get("INTERVAL") ?? 1);
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  const [days, monthDays] = [parts.get("BYDAY"), all("BYMONTHDAY").map(monthDay).join(", ")];
  const months = all("BYMONTH")
    .map((month) => monthNames[Number(month) - 1])
    .join(", ");
  if (freq === "YEARLY" && months) return `${every} on ${parts.get("BYMONTHDAY")} ${months}`;
  const within = months && ` in ${months}`;
  if (freq === "WEEKLY" && days && interval === 1)
    return `every ${dayGroups.get(days) ?? namesOf(days)}${within}`;
  if (freq === "WEEKLY" && days) return `${every} on ${namesOf(days)}${within}`;
  const places = all("BYSETPOS")
    .map((place) => `${ordinal(Number(place))} workday`)
    .join(", ");
  const which = places || (days ? inMonth(days) : monthDays);
  return freq === "MONTHLY" && which ? `${every} on the ${which}${within}` : `${every}${within}`;
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
