import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * Faults found by axe-core on a page.
 * @param rules all by default: another colour scheme changes only the colours
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  // The page itself makes the text, because the full result is far larger.
  const told = `({ id, nodes }) => id + " at " + nodes.map(({ html }) => html)`;
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(${told}))`,
  );
}
