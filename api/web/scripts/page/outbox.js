// Sends forms marked `data-stay`: each with a key of its own and again until it is answered, so that it happens once.
import { mark } from "./marks.js";
import { release, say, showAt } from "./show.js";
import { noteDone, notesBefore, noteUndone } from "./undo-stack.js";
import { waiting } from "./waiting.js";

/** The last change of each row, because the changes of one row keep their order. */
const lastOf = new Map();

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("[data-stay]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, submitter));
  body.set("key", newKey());
  if (isUndo(form)) body.set("earlier", notesBefore());
  const shown = mark(submitter);
  // A tick turns and a line becomes empty; any other form would do the same twice.
  if (form.ariaBusy) return;
  if (!shown && !form.matches(".quick")) form.ariaBusy = "true";
  form.dispatchEvent(new CustomEvent("sending", { bubbles: true }));
  const change = { form, submitter, body, shown };
  waiting.add(change);
  const row = (submitter ?? form).closest("li[id]")?.id ?? form.action;
  const before = lastOf.get(row);
  lastOf.set(
    row,
    (async () => {
      await before;
      await send(change);
    })(),
  );
});

/** `crypto.randomUUID` is missing on pages without TLS. */
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join(".");

const isUndo = (form) => form.action.endsWith("/tick/undo");

async function send(change) {
  const { form, shown } = change;
  const answer = await untilAnswered(change);
  waiting.delete(change);
  shown?.end();
  form.ariaBusy = null;
  const next = answer.headers.get("X-Next");
  if (next === null) return refused(change, answer);
  const address = new URL(next, location.href);
  // The answer leads elsewhere, for example to a sign-in.
  if (address.pathname !== location.pathname) return location.assign(address);
  const note = address.searchParams.get("tick") ?? "";
  if (/^(told|late)_/.test(note)) shown?.takeBack();
  if (!shown) release();
  if (isUndo(form)) noteUndone();
  else noteDone(note);
  await showAt(address);
}

/** Without a connection, or while the service cannot answer, it goes on trying. */
async function untilAnswered(change) {
  const { form, body } = change;
  const headers = { "X-Stay": "yes" };
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, 15_000)) {
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(form.action, { method: "POST", body, headers, keepalive: true, signal }).catch(
      () => undefined,
    );
    if (answer && answer.status !== 429 && answer.status < 502) return answer;
    change.isLate = true;
    const count = [...waiting].filter(({ isLate }) => isLate).length;
    say(`No connection. ${count === 1 ? "A change waits" : `${count} changes wait`} here and will be sent.`);
    await pause(pauseMs);
  }
}

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", resolve, { once: true });
  });

/** Takes the shown change back and says why, or leaves to the page that asks the person. */
async function refused({ form, submitter, body, shown }, answer) {
  shown?.takeBack();
  if (form.matches(".quick"))
    return location.assign(`${form.action}?${new URLSearchParams({ line: body.get("line") })}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (page.querySelector("main form")) {
    delete form.dataset.stay;
    return form.requestSubmit(submitter);
  }
  say(`Taken back: ${page.querySelector("main > p")?.textContent ?? "that did not work."}`);
}
