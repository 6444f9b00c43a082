// Puts a button under each block of lines that copies them. Without scripts there is none, and the lines can be
// selected with one click all the same.
const status = document.querySelector("#copied");

for (const block of document.querySelectorAll("pre.lines")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy the lines for ${block.dataset.name}`);
  button.addEventListener("click", async () => {
    const isCopied = await copy(block.querySelector("code"));
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
    status.textContent = `${button.textContent}: the lines for ${block.dataset.name}`;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 3000);
  });
  block.after(button);
}

/** Selects the text as well, for browsers that let pages without https or localhost copy nothing. */
async function copy(element) {
  getSelection().selectAllChildren(element);
  if (!navigator.clipboard) return document.execCommand("copy");
  return navigator.clipboard.writeText(element.textContent).then(
    () => true,
    () => false,
  );
}
