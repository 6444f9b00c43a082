import type { AxeResults } from "axe-core";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core calls serious or worse on a page. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return grave.map(({ id, nodes }) => `${id} at ${nodes.map((node) => node.html)}`);
}
