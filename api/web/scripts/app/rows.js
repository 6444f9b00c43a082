// Habits and todos as rows, with the classes that the account pages give them.
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(Boolean));
  return made;
};

/** The tick of a row: the tool that a press calls, and the labels before and after it. */
const kinds = {
  habit: {
    nameOf: ({ name }) => name,
    isDone: ({ is_completed_today }) => is_completed_today === true,
    label: ({ type }) => (type === "bad" ? "Avoided today" : "Done today"),
    facts: ({ this_week, time_of_day, category, ends_tonight }) => [
      ends_tonight && "its streak ends tonight",
      this_week && `${this_week} this week`,
      time_of_day,
      category,
    ],
    call: ({ id }, done) => ["complete-habit", { habit_id: id, ...(!done && { undo: true }) }],
  },
  todo: {
    nameOf: ({ title }) => title,
    isDone: ({ is_completed }) => is_completed === true,
    label: () => "Done",
    facts: ({ is_overdue, due_date, due_time, time_of_day, context, category }) => [
      is_overdue && "overdue",
      [due_date, due_time].filter(Boolean).join(" "),
      time_of_day,
      context && `@${context}`,
      category,
    ],
    call: ({ id }, done) => ["toggle-todo", { todo_id: id, completed: done }],
  },
};

/**
 * @param press takes a tool's name, its arguments, and a function that shows the state before the press
 * @returns a list item
 */
export function row(kind, thing, press) {
  const { nameOf, isDone, label, facts, call } = kinds[kind];
  const button = element("button", { type: "button", className: "tick" }, check());
  const item = element(
    "li",
    { className: "card item" },
    button,
    element(
      "div",
      { className: "what" },
      element("p", { className: "name", textContent: nameOf(thing) }),
      element("p", { className: "line quiet small", textContent: facts(thing).filter(Boolean).join(" · ") }),
    ),
    kind === "habit" && element("p", { className: "streak", textContent: thing.streak_count ?? 0 }),
  );
  const show = (done) => {
    item.classList.toggle("done", done);
    button.ariaLabel = `${done ? "Undo" : label(thing)}: ${nameOf(thing)}`;
  };
  show(isDone(thing));
  button.addEventListener("click", () => {
    const done = !item.classList.contains("done");
    show(done);
    press(...call(thing, done), () => show(!done));
  });
  return item;
}

function check() {
  const holder = document.createElement("template");
  holder.innerHTML = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>';
  return holder.content.firstChild;
}
