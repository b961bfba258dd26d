// What a person reads of a live blueprint that a newer version of the language refuses.
import { checkBlueprint } from "@plinth/blueprint";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { OutdatedNotice } from "./outdated-notice.tsx";

const NOTES = "project: notes\nentities:\n  note:\n    title: string\n";

function shown(text: string): string {
  const markup = renderToStaticMarkup(<OutdatedNotice problems={checkBlueprint(text).diagnostics} />);
  return markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

test("it says that it is served, and why it is no longer valid", () => {
  const notice = shown(`${NOTES}spell_checking: strict\n`);
  expect(notice).toContain("This blueprint is live, but it is no longer valid");
  expect(notice).toContain("goes on being served");
  expect(notice).toMatch(/Line 5: .*spell_checking/);
});

test("nothing is said of a valid one, warnings or not", () => {
  expect(shown(NOTES)).toBe("");
});
