import { type Html, html } from "../../../../shared/html.ts";
import { countInWords, sayDate } from "../kit/dates.ts";

/** Sizes in the units of the picture's viewBox, which has one column for each day. */
const column = 32;
const gap = 6;
const plot = { top: 16, bottom: 76, height: 94 };

/** A bar for each of the last 14 days, with a text version for screen readers. */
export function activityStrip(counts: Readonly<Record<string, number>>, today: string): Html {
  const days = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  const total = days.reduce((sum, [, done]) => sum + done, 0);
  const most = Math.max(1, ...days.map(([, done]) => done));
  const title = `${countInWords(total, "completion")} in the last 14 days`;
  return html`<figure class="strip card"><figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${column * days.length} ${plot.height}" role="img" aria-labelledby="strip-text">
    <title id="strip-text">${title}. ${inWords(days, today)}</title>
    ${days.map(([date, done], index) => bar({ date, done, index, most, isToday: date === today }))}
    </svg></figure>`;
}

function inWords(days: readonly [string, number][], today: string): string {
  const active = days
    .filter(([, done]) => done > 0)
    .map(([date, done]) => `${sayDate(date, today)}: ${done}`);
  return active.length === 0 ? "" : `${active.join(", ")}.`;
}

type Bar = { date: string; done: number; index: number; most: number; isToday: boolean };

function bar({ date, done, index, most, isToday }: Bar): Html {
  const height = done === 0 ? 2 : Math.max(6, Math.round(((plot.bottom - plot.top) * done) / most));
  const middle = column * (index + 0.5);
  const weekday = new Date(date).toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" });
  const kind = done === 0 ? "empty" : isToday ? "today" : "past";
  return html`<rect class="${kind}" x="${column * index + gap / 2}" y="${plot.bottom - height}"
      width="${column - gap}" height="${height}" rx="3"/>
    ${done > 0 && html`<text x="${middle}" y="${plot.bottom - height - 4}">${done}</text>`}
    <text class="${isToday ? "now" : "label"}" x="${middle}" y="90">${weekday.slice(0, 2)}</text>`;
}
