import { type Html, html } from "../../../../shared/html.ts";
import { icon } from "../../../web/icons.ts";
import { message, page } from "../../../web/page.ts";
import type { Guest } from "../session/context.ts";
import { guestFrame } from "../session/frame.ts";

/** GET /: introduces Kept to newcomers. */
export function showFront({ site }: Guest): Response {
  const lead = html`<p class="lead quiet">Your agents add, tick and tidy up. You see every change, and undo it with one press.</p>`;
  const body = html`<p class="actions"><a class="button" href="/account">Sign in</a>
    <a class="button plain" href="/account/connect">Connect an agent</a> <a class="button plain" href="/docs">Read the API</a></p>
    ${exampleDay}
    <ul>${promises.map((one) => html`<li>${one}</li>`)}</ul>`;
  const title = "Habits and todos for you and your agents";
  return page({ ...site, home: "/" }, { title, lead, body, ...guestFrame });
}

const promises = [
  "However often an agent repeats itself, each thing happens once.",
  "Streaks survive travel, and the days that you forgive yourself.",
  "You choose what each agent may do, and what it must ask you first.",
];

type Example = Readonly<{ name: string; line: string; color: string; isDone?: boolean }>;

const row = ({ name, line, color, isDone = false }: Example, end: Html): Html =>
  html`<li class="item${isDone && " done"}"><span class="tick"><svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" stroke="${color}"/>
    <path d="M7.5 12.5l3 3 6-6.5"/></svg></span><div class="what"><p class="name"><a>${name}</a></p><p class="line">${line}</p></div>${end}</li>`;

const todo = ({ at, ...example }: Example & Readonly<{ at: string }>): Html =>
  row(example, html`<p class="due">${at}</p>`);

/** @param week a letter for each day, in upper case if the habit was done */
const habit = ({ week, streak, ...example }: Example & Readonly<{ week: string; streak: number }>): Html =>
  row(
    example,
    html`<div class="cells">${[...week].map((day) => html`<span class="cell${day < "a" && " done"}" data-day="${day.toUpperCase()}"></span>`)}</div>
    <p class="streak alive">${icon("flame")}<strong>${streak}</strong></p>`,
  );

/** A picture of Today, drawn by the parts of the real page. */
const exampleDay = html`<figure class="card" role="img" aria-label="Today in Kept: what an agent did, todos by the part of the day, and habits with their week and streak.">
  <p class="note news">${icon("activity")}<span>Claude Code made 4 todos and moved 2.</span> <strong>Undo</strong></p>
  <h2 class="part">Morning</h2>
  <ul class="plain">${todo({ name: "Stand-up with the team", line: "Work", color: "#3b5bdb", at: "09:30" })}
  ${todo({ name: "Send the invoice", line: "Money", color: "#a86800", at: "11:00", isDone: true })}</ul>
  <h2 class="part">Habits</h2>
  <ul class="plain">${habit({ name: "Meditate 10 minutes", line: "morning", color: "#2b8a3e", week: "SMTWTFs", streak: 15, isDone: true })}
  ${habit({ name: "Read before bed", line: "evening", color: "#716b63", week: "sMTwTFS", streak: 8 })}</ul></figure>`;

/** Programs call these addresses and always get errors as JSON. */
const forPrograms = /^\/(?:(?:api|mcp|health|\.well-known)(?:\/|$)|openapi\.json$|metrics$)/;

/** True for a browser that wants a page, unless the address is for programs. */
export const isForPeople = ({ headers, url }: Request): boolean =>
  headers.get("accept")?.includes("text/html") === true && !forPrograms.test(new URL(url).pathname);

/** The 404 page for people. */
export const nothingHerePage = (): Response =>
  message({ home: "/", formTargets: [] }, "Not found", "There is no page at this address.", {
    status: 404,
    link: { href: "/", label: "Go to the first page" },
  });
