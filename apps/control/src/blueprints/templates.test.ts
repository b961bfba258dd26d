// A template opens without a warning: the first thing that a new author sees of the editor is a text that is right.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { readTemplates } from "./templates.ts";

for (const { name, title, description, text } of await readTemplates()) {
  test(`${name} has no diagnostic, under the name of a project as well`, () => {
    expect(checkBlueprint(text).diagnostics).toEqual([]);
    const named = text.replace(/^project:.*$/m, "project: my-first-app");
    expect(named).not.toBe(text);
    expect(checkBlueprint(named)).toMatchObject({ diagnostics: [], model: { project: "my-first-app" } });
    for (const words of [title, description]) expect(words).not.toBe("");
  });
}
