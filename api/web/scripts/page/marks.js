import { hold } from "./show.js";

/**
 * Shows a tick before it is answered.
 * @returns a function that takes it back; undefined for other buttons
 */
export function mark(button) {
  const row = button?.closest("li[id]");
  if (!row || !button.matches(".tick, .cell")) return undefined;
  const turn = () => (button.matches(".tick") ? turnTick(row, button) : turnCell(button));
  hold();
  turn();
  row.classList.add("sending");
  return {
    takeBack: turn,
    end: () => row.classList.remove("sending"),
  };
}

function turnTick(row, button) {
  row.classList.toggle("done");
  const { ariaLabel } = button;
  button.ariaLabel = button.dataset.other;
  button.dataset.other = ariaLabel;
  button.value = button.value === "yes" ? "no" : "yes";
  count(row, row.classList.contains("done") ? 1 : -1);
  const streak = row.querySelector(".streak");
  if (!streak) return;
  const number = streak.querySelector("strong");
  [number.textContent, streak.dataset.other] = [streak.dataset.other, number.textContent];
  streak.classList.toggle("alive", number.textContent > 0);
}

/** The numbers of the day follow the tick; the answer has those of the streak. */
function count({ id }, by) {
  const which = id.startsWith("habit-") ? ".ring .done, #habits-done .done" : ".ring .done";
  for (const number of document.querySelectorAll(which)) number.textContent = Number(number.textContent) + by;
  const ring = document.querySelector(".ring");
  const done = ring?.querySelector(".done").textContent;
  ring?.querySelector(".so-far").setAttribute("stroke-dasharray", `${(100 * done) / ring.dataset.all} 100`);
}

function turnCell(cell) {
  const isDone = cell.classList.toggle("done");
  cell.classList.toggle("open", !isDone);
  const [date] = cell.value.split(" ");
  cell.value = `${date} ${isDone ? "no" : "yes"}`;
  cell.ariaLabel = cell.ariaLabel.replace(/, (not )?done:/, isDone ? ", done:" : ", not done:");
}
