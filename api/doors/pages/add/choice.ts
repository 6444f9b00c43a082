import { type Html, html } from "../../../../shared/html.ts";
import type { QuickHabit, QuickTodo } from "../../../queries/quick-add/quick-add.ts";
import { addPath } from "../session/quick-bar.ts";

/** The chosen alternative of a reading; the reading itself if it has no alternative of that label. */
export function withChoice(quick: QuickTodo | QuickHabit, label: string | null): QuickTodo | QuickHabit {
  const chosen = quick.alternatives.find((alternative) => alternative.label === label);
  if (!chosen) return quick;
  const { category, alternatives } = quick;
  if ("habit" in chosen) return { kind: "habit", ...chosen.habit, category, alternatives };
  const { label: _, ...fields } = chosen;
  return { ...quick, ...fields };
}

/** The other choices as buttons, and one back to the first reading. */
export function choices(
  { alternatives }: QuickTodo | QuickHabit,
  { searchParams }: URL,
  chosen: string | null,
): Html | null {
  const others = alternatives.filter(({ label }) => label !== chosen);
  if (alternatives.length === 0) return null;
  const kept = ["line", "from", "kind"].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  const isChosen = others.length < alternatives.length;
  return html`<form method="get" action="${addPath}" class="chips">${kept}
    <span class="quiet">Or is it</span>
    ${isChosen && html`<button class="plain" name="choice" value="">as first read</button>`}
    ${others.map(({ label }) => html`<button class="plain" name="choice" value="${label}">${label}</button>`)}</form>`;
}
