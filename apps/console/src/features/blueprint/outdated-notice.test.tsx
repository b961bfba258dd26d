// The notice about a live blueprint that the present language refuses.
import { checkBlueprint } from "@plinth/blueprint";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { OutdatedNotice } from "./outdated-notice.tsx";

const NOTES = "project: notes\nentities:\n  note:\n    title: string\n";

function shown(text: string): string {
  const markup = renderToStaticMarkup(<OutdatedNotice problems={checkBlueprint(text).diagnostics} />);
  return markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

test("it says that the blueprint is still served, and why it is no longer valid", () => {
  const notice = shown(`${NOTES}spell_checking: strict\n`);
  expect(notice).toContain("This blueprint is live, but it is no longer valid");
  expect(notice).toContain("is still served");
  expect(notice).toMatch(/Line 5: .*spell_checking/);
});

test("a valid blueprint has no notice, with or without warnings", () => {
  expect(shown(NOTES)).toBe("");
});
