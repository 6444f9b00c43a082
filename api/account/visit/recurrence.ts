import { sayDated } from "./dates.ts";

const units: Readonly<Record<string, string>> = {
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};
const weekdays: Readonly<Record<string, string>> = {
  MO: "Mon",
  TU: "Tue",
  WE: "Wed",
  TH: "Thu",
  FR: "Fri",
  SA: "Sat",
  SU: "Sun",
};
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A stored recurrence rule in words: `every 2 weeks on Mon, Fri`, `every month on the last Fri`. */
export function recurrenceInWords(rule: string, today: string): string {
  const parts = Object.fromEntries(rule.split(";").map((part) => part.split("=", 2)));
  const { FREQ = "", INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT } = parts;
  const unit = units[FREQ] ?? "time";
  const words = [
    INTERVAL === undefined || INTERVAL === "1" ? `every ${unit}` : `every ${INTERVAL} ${unit}s`,
    BYMONTH !== undefined && `in ${each(BYMONTH, (month) => months[Number(month) - 1] ?? month)}`,
    BYMONTHDAY !== undefined && `on the ${each(BYMONTHDAY, (day) => place(day, "day"))}`,
    BYDAY !== undefined &&
      `on ${BYSETPOS === undefined ? "" : `the ${each(BYSETPOS, (at) => place(at))} of `}${each(BYDAY, weekday)}`,
    UNTIL !== undefined && `until ${sayDated(UNTIL.replace(/^(....)(..)(..).*/, "$1-$2-$3"), today)}`,
    COUNT !== undefined && (COUNT === "1" ? "this time only" : `${COUNT} times`),
  ];
  return words.filter((word) => word !== false).join(" ");
}

const each = (list: string, inWords: (one: string) => string): string =>
  list.split(",").map(inWords).join(", ");

function weekday(text: string): string {
  const name = weekdays[text.slice(-2)] ?? text;
  const nth = text.slice(0, -2);
  return nth === "" ? name : `the ${place(nth)} ${name}`;
}

/** `1st`, `last`, `2nd last`; of days `last day`. */
function place(text: string, noun = ""): string {
  const number = Number(text);
  if (number > 0) return ordinal(number);
  const last = noun === "" ? "last" : `last ${noun}`;
  return number === -1 ? last : `${ordinal(-number)} ${last}`;
}

function ordinal(number: number): string {
  const teens = number % 100 > 10 && number % 100 < 14;
  const ending = teens ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[number % 10] ?? "th");
  return `${number}${ending}`;
}
