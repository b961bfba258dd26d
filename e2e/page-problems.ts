// Finds problems of a page. In: a page with axe (`loadAxe`), and the width of its window. Out: axe's findings, and
// whether the page is wider than its window, as texts; empty if there are no problems.
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

export async function loadAxe(into: Page | BrowserContext): Promise<void> {
  await into.addInitScript(axe.source);
}

export async function problemsOn(page: Page, width: number): Promise<string[]> {
  return page.evaluate(async (limit) => {
    const { axe } = window as unknown as { axe: { run: (scope: Document, options: object) => Promise<Report> } };
    interface Report {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    }
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, { runOnly: tags });
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`);
    const width = document.documentElement.scrollWidth;
    return width > limit ? [...found, `the page is ${width} px wide in a window of ${limit} px`] : found;
  }, width);
}

/** During a change of themes, colours have the contrast of neither theme. */
export async function transitionsOf(page: Page): Promise<number> {
  return page.evaluate(
    () => document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).length,
  );
}
