import { AsyncLocalStorage } from "node:async_hooks";
import { usualLocale } from "../../shared/domain/day/say-date.ts";
import type { Theme, WeekStart } from "../../shared/domain/vocabulary.ts";

/** The choices of an account on how its pages look. */
export type Look = Readonly<{ theme: Theme; week_start: WeekStart }>;

const readers = new AsyncLocalStorage<{ theme: Theme; locale: string }>();

/** Answers a request with the order of dates, the clock and the weeks that its browser's language asks for. */
export const inLocaleOf = <Result>({ headers }: Pick<Request, "headers">, answer: () => Result): Result =>
  readers.run({ theme: "system", locale: localeOf(headers.get("accept-language")) }, answer);

/** The locale of the page that is being made. */
export const locale = (): string => readers.getStore()?.locale ?? usualLocale;

/** The value of `color-scheme` for the page that is being made. */
export function colorScheme(): string {
  const { theme = "system" } = readers.getStore() ?? {};
  return theme === "system" ? "light dark" : theme;
}

/** Follows the account in the rest of this request, where it chose something else than its browser. */
export function follow({ theme, week_start }: Look): void {
  const reader = readers.getStore();
  if (!reader) return;
  reader.theme = theme;
  if (week_start !== "language") reader.locale = reader.locale.replace(/fw-\w+/, `fw-${week_start}`);
}

const firstDays = new Map([
  [1, "mon"],
  [5, "fri"],
  [6, "sat"],
  [7, "sun"],
]);

/** The day with which the page's weeks begin; 1 is Monday. */
export function firstWeekday(): number {
  const name = locale().split("-")[4];
  return [...firstDays].find(([, day]) => day === name)?.[0] ?? 1;
}

/** The words of pages are English, with the day or the month first, 24 or 12 hours, and a first day of the week. */
function localeOf(accepted: string | null): string {
  const language = accepted?.split(/[,;]/)[0]?.trim() ?? "";
  try {
    const fields = { month: "numeric", day: "numeric", hour: "numeric" } as const;
    const wanted = new Intl.DateTimeFormat(language, fields);
    const [first] = wanted.formatToParts(0);
    const { hourCycle } = wanted.resolvedOptions();
    const { firstDay } = new Intl.Locale(language).getWeekInfo();
    const order = first?.type === "month" ? "US" : "GB";
    return `en-${order}-u-fw-${firstDays.get(firstDay) ?? "mon"}-hc-${hourCycle === "h12" ? "h12" : "h23"}`;
  } catch {
    return usualLocale;
  }
}
