// Acts on one todo: buttons in the row that is pointed at, a menu over it, and a drag to another day.
const todoAt = (target) => target.closest?.("li.item[id^=todo-]:not(.done)");
const menu = () => document.getElementById("row-menu");
let bar;
let row;

/** Puts the buttons into a row, after what it has. */
function place(next) {
  bar ??= document.getElementById("acts")?.content.firstElementChild.cloneNode(true);
  if (!bar || !next || next.contains(bar)) return;
  row = next;
  row.append(bar);
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  const isBusy = bar?.contains(document.activeElement) || menu()?.matches(":popover-open");
  if (pointerType === "mouse" && !isBusy) place(todoAt(target));
});
document.addEventListener("focusin", ({ target }) => place(todoAt(target)));

// A row that was shown anew has lost them.
addEventListener("shown", ({ detail: focused }) => {
  if (!bar || bar.isConnected || !row?.isConnected) return;
  row.append(bar);
  if (bar.contains(focused)) focused.focus();
});

function openMenu(at) {
  const shown = menu();
  shown.showPopover();
  const { right, bottom } = at.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = shown;
  shown.style.left = `${Math.max(8, Math.min(right, innerWidth - 8) - offsetWidth)}px`;
  shown.style.top = `${Math.max(8, Math.min(bottom, innerHeight - offsetHeight - 8))}px`;
}

/** Chooses this row and no other, for the form of the chosen ones. */
function choose() {
  for (const one of document.querySelectorAll(".pick")) one.checked = one.closest("li") === row;
}

function moveTo(date) {
  const form = document.getElementById("chosen");
  choose();
  form.elements.due_date.value = date;
  form.requestSubmit(form.querySelector("[value=edited]"));
}

const acts = {
  edit: () => row.querySelector(".name a").click(),
  more: (button) => openMenu(button),
  date(button) {
    openMenu(button);
    menu().querySelector("input").focus();
  },
  move() {
    const { value } = menu().querySelector("input");
    if (value) moveTo(value);
  },
};

document.addEventListener(
  "click",
  ({ target }) => {
    const button = target.closest?.(".acts button, #row-menu button");
    if (!button) return;
    menu().hidePopover();
    // The other buttons send the form.
    if (Object.hasOwn(acts, button.value)) acts[button.value](button);
    else choose();
  },
  true,
);

/** A press on a row, by mouse or by a finger that stays. It drags where days are, and a finger opens the menu. */
let press;
const hasDays = () => document.querySelector("[data-day]") !== null;

document.addEventListener("pointerdown", ({ target, pointerType, button, clientX, clientY }) => {
  const item = todoAt(target);
  const isTouch = pointerType !== "mouse";
  if (!item || button > 0 || target.closest("button, input") || !(isTouch || hasDays())) return;
  press = { item, isTouch, x: clientX, y: clientY + scrollY };
  if (isTouch) press.timer = setTimeout(lift, 450);
});

function lift() {
  press.isLifted = true;
  press.item.classList.add("lifted");
}

document.addEventListener("pointermove", ({ clientX, clientY }) => {
  if (!press) return;
  const [x, y] = [clientX - press.x, clientY + scrollY - press.y];
  const isFar = Math.hypot(x, y) > 8;
  if (!press.isLifted) {
    if (!isFar) return;
    if (press.isTouch) return end();
    lift();
  }
  if (!hasDays() || !(isFar || press.isMoved)) return;
  press.isMoved = true;
  press.item.style.transform = `translate(${x}px, ${y}px)`;
  const day = document.elementFromPoint(clientX, clientY)?.closest("[data-day]");
  if (day !== press.day) press.day?.classList.remove("over");
  press.day = day;
  day?.classList.add("over");
  const edge = clientY < 70 ? -1 : clientY > innerHeight - 70 ? 1 : 0;
  scrollBy(0, 12 * edge);
});

document.addEventListener("pointerup", () => {
  const { item, day, isTouch, isLifted, isMoved } = press ?? {};
  end();
  if (!isLifted) return;
  // The click that follows would open the todo.
  addEventListener("click", stop, { capture: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
  row = item;
  if (isTouch && !isMoved) openMenu(item);
  const { day: date } = day?.dataset ?? {};
  if (isMoved && date && day !== item.closest("[data-day]")) moveTo(date);
});

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

function end() {
  if (!press) return;
  clearTimeout(press.timer);
  press.item.classList.remove("lifted");
  press.item.style.transform = "";
  press.day?.classList.remove("over");
  press = undefined;
}

document.addEventListener("pointercancel", end);
document.addEventListener("keydown", ({ key }) => key === "Escape" && end());
// A lifted row does not scroll the page, and neither a link is dragged nor a menu of the browser opened.
document.addEventListener("touchmove", (event) => press?.isLifted && event.preventDefault(), {
  passive: false,
});
document.addEventListener("contextmenu", (event) => press?.isTouch && event.preventDefault());
document.addEventListener("dragstart", (event) => press && event.preventDefault());
