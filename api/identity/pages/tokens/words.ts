import { type Html, html } from "../../../../shared/html.ts";
import type { Connection } from "../../grants/connections.ts";
import { timeIn } from "../times.ts";
import type { SignedIn } from "../visitor.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const unusedMs = 30 * dayMs;
const soonMs = 7 * dayMs;

/** The name, followed by the last characters of a personal token. */
export const nameWithEnd = ({ name, lastFour }: Connection): Html =>
  html`${name}${lastFour && html` <code class="quiet">kept_…${lastFour}</code>`}`;

/** The time of the last use, with a hint if nothing seems to use it. */
export function sayUse({ zone }: SignedIn, { lastUsedAt, createdAt }: Connection): Html {
  const isIdle = Date.now() - (lastUsedAt ?? createdAt) > unusedMs;
  const hint = isIdle && html` <span class="badge warn">If nothing needs it, end it</span>`;
  return html`${lastUsedAt ? timeIn(zone, lastUsedAt) : "Never"}${hint}`;
}

export function sayEnd({ zone }: SignedIn, { expiresAt }: Connection): Html {
  const days = Math.ceil((expiresAt - Date.now()) / dayMs);
  const left = days === 1 ? "Less than a day left" : `${days} days left`;
  const hint = expiresAt - Date.now() < soonMs && html` <span class="badge warn">${left}</span>`;
  return html`${timeIn(zone, expiresAt)}${hint}`;
}
