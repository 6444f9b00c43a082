// Ctrl+K or Cmd+K: pages, what the keys do, and habits and todos by their words, in one list.
import { keys } from "./rows.js";

const dialog = document.createElement("dialog");
dialog.className = "palette";
dialog.ariaLabel = "Go to or do";
dialog.innerHTML = `<input type="search" aria-label="Go to or do" placeholder="Go to or do …" autocomplete="off">
  <ul class="plain"></ul>`;
document.body.append(dialog);
const [line, list] = dialog.children;
let asked = 0;

/** Pages that the navigation does not have. */
const pages = Object.entries({
  "Habits: new": "/account/habits/new",
  "Todos: new": "/account/todos/new",
  Categories: "/account/categories",
  "Your data": "/account/data",
  Webhooks: "/account/webhooks",
}).map(([textContent, href]) => Object.assign(document.createElement("a"), { textContent, href }));

const isWanted = ({ textContent }) =>
  line.value
    .toLowerCase()
    .split(/\s+/)
    .every((word) => textContent.toLowerCase().includes(word));

/** The dialog is closed before an act, which may need the focus. */
function actEntry([words, act]) {
  const button = Object.assign(document.createElement("button"), { className: "link", textContent: words });
  button.addEventListener("click", () => {
    dialog.close();
    act();
  });
  return button;
}

function show(found = []) {
  const main = [...document.querySelectorAll(".framed nav a:not(.add)")].map((link) => link.cloneNode(true));
  const own = [...main, ...pages, ...Object.values(keys).map(actEntry)];
  list.replaceChildren(
    ...[...own.filter(isWanted), ...found].map((one) => {
      const item = document.createElement("li");
      item.append(one);
      return item;
    }),
  );
}

async function search() {
  const turn = ++asked;
  show();
  const q = line.value.trim();
  if (q === "") return;
  await new Promise((resolve) => setTimeout(resolve, 200));
  if (turn !== asked) return;
  const answer = await fetch(`/account/find?${new URLSearchParams({ q })}`).catch(() => undefined);
  if (!answer?.ok || answer.redirected || turn !== asked) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  show(page.querySelectorAll("#found a"));
}

function step(by) {
  const all = [line, ...list.querySelectorAll("a, button")];
  all[(all.indexOf(document.activeElement) + by + all.length) % all.length].focus();
}

line.addEventListener("input", search);
dialog.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isFirst = event.key === "Enter" && event.target === line;
  if (!by && !isFirst) return;
  event.preventDefault();
  if (by) step(by);
  else list.querySelector("a, button")?.click();
});

function open(event) {
  event.preventDefault();
  if (dialog.open) return dialog.close();
  line.value = "";
  search();
  dialog.showModal();
}

document.querySelector("a.search")?.addEventListener("click", open);
document.addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  open(event);
});
