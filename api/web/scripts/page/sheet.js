// Opens a todo of a list in a sheet over it: the form of its own page, under its own address.
import { here, setBehind } from "./show.js";

const sheet = document.createElement("dialog");
sheet.className = "sheet";
const close = Object.assign(document.createElement("button"), { className: "close", ariaLabel: "Close" });
close.textContent = "×";
document.body.append(sheet);
/** The form that is not saved yet. */
let changed;

document.addEventListener("click", (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  const link = target.closest?.("li.item .name a[href^='/account/todos/']");
  if (!link || event.defaultPrevented || button || ctrlKey || metaKey || shiftKey || altKey) return;
  event.preventDefault();
  open(link.href);
});

async function open(href) {
  const answer = await fetch(href).catch(() => undefined);
  const page = answer?.ok && !answer.redirected && parse(await answer.text());
  const list = here();
  if (!page || !fill(page, list)) return location.assign(href);
  setBehind(list);
  history.pushState({ isSheet: true }, "", href);
  sheet.showModal();
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

/** Its forms are sent without leaving the list, which is the page after them. */
function fill(page, { pathname, search }) {
  const thing = page.getElementById("thing");
  if (!thing) return false;
  for (const form of thing.querySelectorAll("form")) {
    form.dataset.stay = "";
    const from = form.querySelector("[name=from]") ?? document.createElement("input");
    Object.assign(from, { type: "hidden", name: "from", value: pathname + search });
    form.append(from);
  }
  sheet.ariaLabel = page.querySelector("h1").textContent;
  sheet.replaceChildren(close, thing);
  changed = undefined;
  return true;
}

const mayClose = () => !changed?.isConnected || confirm("Close without saving?");

sheet.addEventListener("cancel", (event) => mayClose() || event.preventDefault());
sheet.addEventListener("click", ({ target }) => {
  if ((target === sheet || target === close) && mayClose()) sheet.close();
});
sheet.addEventListener("close", () => {
  sheet.replaceChildren();
  if (history.state?.isSheet) history.back();
});
sheet.addEventListener("answered", async ({ target }) => {
  if (!target.matches(".notes")) return sheet.close();
  if (!changed?.isConnected) fill(parse(await (await fetch(location.href)).text()), here());
});
sheet.addEventListener("refused", (event) => {
  if (fill(event.detail, here())) event.preventDefault();
});
addEventListener("popstate", ({ state }) => {
  if (state?.isSheet) return location.reload();
  setBehind(undefined);
  sheet.close();
});

document.addEventListener("click", ({ target }) => {
  const { form, dataset } = target.closest?.("[data-due]") ?? {};
  if (!form) return;
  form.elements.due_date.value = dataset.due;
  changed = form;
});
document.addEventListener("input", ({ target: { form } }) => {
  if (form?.matches("#thing .card, #new-thing")) changed = form;
});
document.addEventListener("submit", () => {
  changed = undefined;
});
addEventListener("beforeunload", (event) => changed?.isConnected && event.preventDefault());
