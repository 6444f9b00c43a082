// Sends forms marked `data-stay`; the answer's parts (`data-part`) replace the page's.
let last = Promise.resolve();
const inOrder = (act) => {
  last = last.then(act, act);
  return last;
};

/** After a tick the next row slides under the pointer, so a second tap at the same place is ignored. */
let tap = { at: -1_000, x: 0, y: 0 };
let changedAt = -1_000;
document.addEventListener(
  "click",
  (event) => {
    if (event.detail === 0 || !event.target.closest("form[data-stay]")) return;
    const { clientX: x, clientY: y } = event;
    const at = performance.now();
    const isSoon = at - Math.max(tap.at, changedAt) < 700;
    if (isSoon && Math.hypot(x - tap.x, y - tap.y) < 24) event.preventDefault();
    tap = { at, x, y };
  },
  true,
);

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("[data-stay]")) return;
  event.preventDefault();
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  const body = new URLSearchParams(new FormData(form, submitter));
  const sent = fetch(form.action, { method: "POST", body, keepalive: true });
  inOrder(async () => {
    const answer = await sent;
    await show(answer);
    history.replaceState(null, "", answer.url);
  }).catch(() => {
    // The answer leads elsewhere, for example to a sign-in.
    delete form.dataset.stay;
    form.requestSubmit(submitter);
  });
});

/** The notice is outside the parts, so it is not requested again. */
function from() {
  const address = new URL(document.getElementById("live")?.dataset.from ?? location.href, location.href);
  for (const name of ["did", "undid"]) address.searchParams.delete(name);
  return address;
}
const refresh = () => inOrder(async () => show(await fetch(from()))).catch(() => {});
addEventListener("stale", refresh);
addEventListener("pageshow", ({ persisted }) => persisted && refresh());

async function show(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const pairs = [...page.querySelectorAll("[data-part]")].map((part) => [
    document.getElementById(part.id),
    part,
  ]);
  if (!answer.ok || !pairs.length || pairs.some(([old]) => !old)) throw answer;
  const focused = document.activeElement;
  const items = [...document.querySelectorAll("[data-part] li[id]")];
  const at = items.findIndex((item) => item.contains(focused));
  for (const [old, part] of pairs) change(old, part);
  changedAt = performance.now();
  if (focused.isConnected || at < 0) return;
  const next = [...items.slice(at), ...items.slice(0, at).reverse()].find((item) => item.isConnected);
  next?.querySelector("button, a")?.focus({ preventScroll: true });
}

/** Equal nodes stay, and with them focus, scroll position and typed text. */
function change(old, wanted) {
  for (const { name } of [...old.attributes])
    if (!wanted.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (name !== "open") old.setAttribute(name, value);
  const nodes = [...wanted.childNodes];
  const ids = new Set(nodes.map(({ id }) => id));
  const known = new Map([...old.children].map((child) => [child.id, child]));
  for (const [id, child] of known) if (id && !ids.has(id)) child.remove();
  let at = old.firstChild;
  for (const node of nodes) {
    const named = node.id && known.get(node.id);
    while (named && at && !at.id) at = drop(at);
    const same = named || (at && !at.id && at.nodeName === node.nodeName && at);
    if (same && same === at) at = at.nextSibling;
    else old.insertBefore(same || node, at);
    if (same && node.attributes) change(same, node);
    else if (same) same.data = node.data;
  }
  while (at) at = drop(at);
}

function drop(node) {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}
