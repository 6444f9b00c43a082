import { type Html, html } from "../../shared/html.ts";

/** Outlines of Lucide (docs/third-party.md), of which its package has 60 MB more. */
const outlines = {
  activity: html`<path d="M12 8V4H8"/><rect width="16" height="12" x="4" y="8" rx="2"/><path d="M2 14h2m16 0h2m-7-1v2m-6-2v2"/>`,
  at: html`<circle cx="12" cy="12" r="4"/><path d="M16 8v5a3 3 0 0 0 6 0v-1a10 10 0 1 0-4 8"/>`,
  bell: html`<path d="M10.3 21a2 2 0 0 0 3.4 0M3.3 15.3A1 1 0 0 0 4 17h16a1 1 0 0 0 .7-1.7C19.4 14 18 12.5 18 8A6 6 0 0 0 6 8c0 4.5-1.4 6-2.7 7.3"/>`,
  calendar: html`<path d="M8 2v3m8-3v3"/><rect x="3" y="3" width="18" height="18" rx="2"/><path d="M3 9h18M8 13h.01m4 0h.01m4 0h.01M8 17h.01m4 0h.01m4 0h.01"/>`,
  check: html`<path d="M20 6 9 17l-5-5"/>`,
  clock: html`<path d="M10 2h4m-2 12 3-3"/><circle cx="12" cy="14" r="8"/>`,
  close: html`<path d="M18 6 6 18M6 6l12 12"/>`,
  edit: html`<path d="M21.2 6.8a1 1 0 0 0-4-4L3.8 16.2a2 2 0 0 0-.5.8L2 21.4a.5.5 0 0 0 .6.6L7 20.7a2 2 0 0 0 .8-.5zM15 5l4 4"/>`,
  flag: html`<path fill="currentColor" d="M4 22V4a1 1 0 0 1 .4-.8A6 6 0 0 1 8 2c3 0 5 2 7.3 2q2 0 3.1-.8A1 1 0 0 1 20 4v10a1 1 0 0 1-.4.8A6 6 0 0 1 16 16c-3 0-5-2-8-2a6 6 0 0 0-4 1.5"/>`,
  flame: html`<path d="M12 3q1 4 4 6.5t3 5.5a1 1 0 0 1-14 0 5 5 0 0 1 1-3 1 1 0 0 0 5 0c0-2-1.5-3-1.5-5q0-2 2.5-4"/>`,
  habits: html`<path d="m17 2 4 4-4 4M3 11v-1a4 4 0 0 1 4-4h14M7 22l-4-4 4-4m14-1v1a4 4 0 0 1-4 4H3"/>`,
  hand: html`<path d="M18 11V6a2 2 0 0 0-4 0m0 4V4a2 2 0 0 0-4 0v2m0 4.5V6a2 2 0 0 0-4 0v8M18 8a2 2 0 1 1 4 0v6a8 8 0 0 1-8 8h-2c-2.8 0-4.5-.9-6-2.3l-3.6-3.6a2 2 0 0 1 2.8-2.8L7 15"/>`,
  key: html`<path d="M2.6 17.4A2 2 0 0 0 2 18.8V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.2a2 2 0 0 0 1.4-.6l.8-.8a6.5 6.5 0 1 0-4-4z"/><circle cx="16.5" cy="7.5" r=".5" fill="currentColor"/>`,
  leave: html`<path d="m16 17 5-5-5-5m5 5H9m0 9H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4"/>`,
  more: html`<path d="M12 12h.01M19 12h.01M5 12h.01" stroke-width="2.5"/>`,
  next: html`<path d="m9 18 6-6-6-6"/>`,
  notes: html`<path d="M21 5H3m12 7H3m14 7H3"/>`,
  plug: html`<path d="M12 22v-5m3-9V2m2 6a1 1 0 0 1 1 1v4a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4V9a1 1 0 0 1 1-1zM9 8V2"/>`,
  plus: html`<path d="M5 12h14M12 5v14"/>`,
  previous: html`<path d="m15 18-6-6 6-6"/>`,
  search: html`<path d="m21 21-4.3-4.3"/><circle cx="11" cy="11" r="8"/>`,
  settings: html`<path d="M9.7 4.1a2.3 2.3 0 0 1 4.7 0 2.3 2.3 0 0 0 3.3 1.9 2.3 2.3 0 0 1 2.3 4 2.3 2.3 0 0 0 0 3.8 2.3 2.3 0 0 1-2.3 4 2.3 2.3 0 0 0-3.3 1.9 2.3 2.3 0 0 1-4.7 0 2.3 2.3 0 0 0-3.3-1.9 2.3 2.3 0 0 1-2.3-4 2.3 2.3 0 0 0 0-3.8 2.3 2.3 0 0 1 2.3-4 2.3 2.3 0 0 0 3.3-1.9"/><circle cx="12" cy="12" r="3"/>`,
  sunrise: html`<path d="M12 2v8M4.9 10.9l1.4 1.4M2 18h2m16 0h2m-3-7.1-1.4 1.4M22 22H2M8 6l4-4 4 4M16 18a4 4 0 0 0-8 0"/>`,
  today: html`<circle cx="12" cy="12" r="4"/><path d="M12 2v2m0 16v2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4M2 12h2m16 0h2M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4"/>`,
  todos: html`<path d="M13 5h8m-8 7h8m-8 7h8M3 17l2 2 4-4M3 7l2 2 4-4"/>`,
  user: html`<path d="M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2"/><circle cx="12" cy="7" r="4"/>`,
} as const;

export type IconName = keyof typeof outlines;

/** A drawing in the colour of the text beside it, which says the same. */
export const icon = (name: IconName): Html =>
  html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true">${outlines[name]}</svg>`;
