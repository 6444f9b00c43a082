// Sends forms marked `data-stay`: each with a key of its own and again until it is answered, so that it happens once.
import { mark } from "./marks.js";
import { here, release, say, showAt, tell } from "./show.js";
import { noteDone, notesBefore, noteUndone } from "./undo-stack.js";
import { forget, store, storedOf } from "./unsent.js";
import { waiting } from "./waiting.js";

/** The last change of each row, because the changes of one row keep their order. */
const lastOf = new Map();

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("[data-stay]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, submitter));
  const at = new Date();
  const key = newKey(at);
  body.set("key", key);
  body.set("at", at.toISOString());
  if (isUndo(form)) body.set("earlier", notesBefore());
  const shown = mark(submitter);
  // A tick turns and a line becomes empty; any other form would do the same twice.
  if (form.ariaBusy) return;
  if (!shown && !form.matches(".quick")) form.ariaBusy = "true";
  form.dispatchEvent(new CustomEvent("sending", { bubbles: true }));
  const row = (submitter ?? form).closest("li[id]");
  const name = body.get("line") ?? row?.querySelector(".name")?.textContent;
  const stored = { key, owner, action: form.action, row: row?.id ?? form.action, name };
  const isStored = store({ ...stored, fields: `${body}` });
  line({ ...stored, body, form, shown, isStored });
});

/** Keys sort by time. `crypto.randomUUID` is missing on pages without TLS. */
const newKey = (at) =>
  [at.getTime(), ...crypto.getRandomValues(new Uint8Array(16))].map((part) => part.toString(16)).join(".");

const isUndo = ({ action }) => action.endsWith("/tick/undo");

/** A mark of the person in the tokens of their forms; a page of nobody has none. */
const owner = document.querySelector("[name=csrf]")?.value.split(".")[1];

/** Sends a change after the earlier ones of its row. */
function line(change) {
  waiting.add(change);
  const before = lastOf.get(change.row);
  lastOf.set(
    change.row,
    (async () => {
      await before;
      await send(change);
    })(),
  );
}

/** Sends what an earlier page of this person left, and shows its ticks. */
async function goOn() {
  for (const stored of await storedOf(owner)) {
    const body = new URLSearchParams(stored.fields);
    const name = body.has("on") ? "on" : "done";
    const button = document
      .getElementById(stored.row)
      ?.querySelector(`[name=${name}][value="${body.get(name)}"]`);
    line({ ...stored, body, shown: mark(button), isLate: true });
  }
  const { kept } = document.documentElement.dataset;
  if (!kept || waiting.size > 0) return;
  say(`No connection. This is Today as it was on ${new Date(kept).toLocaleString()}.`);
  showAt(here());
}
if (owner) goOn();

async function send(change) {
  const { form, shown } = change;
  await change.isStored;
  const answer = await untilAnswered(change);
  const next = answer.headers.get("X-Next");
  const address = new URL(next ?? "", location.href);
  // After the sign-in the page goes on with what is stored.
  if (address.pathname === "/account/sign-in") return location.assign(address);
  waiting.delete(change);
  await forget(change);
  shown?.end();
  if (form) form.ariaBusy = null;
  if (next === null) return refused(change, answer);
  const note = address.searchParams.get("tick") ?? "";
  const isTold = /^(told|late)_/.test(note);
  form?.dispatchEvent(new Event("answered", { bubbles: true }));
  if (isTold) shown?.takeBack();
  if (!shown) release();
  if (isUndo(change)) noteUndone();
  else noteDone(note);
  // The answers of several late changes follow one another too fast to be read.
  if (isTold && change.isLate) await tell(address, change.name);
  await showAt(address.pathname === here().pathname ? address : here());
}

/** Without a connection, or while the service cannot answer, it goes on trying. */
async function untilAnswered(change) {
  const { action, body } = change;
  const headers = { "X-Stay": "yes" };
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, 15_000)) {
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(action, { method: "POST", body, headers, keepalive: true, signal }).catch(
      () => undefined,
    );
    if (answer && answer.status !== 429 && answer.status < 502) return answer;
    for (const one of waiting) one.isLate = true;
    sayWaiting();
    await pause(pauseMs);
  }
}

function sayWaiting() {
  const lines = [...waiting].flatMap(({ body }) => body.getAll("line")).join(" · ");
  const count = waiting.size === 1 ? "A change waits" : `${waiting.size} changes wait`;
  say(`No connection. ${count} here and will be sent when you are online${lines && `: ${lines}`}.`);
}

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", resolve, { once: true });
  });

/** Takes the shown change back and says why, or leaves to the page where the line can be corrected. */
async function refused({ form, action, body, shown }, answer) {
  shown?.takeBack();
  if (body.has("line"))
    return location.assign(`${action}?${new URLSearchParams({ line: body.get("line") })}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const event = new CustomEvent("refused", { bubbles: true, cancelable: true, detail: page });
  if (form && !form.dispatchEvent(event)) return;
  say(`Taken back: ${page.querySelector("main > p")?.textContent ?? "that did not work."}`);
}
