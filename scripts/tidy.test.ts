// Shows that each problem is found, and that a proper file passes.
import { expect, test } from "vitest";
import { problemsIn } from "./tidy.ts";

const header = "// In: nothing. Out: one.\n";

test("a proper file has no problems", () => {
  expect(problemsIn("packages/bundle/src/api-key.ts", `${header}export const one = 1;\n`)).toEqual([]);
  expect(problemsIn("apps/console/src/app/page.tsx", `"use client";\n\n${header}export const one = 1;\n`)).toEqual([]);
  expect(problemsIn("packages/bundle/src/index.ts", 'export * from "./bundle.ts";\n')).toEqual([]);
});

test("a folder of ours may be called as one of this machine is", () => {
  for (const path of [
    `./work${""}/api.ts`,
    `/projects/:id/work${""}/runs`,
    `/projects/}/work${""}/runs`,
    `features/work${""}/timeline.ts`,
  ]) {
    expect(problemsIn("packages/bundle/src/a.ts", `${header}// ${path}\n`)).toEqual([]);
  }
});

test.for([
  ["packages/bundle/src/plain.ts", "export const one = 1;\n", /no header/],
  ["packages/bundle/src/utils.ts", header, /says nothing/],
  ["packages/bundle/src/text-helper.ts", header, /says nothing/],
  ["packages/bundle/src/apiKey.ts", header, /kebab-case/],
  ["packages/bundle/src/keys/index.ts", "", /package's root/],
  ["packages/bundle/src/long.ts", header + "\n".repeat(400), /401 lines/],
  ["packages/bundle/src/a.ts", `${header}// TO${""}DO: later\n`, /left for later/],
  ["docs/guide.md", `see /work${""}/main\n`, /one machine/],
  ["packages/bundle/src/a.test.ts", `${header}test.on${""}ly("x", () => {});\n`, /switched off/],
] as const)("%s: %s", ([file, text, problem]) => {
  expect(problemsIn(file, text).join("\n")).toMatch(problem);
});
