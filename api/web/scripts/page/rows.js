// Keys, and the choice of several rows. Everything that a key does can be done without it.
import { showAt } from "./show.js";

const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
let last;

document.addEventListener("click", ({ target, shiftKey }) => {
  if (!target.matches(".pick")) return;
  const all = visible(".pick");
  const [from, to] = [all.indexOf(last), all.indexOf(target)].sort((a, b) => a - b);
  if (shiftKey && from >= 0) for (const one of all.slice(from, to)) one.checked = target.checked;
  last = target;
});

let timer;
document.addEventListener("input", ({ target }) => {
  const { form } = target;
  if (!form?.matches("[data-live]")) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value.trim()) address.searchParams.set(name, value);
    showAt(address);
  }, 200);
});

function closeMenus(but) {
  for (const open of document.querySelectorAll(".more[open]")) if (!open.contains(but)) open.open = false;
}
document.addEventListener("pointerdown", ({ target }) => closeMenus(target));
document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape") return;
  target.closest?.(".more")?.querySelector("summary").focus();
  closeMenus();
});

document.addEventListener("sending", ({ target }) => {
  if (target.closest(".more")) closeMenus();
  if (target.id !== "chosen") return;
  target.reset();
  target.querySelector("details").open = false;
});

let row;
document.addEventListener("focusin", ({ target }) => {
  row = target.closest("li.item") ?? row;
});

function step(by) {
  const rows = visible("li.item");
  const at = rows.indexOf(row);
  const next = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  next?.querySelector("button")?.focus();
}

function search() {
  const field = document.querySelector("main [type=search]");
  if (field) field.select();
  else location.assign("/account/todos#q");
}

export const keys = {
  q: ["Add something", () => document.getElementById("quick-line")?.focus()],
  "/": ["Search", search],
  j: ["Next row", () => step(1)],
  k: ["Row before", () => step(-1)],
  x: ["Choose the row", () => row?.querySelector(".pick")?.click()],
  e: ["Edit the row", () => row?.querySelector(".name a")?.click()],
  u: ["Undo", () => document.querySelector("#notice form button")?.click()],
  "?": ["Show the shortcuts", () => help.showModal()],
};

/** Single keys disturb people who dictate, so they can be turned off (WCAG 2.1.4). */
const off = "kept-keys-off";
const help = document.createElement("dialog");
help.setAttribute("aria-labelledby", "keys");
help.innerHTML = `<h2 id="keys">Shortcuts</h2><dl class="facts">${Object.entries(keys)
  .map(([key, [words]]) => `<dt><kbd>${key}</kbd></dt><dd>${words}</dd>`)
  .join(
    "",
  )}<dt><kbd>Ctrl K</kbd></dt><dd>Go to or do</dd></dl><label class="choice"><input type="checkbox"><span>Use these shortcuts</span></label>
  <form method="dialog"><button class="plain">Close</button></form>`;
const opener = Object.assign(document.createElement("button"), {
  className: "link",
  textContent: "Shortcuts",
});
opener.addEventListener("click", () => help.showModal());
document.querySelector("main").append(opener, help);
const box = help.querySelector("input");
box.checked = !localStorage[off];
box.addEventListener("change", () => {
  if (box.checked) delete localStorage[off];
  else localStorage[off] = "yes";
});

document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyping = target.matches("input:not([type=checkbox]), textarea, select, dialog *");
  if (!Object.hasOwn(keys, key) || isTyping || ctrlKey || metaKey || altKey) return;
  if (!box.checked) return;
  event.preventDefault();
  keys[key][1]();
});

if (location.hash === "#q") document.querySelector("main [type=search]")?.select();
