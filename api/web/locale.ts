import { AsyncLocalStorage } from "node:async_hooks";

const locales = new AsyncLocalStorage<string>();

/** Answers a request with the order of dates and the clock that its browser's language asks for. */
export const inLocaleOf = <Result>({ headers }: Pick<Request, "headers">, answer: () => Result): Result =>
  locales.run(localeOf(headers.get("accept-language")), answer);

/** The locale of the page that is being made. */
export const locale = (): string => locales.getStore() ?? usual;

const usual = "en-GB-u-hc-h23";

/** One of four: the words of pages are English, with the day or the month first, and 24 or 12 hours. */
function localeOf(accepted: string | null): string {
  const [language = ""] = (accepted ?? "").split(/[,;]/);
  try {
    const wanted = new Intl.DateTimeFormat(language.trim(), {
      month: "numeric",
      day: "numeric",
      hour: "numeric",
    });
    const [first] = wanted.formatToParts(0);
    const { hourCycle } = wanted.resolvedOptions();
    return `en-${first?.type === "month" ? "US" : "GB"}-u-hc-${hourCycle === "h12" ? "h12" : "h23"}`;
  } catch {
    return usual;
  }
}
