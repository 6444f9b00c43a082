// Shows in a conversation the habits or todos that a tool found; a press on a tick does it, another undoes it.
import { ask, listen, notify } from "./host.js";
import { row } from "./rows.js";

const list = document.querySelector("ul");
const status = document.querySelector("[role=status]");

const say = (text) => {
  status.textContent = text;
};

/** One change after another, because a host may pass calls on in any order. */
let queue = Promise.resolve();

function press(name, args, takeBack) {
  queue = queue.then(async () => {
    const refusal = await change(name, args);
    say(refusal ?? "");
    if (refusal !== undefined) takeBack();
  });
}

/** @returns what to tell the person when nothing was changed; undefined when it was done */
async function change(name, args) {
  const call = { name, arguments: { ...args, idempotency_key: crypto.randomUUID() } };
  // A repeat has the same key, so an answer that was lost does no harm.
  for (let tries = 2; ; tries--) {
    const answer = await ask("tools/call", call).catch(({ message }) => ({ failure: message }));
    const { failure, isError, structuredContent: facts = {} } = answer;
    if (facts.waiting) return facts.message;
    if (!failure && !isError) return undefined;
    if (tries > 1 && (failure || facts.applied === "unknown")) continue;
    return facts.message ?? `This could not be done: ${failure ?? "the tool refused it"}.`;
  }
}

function show({ structuredContent: facts = {} }) {
  const habits = (facts.habits ?? []).map((habit) => row("habit", habit, press));
  const todos = (facts.todos ?? []).map((todo) => row("todo", todo, press));
  list.replaceChildren(...habits, ...todos);
  const found = habits.length + todos.length;
  if (found === 0) say(facts.message ?? "Nothing to do here.");
  else say(facts.total > found ? `And ${facts.total - found} more.` : "");
}

listen({ "ui/notifications/tool-result": show });
await ask("ui/initialize", {
  appInfo: { name: "kept", title: "Kept", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  protocolVersion: "2026-01-26",
});
notify("ui/notifications/initialized");
new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.documentElement);
