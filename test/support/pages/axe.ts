import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe-core finds on a page.
 * @param rules all unless told: in another colour scheme only the colours are others
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  // Told in the page itself: whatever has no fault is many times as much to bring over.
  const told = `({ id, nodes }) => id + " at " + nodes.map(({ html }) => html)`;
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(${told}))`,
  );
}
