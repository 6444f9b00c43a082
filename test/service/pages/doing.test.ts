import { expect } from "bun:test";
import { addDays } from "../../../shared/domain/day/day.ts";
import { browserTest, signedInPerson, startSite } from "../../support/pages/support.ts";

const site = await startSite({ RATE_LIMIT_PER_MINUTE: "0" });
const { stack } = site;
const { baseUrl } = stack.config;
/** In the zone of everybody in these tests. */
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });

type Size = Readonly<{ width: number; height: number }>;
const desk = { width: 1_280, height: 900 };
const phone = { width: 390, height: 844 };

async function newPerson(viewport: Size = desk, options = {}) {
  const { page, newToken } = await signedInPerson(site, { viewport, ...options });
  const token = await newToken("Script");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  return { page, rest };
}

/** A full day: 12 habits, and 40 todos of which 5 are overdue and 12 due today. */
async function fullDay(rest: Awaited<ReturnType<typeof newPerson>>["rest"]) {
  const habits = Array.from({ length: 12 }, (_, n) =>
    rest("POST", "/habits", { name: `Habit ${n + 1}`, type: "good", frequency: "daily", grace_days: 0 }),
  );
  const days = [-3, 0, 0, 1, 4, 9, null, null];
  const todos = Array.from({ length: 40 }, (_, n) => {
    const ago = days[n % days.length];
    return rest("POST", "/todos", {
      title: `Todo ${n + 1}`,
      ...(ago != null && { due_date: addDays(today, ago) }),
    });
  });
  await Promise.all([...habits, ...todos]);
}

browserTest(
  "on a full day six tasks can be ticked on the first screen, and the first todo is near",
  async () => {
    const { page, rest } = await newPerson();
    await fullDay(rest);
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      await page.goto(`${baseUrl}/account`);
      const boxes = await Promise.all(
        (await page.locator("button.tick:visible").all()).map((one) => one.boundingBox()),
      );
      const onScreen = boxes.filter((box) => box && box.y >= 0 && box.y + box.height <= viewport.height);
      expect(onScreen.length).toBeGreaterThanOrEqual(6);
      const labelOf = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
      let tabs = 0;
      for (; !String(await labelOf()).startsWith("Done: Todo") && tabs < 20; tabs++) {
        await page.keyboard.press("Tab");
        if ((await page.locator(":focus").textContent()) === "Skip to content")
          await page.keyboard.press("Enter");
      }
      expect(tabs).toBeLessThanOrEqual(8);
    }
  },
);

browserTest("what is overdue moves to today by one button, and back by one undo", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, rest } = await newPerson(desk, { javaScriptEnabled });
    await fullDay(rest);
    const overdue = async () => (await rest("GET", "/todos?due=overdue")).meta.total;
    expect(await overdue()).toBe(5);
    await page.goto(`${baseUrl}/account`);
    expect(await page.getByRole("button", { name: "Done: Todo 1", exact: true }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Move to today" }).click();
    await page.getByText("Moved to today: 5 at once").waitFor();
    expect(await overdue()).toBe(0);
    await page.getByRole("button", { name: "Done: Todo 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Taken back.").waitFor();
    expect(await overdue()).toBe(5);
  }
});

browserTest(
  "the days before today are ticked in the list, and a streak that ends tonight comes first",
  async () => {
    const { page, rest } = await newPerson();
    const habit = { type: "good", frequency: "daily", grace_days: 0 };
    await rest("POST", "/habits", { ...habit, name: "Read" });
    const { id } = await rest("POST", "/habits", { ...habit, name: "Run" });
    const yesterday = addDays(today, -1);
    await page.goto(`${baseUrl}/account`);
    await page.getByRole("button", { name: "Yesterday, not done: Run" }).click();
    await page.getByRole("button", { name: "Yesterday, done: Run" }).waitFor();
    await page.getByText("Done: Run").waitFor();
    expect((await rest("GET", `/habits/${id}/completions`)).data).toMatchObject([{ date: yesterday }]);
    await page.goto(`${baseUrl}/account`);
    const first = page.locator("li[id^=habit-]").first();
    expect(await first.getAttribute("id")).toBe(`habit-${id}`);
    expect(await first.textContent()).toContain("ends today unless done");
  },
);

browserTest("a newcomer's first screen offers a first habit and a first todo, and no zeros", async () => {
  const { page, rest } = await newPerson(phone);
  await page.goto(`${baseUrl}/account`);
  expect(await page.locator("#day").innerText()).not.toMatch(/(^|\s)0(\s|$)/);
  await page.getByRole("link", { name: "Renew the passport in 3 weeks" }).waitFor();
  await page.getByRole("link", { name: "habit Read every evening" }).click();
  await page.getByRole("button", { name: "Add it like this" }).click();
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();
  expect((await rest("GET", "/habits")).data).toMatchObject([{ name: "Read", time_of_day: "evening" }]);
});
