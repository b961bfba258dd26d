// A long list of consents stays readable, and each consent is still given separately.
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ConsentList } from "./consent-list.tsx";
import { requiredConsents } from "./consents.ts";

const removed = Array.from({ length: 60 }, (_, index) => `breaking listing.f${index}`);

function list(names: readonly string[], given: readonly string[] = []): string {
  const required = requiredConsents(names, []);
  return renderToStaticMarkup(<ConsentList required={required} given={new Set(given)} onChange={() => {}} />);
}

const count = (markup: string, part: string): number => markup.split(part).length - 1;

test("many consents of one kind are folded, with the number of given ones; a few are not", () => {
  const markup = list(["destructive listing.f0", ...removed], ["breaking listing.f3", "breaking listing.f7"]);
  expect(count(markup, "<details")).toBe(1);
  expect(markup.indexOf("Drops data")).toBeLessThan(markup.indexOf("<details"));
  expect(markup).toContain("60 consents");
  expect(markup).toContain("2 of 60 given");
});

test("there is a checkbox for each consent, and none for several", () => {
  expect(count(list(["destructive listing.f0", ...removed]), 'type="checkbox"')).toBe(61);
});

test("a short list has no folds", () => {
  expect(list(removed.slice(0, 5))).not.toContain("<details");
});

test("people who can't give consents see them without checkboxes", () => {
  const required = requiredConsents(["destructive listing.f0"], []);
  const markup = renderToStaticMarkup(
    <ConsentList mayGive={false} required={required} given={new Set()} onChange={() => {}} />,
  );
  expect(markup).toContain("listing.f0");
  expect(markup).not.toContain("checkbox");
});
