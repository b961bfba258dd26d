// What is typed for a template's variables, as the service is sent it.
import { expect, test } from "vitest";
import { shownValue, typedValues } from "./template-values.ts";

const example = { name: "name", days: 1, tags: ["a"], link: "https://example.com/" };

test("text stays text, all else is JSON, and what is left empty is not sent", () => {
  const typed = { name: "7", days: "14", tags: '["x","y"]', link: "" };
  expect(typedValues(example, typed)).toEqual({ name: "7", days: 14, tags: ["x", "y"] });
  expect(typedValues(example, { days: "many" })).toEqual({ days: "many" });
});

test("an example that is shown is the same when it is sent back", () => {
  const typed = Object.fromEntries(Object.entries(example).map(([name, value]) => [name, shownValue(value)]));
  expect(typedValues(example, typed)).toEqual(example);
});
