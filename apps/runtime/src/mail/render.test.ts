// The maximum result of a template and its values: as much as this process can sanitize between two requests of others.
import { expect, it } from "vitest";
import { bundleOf } from "../http/testing/test-cell.ts";
import { renderEmail } from "./render.ts";

const blueprint = `project: desk
modules: [auth, users, workers]
emails:
  echo:
    variables: { a: string }
    subject: Echo
    body: "${"${{ a }} ".repeat(1_000)}"
`;

it("a value that a template repeats can't make a mail too long", () => {
  const [echo] = bundleOf(blueprint).background.emails ?? [];
  const mailOf = (a: string) => renderEmail(echo!, { a }, null);
  expect(mailOf("a".repeat(50)).text.length).toBe(51_000);
  // Counted after escaping, because that is what is sanitized.
  expect(() => mailOf("&".repeat(30))).toThrowError(expect.objectContaining({ code: "conflict" }));
  expect(() => mailOf("a".repeat(10_000))).toThrowError(expect.objectContaining({ code: "conflict" }));
});
