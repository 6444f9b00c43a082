import type { AxeResults } from "axe-core";
import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe-core finds on a page.
 * @param rules all unless told: in another colour scheme only the colours are others
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe.source);
  const options = rules ? { runOnly: rules } : {};
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id} at ${nodes.map((node) => node.html)}`);
}
