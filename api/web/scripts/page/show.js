// Replaces the parts of the page (`data-part`) by those of an answer.
import { change } from "./morph.js";
import { waiting } from "./waiting.js";

/** A ticked row stays where it is for so long, so that a second tap cannot hit its neighbour. */
const holdMs = 4_000;
let heldUntil = 0;
let changedAt = -1_000;
let later;
let wanted;
let newest;
let isReading = false;
/** A page that was read while rows were held; it is shown later, unless something else has changed. */
let kept;

/** Keeps all rows in their places for a while. */
export function hold() {
  kept = undefined;
  heldUntil = performance.now() + holdMs;
}

/** Lets rows move again, after something that is meant to move them. */
export function release() {
  heldUntil = 0;
}

/** Shows the notice of an address at once, and its other parts when nothing is held. Only the newest address counts. */
export async function showAt(address) {
  wanted = newest = address;
  kept = undefined;
  if (isReading) return;
  isReading = true;
  while (wanted) {
    const next = wanted;
    wanted = undefined;
    const page = await read(next);
    if (page) apply(page, next);
    else if (!wanted) setTimeout(() => wanted ?? showAt(next), 3_000);
  }
  isReading = false;
}

/** @returns undefined when it cannot be read */
async function read(address) {
  try {
    const answer = await fetch(address);
    if (!answer.ok || new URL(answer.url).pathname !== address.pathname) return undefined;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return undefined;
  }
}

function apply(page, address) {
  const shown = new URL(address);
  shown.hash = "";
  if (!behind && !document.getElementById("live")?.dataset.from) history.replaceState(null, "", shown);
  const isHeld = performance.now() < heldUntil || waiting.size > 0;
  if (!isHeld) return showParts(page, "[data-part]");
  // Its nodes move into the document.
  kept = { page: page.cloneNode(true), address };
  showParts(page, "#notice");
  showNumbers(page);
  refreshLater();
}

/** Shows at once the parts that move no row. */
function showNumbers(page) {
  for (const part of page.querySelectorAll("[data-now]")) {
    const old = document.getElementById(part.id);
    if (old) change(old, part);
  }
}

function refreshLater() {
  clearTimeout(later);
  const pauseMs = Math.max(heldUntil - performance.now(), waiting.size > 0 ? 500 : 0);
  later = setTimeout(() => (waiting.size > 0 ? refreshLater() : refresh()), pauseMs);
}

/** The address of the list under a sheet, which has an address of its own. */
let behind;
export function setBehind(address) {
  behind = address;
}

/** The address of the page's parts. */
export const here = () =>
  new URL(behind ?? document.getElementById("live")?.dataset.from ?? location.href, location.href);

/** An address that is being read is newer than the page's own. */
function refresh() {
  if (performance.now() < heldUntil || waiting.size > 0) return refreshLater();
  const { page, address } = kept ?? {};
  const { newest: version } = document.getElementById("live") ?? {};
  if (!page || (version && page.getElementById("live")?.dataset.version !== version))
    return showAt(isReading ? newest : here());
  kept = undefined;
  apply(page, address);
}
addEventListener("stale", refresh);
addEventListener("pageshow", ({ persisted }) => persisted && refresh());

function showParts(page, which) {
  const pairs = [...page.querySelectorAll(which)].map((part) => [document.getElementById(part.id), part]);
  if (pairs.some(([old]) => !old)) return;
  const focused = document.activeElement;
  const items = [...document.querySelectorAll("[data-part] li[id]")];
  const at = items.findIndex((item) => item.contains(focused));
  for (const [old, part] of pairs) change(old, part);
  if (which !== "#notice") changedAt = performance.now();
  dispatchEvent(new CustomEvent("shown", { detail: focused }));
  if (focused.isConnected || at < 0) return;
  const next = [...items.slice(at), ...items.slice(0, at).reverse()].find((item) => item.isConnected);
  next?.querySelector("button, a")?.focus({ preventScroll: true });
}

/** Says something in the place of the notice. */
export function say(text) {
  const note = document.createElement("div");
  note.className = "note warn";
  note.append(Object.assign(document.createElement("p"), { textContent: text }));
  document.getElementById("notice")?.replaceChildren(note);
}

/** Notices that stay until they are closed or answered. */
const told = document.createElement("div");
told.setAttribute("role", "status");
document.querySelector(".toast")?.append(told);

/** Adds the notice of an address to those that stay. */
export async function tell(address, name) {
  const page = await read(address);
  const note =
    page?.querySelector("#notice > *") ?? Object.assign(document.createElement("p"), { className: "note" });
  const text = note.querySelector("p") ?? note;
  if (!text.textContent.includes(name)) text.prepend(`${name}: `);
  note.addEventListener("sending", () => note.remove());
  note.querySelector(".close")?.addEventListener("click", (event) => {
    event.preventDefault();
    note.remove();
  });
  told.append(note);
}

/** After the rows moved, a second tap at the same place is ignored; so is the second of two quick ones. */
let tap = { at: -1_000, x: 0, y: 0 };
document.addEventListener(
  "click",
  (event) => {
    if (event.detail === 0 || !event.target.closest("button.tick, button.cell")) return;
    const { pageX: x, pageY: y } = event;
    const at = performance.now();
    const isSoon = at - Math.max(tap.at, changedAt) < 700;
    if (isSoon && Math.hypot(x - tap.x, y - tap.y) < 24) event.preventDefault();
    tap = { at, x, y };
  },
  true,
);
