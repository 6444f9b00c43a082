// Puts a button under each block of lines that copies them. Without scripts, one click selects the lines.
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

/** Also selects the text, because some browsers let pages without https or localhost copy nothing. */
async function copy(element) {
  getSelection().selectAllChildren(element);
  if (!navigator.clipboard) return document.execCommand("copy");
  return navigator.clipboard.writeText(element.textContent).then(
    () => true,
    () => false,
  );
}
