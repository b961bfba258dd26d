// The messages for bodies of hand-written routes: in our own words, even if the validator has others.
import { expect, it } from "vitest";
import { z } from "zod";
import { problemOf } from "./json-body.ts";

it.each([
  [z.string().min(8), "abc", "It must have at least 8 characters."],
  [z.string().min(1), "", "It must have at least 1 character."],
  [z.string().max(2), "abc", "It must have at most 2 characters."],
  [z.array(z.string()).min(1), [], "It must have at least 1 item."],
  [z.number().min(0), -1, "It must be at least 0."],
  [z.number().max(168), 169, "It must be at most 168."],
  [z.string().min(2, "Two letters."), "a", "Two letters."],
])("a value beyond a bound: %#", (schema, value, message) => {
  const problems = schema.safeParse(value, { reportInput: true }).error?.issues.map(problemOf);
  expect(problems).toEqual([{ path: "", code: "invalid", message }]);
});
