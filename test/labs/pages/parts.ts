import { stylesheet } from "../../../api/web/assets.ts";
import { icon } from "../../../api/web/icons.ts";
import { type Html, html, markup } from "../../../shared/html.ts";

const tick = html`<span class="tick"><svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="11"/><path d="M7.5 12.5l3 3 6-6.5"/></svg></span>`;
const cells = html`<div class="cells">${["done", "skipped", "open"].map((kind) => html`<span class="cell ${kind}" data-day="M"></span>`)}</div>`;
const row = (kind: string): Html =>
  html`<li class="item ${kind}">${tick}<div class="what"><p class="name"><a href="#">A row</a></p>
    <p class="line"><span>${icon("clock")} 15 min</span></p></div>${cells}<p class="streak alive">${icon("flame")}<strong>8</strong></p></li>`;

/** Every part of the pages by its name, as styles/ has them. */
const parts: Readonly<Record<string, Html>> = {
  "row, tick and week": html`<ul class="plain">${row("")}${row("done")}</ul>`,
  card: html`<div class="card"><h2>A card</h2><p>It stands apart.</p></div>
    <details class="card"><summary>A card that opens <span class="count">Not set up</span></summary><p>Its content.</p></details>`,
  chip: html`<ul class="plain chips"><li><a href="#" aria-current="true">Chosen</a></li><li><a href="#">Other</a></li><li>Said</li></ul>`,
  button: html`<p class="actions"><button>First</button><button class="plain">Other</button><button class="danger">Delete</button><button class="link">Undo</button></p>`,
  field: html`<div class="field"><label for="f">Name</label><input id="f" placeholder="For example"><p class="quiet small">A hint.</p><p class="error">An error.</p></div>
    <label class="choice"><input type="checkbox"><span>A choice<span class="quiet small hint">Its hint.</span></span></label>`,
  toast: html`<div class="toast"><div class="note spread"><p>Done: <strong>A row</strong></p><button class="link">Undo</button></div></div>`,
  menu: html`<details class="more" open><summary>⋯</summary><form class="card"><button>Skip today</button><a href="#">Edit</a></form></details>`,
  sheet: html`<dialog open><h2>A sheet</h2><p>It lies over the page.</p></dialog>`,
  bar: html`<form class="find"><div class="search"><label for="q">Search</label><input id="q" type="search"></div><button class="plain">Show</button></form>`,
  tile: html`<ul class="plain tiles"><li class="card tile"><span class="mark warn">${icon("flame")}</span><div><strong>15</strong> day streak<p>Alive until tomorrow.</p></div></li>
    <li class="card tile"><div><strong>86 %</strong><p>of the last 30 days</p></div></li></ul>`,
  "empty state": html`<div class="empty"><p>No habits yet.</p><a class="button" href="#">Make your first habit</a></div>`,
  news: html`<p class="note news">${icon("activity")}<span>An agent made 4 todos.</span><a href="#">Review</a></p><p class="note warn">A warning.</p><p class="note bad">A fault.</p>`,
  nav: html`<nav class="sections"><a href="#" aria-current="page">Chosen</a><a href="#">Other</a></nav>`,
};

const inScheme = (scheme: string): Html =>
  html`<main data-scheme="${scheme}"><h1>${scheme}</h1>${Object.entries(parts).map(([name, part]) => html`<h2 class="part">${name}</h2><div>${part}</div>`)}</main>`;

/** Both colour schemes side by side; what is fixed to the window stays in its place. */
const own = `body{display:grid;grid-template-columns:1fr 1fr}main{max-width:none;background:var(--ground);color:var(--ink)}
[data-scheme=light]{color-scheme:light}[data-scheme=dark]{color-scheme:dark}.toast,dialog{position:static}.more{width:13rem;height:9rem}`;

const file = "release/parts.html";
await Bun.write(
  file,
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Parts</title><style>${await stylesheet.response().text()}${own}</style>
<body>${markup(html`${["light", "dark"].map(inScheme)}`)}`,
);
console.log(`Every part, light and dark: ${file}`);
