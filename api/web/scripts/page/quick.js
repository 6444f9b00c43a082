// Shows the reading of the line at the top while it is typed. Without scripts it is added as it is.
const line = document.querySelector("#quick-line");
const shown = document.createElement("div");
shown.className = "quick-shown";
shown.setAttribute("role", "status");
line?.form.append(shown);
// On a phone the plus opens the line with the keyboard up.
document.querySelector('a.add[href="#quick"]')?.addEventListener("click", (event) => {
  event.preventDefault();
  line.focus();
});
let timer;
let asked = 0;

line?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(show, 300);
});

line?.form.addEventListener("sending", () => {
  clearTimeout(timer);
  asked++;
  line.value = "";
  shown.replaceChildren();
});

async function show() {
  const turn = ++asked;
  const parts = line.value.trim() === "" ? [] : await understood(line.value);
  if (parts && turn === asked) shown.replaceChildren(...parts);
}

/** The title and chips of the preview; undefined if it cannot be fetched. */
async function understood(text) {
  const from = new FormData(line.form).get("from");
  const address = `${line.form.action}?${new URLSearchParams({ line: text, ...(from && { from }) })}`;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return undefined;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelectorAll(".preview > p, .preview > ul, .preview > form");
}
