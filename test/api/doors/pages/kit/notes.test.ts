import { expect, test } from "bun:test";
import { linked, progressOf, withTurnedLine } from "../../../../../api/doors/pages/kit/notes.ts";
import { html, markup } from "../../../../../shared/html.ts";

const notes = "Before the trip:\n- [ ] pack\n- [x] ask Kim\n  - [ ] a charger";

test.each([
  ["1 - [ ] pack", "Before the trip:\n- [x] pack\n- [x] ask Kim\n  - [ ] a charger"],
  ["2 - [x] ask Kim", "Before the trip:\n- [ ] pack\n- [ ] ask Kim\n  - [ ] a charger"],
  ["3   - [ ] a charger", "Before the trip:\n- [ ] pack\n- [x] ask Kim\n  - [x] a charger"],
])("pressing %j turns that line alone", (shown, after) => {
  expect(withTurnedLine(notes, shown)).toBe(after);
});

test.each(["1 - [ ] ask Kim", "2 - [ ] pack", "0 Before the trip:", "9 - [ ] pack", "1", "", "x"])(
  "pressing %j, which the notes do not have there, turns nothing",
  (shown) => {
    expect(withTurnedLine(notes, shown)).toBeUndefined();
  },
);

test("a row counts what is ticked, and addresses are links without the full stop behind them", () => {
  expect([progressOf(notes), progressOf("nothing")]).toEqual(["1 of 3", undefined]);
  const link = `<a href="https://example.org/a?b=1&amp;c" rel="noopener noreferrer">https://example.org/a?b=1&amp;c</a>`;
  expect(markup(html`${linked("See https://example.org/a?b=1&c. <Then> go.")}`)).toBe(
    `See ${link}. &lt;Then&gt; go.`,
  );
});
