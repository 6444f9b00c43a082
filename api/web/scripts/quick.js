// Shows below the line at the top what it was understood to say, while it is typed. Without scripts the next page does.
const line = document.querySelector("#quick-line");
const shown = document.createElement("div");
shown.className = "quick-shown";
shown.setAttribute("role", "status");
line?.form.after(shown);
let timer;
let asked = 0;

line?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(show, 300);
});

async function show() {
  const turn = ++asked;
  const parts = line.value.trim() === "" ? [] : await understood(line.value);
  if (parts && turn === asked) shown.replaceChildren(...parts);
}

/** The title and the chips of the preview; undefined when it could not be had. */
async function understood(text) {
  const address = `${line.form.action}?${new URLSearchParams({ line: text })}`;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return undefined;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelectorAll(".preview > p, .preview > ul");
}
