// Shows the parts of the API reference that have the typed words.
const line = document.getElementById("find");
const told = document.getElementById("found");
const cards = [...document.querySelectorAll("section.card")].map((card) => ({
  card,
  text: card.textContent.toLowerCase(),
  link: document.querySelector(`.contents a[href="#${card.id}"]`)?.closest("li"),
}));
line.hidden = false;
line.addEventListener("input", () => {
  const words = line.value.toLowerCase().split(/\s+/);
  const found = cards.filter(({ card, text, link }) => {
    const has = words.every((word) => text.includes(word));
    card.hidden = !has;
    if (link) link.hidden = !has;
    return has;
  });
  told.textContent = line.value.trim() === "" ? "" : `${found.length} found`;
});
