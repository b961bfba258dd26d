import { expect, test } from "vitest";
import { isHidden } from "./keep-cursor-visible.ts";

test.each([
  ["the line was visible and is covered now", { bottom: 590, heightBefore: 600, heightAfter: 540 }, true],
  ["the line is still visible", { bottom: 500, heightBefore: 600, heightAfter: 540 }, false],
  ["somebody had scrolled away, below", { bottom: 900, heightBefore: 600, heightAfter: 540 }, false],
  ["somebody had scrolled away, above", { bottom: -40, heightBefore: 600, heightAfter: 540 }, false],
  ["the editor grows", { bottom: 590, heightBefore: 540, heightAfter: 600 }, false],
])("%s", (_, place, hidden) => {
  expect(isHidden(place)).toBe(hidden);
});
