// A template has no warnings: the first text that a new author sees in the editor is correct.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { readTemplates } from "./templates.ts";

for (const { name, title, description, text } of await readTemplates()) {
  test(`${name} has no diagnostic, also with another project's name`, () => {
    expect(checkBlueprint(text).diagnostics).toEqual([]);
    const named = text.replace(/^project:.*$/m, "project: my-first-app");
    expect(named).not.toBe(text);
    expect(checkBlueprint(named)).toMatchObject({ diagnostics: [], model: { project: "my-first-app" } });
    for (const words of [title, description]) expect(words).not.toBe("");
  });
}
