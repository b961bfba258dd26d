// Signing in never leads to another site, whatever the address is. The tests use the same URL parser as browsers.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextPath, withNext } from "./next-path.ts";

const CONSOLE = "https://console.example";

/** The origin of the page that a browser would open. */
function originAfter(next: string | null): string {
  return new URL(nextPath(next), `${CONSOLE}/sign-in`).origin;
}

describe("nextPath", () => {
  test.each([
    "/projects/prj_1/data?entity=listing",
    "/projects/prj_1/data?filter=a%2Fb%5Cc&next=//x#row",
    "/invitation",
    "/account",
  ])("keeps %s", (path) => {
    expect(nextPath(path)).toBe(path);
  });

  const elsewhere = [
    null,
    "",
    "projects",
    "https://evil.example",
    "https:evil.example",
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "/\r\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "\u0000//evil.example",
    "/\t\\evil.example",
    "/\u0000/evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/./\\evil.example",
    "/%2e//evil.example",
    "/projects/..//evil.example",
    "/projects/%2e%2e//evil.example",
    "/%09/evil.example",
    "/%0a/evil.example",
    "/%0d%0a/evil.example",
    "/%2f/evil.example",
    "/%2F%2Fevil.example",
    "/%5cevil.example",
    "/%5C%5Cevil.example",
    "/%252fevil.example",
    "/%00/evil.example",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "/\tjavascript:alert(1)",
    "data:text/html,x",
    "blob:https://evil.example/x",
    "http:/evil.example",
    "http:\\\\evil.example",
    "@evil.example",
    ".evil.example",
    "//evil.example:443/x",
    "//user@evil.example",
    "//[::1]/",
    "//console.invalid",
    "http://console.invalid/projects",
  ];

  test.each(elsewhere)("falls back to the projects for %j", (next) => {
    expect(nextPath(next)).toBe("/projects");
  });

  test("never leaves the origin, for any combination of these pieces", () => {
    const pieces = ["/", "\\", "\t", "\n", "\r", " ", ".", "..", "%2e", "%2f", "%5c", "%09", "%", ":", "@", "?", "#"];
    const words = [
      "http:",
      "https:",
      "javascript:",
      "evil.example",
      "console.invalid",
      "projects",
      "\u0000",
      "\u3002",
      "\uff0f",
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (next) => {
        expect(originAfter(next)).toBe(CONSOLE);
        expect(originAfter(decodeURIComponent(encodeURIComponent(next)))).toBe(CONSOLE);
        // Applying it again, as a router may, changes nothing.
        expect(nextPath(nextPath(next))).toBe(nextPath(next));
      }),
      { numRuns: 20_000 },
    );
  });
});

test("an address keeps the next page, and it can be read back", () => {
  expect(withNext("/sign-in", "/projects")).toBe("/sign-in");
  const search = new URL(withNext("/sign-up", "/invitation"), CONSOLE).searchParams;
  expect(nextPath(search.get("next"))).toBe("/invitation");
});
