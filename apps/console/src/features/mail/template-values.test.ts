// The typed values of a template's variables as the input of the request.
import { expect, test } from "vitest";
import { shownValue, typedValues } from "./template-values.ts";

const example = { name: "name", days: 1, tags: ["a"], link: "https://example.com/" };

test("text stays text, everything else is JSON, and empty fields are not sent", () => {
  const typed = { name: "7", days: "14", tags: '["x","y"]', link: "" };
  expect(typedValues(example, typed)).toEqual({ name: "7", days: 14, tags: ["x", "y"] });
  expect(typedValues(example, { days: "many" })).toEqual({ days: "many" });
});

test("an unchanged example is sent as it was", () => {
  const typed = Object.fromEntries(Object.entries(example).map(([name, value]) => [name, shownValue(value)]));
  expect(typedValues(example, typed)).toEqual(example);
});
