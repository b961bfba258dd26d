// Signing in never leads to another site, whatever the address says.
import { describe, expect, test } from "vitest";
import { nextPath } from "./next-path.ts";

describe("nextPath", () => {
  test("keeps a path of this console", () => {
    expect(nextPath("/projects/prj_1/data?entity=listing")).toBe("/projects/prj_1/data?entity=listing");
  });

  test.each([null, "", "projects", "https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])(
    "falls back to the projects for %s",
    (next) => {
      expect(nextPath(next)).toBe("/projects");
    },
  );
});
