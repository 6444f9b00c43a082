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
}

function turnCell(cell) {
  const isDone = cell.classList.toggle("done");
  cell.classList.toggle("open", !isDone);
  const [date] = cell.value.split(" ");
  cell.value = `${date} ${isDone ? "no" : "yes"}`;
  cell.ariaLabel = cell.ariaLabel.replace(/, (not )?done:/, isDone ? ", done:" : ", not done:");
}
