// Each diagnostic's wrong example has this diagnostic in addition to those of the right one, and the right one doesn't
// have it.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diagnosticCatalogue } from "./diagnostic.ts";

describe.each(Object.entries(diagnosticCatalogue))("%s", (code, kind) => {
  const wrong = checkBlueprint(kind.wrong);
  const right = checkBlueprint(kind.right);
  // Diagnostics of whole blueprints without errors. Many examples have no permissions, because they show something
  // else.
  const codesOf = ({ diagnostics }: typeof wrong): string[] =>
    diagnostics.map((one): string => one.code).filter((one) => one === code || one !== "entity_unused");
  const rightCodes = codesOf(right);

  test("the wrong example gets this diagnostic", () => {
    expect(codesOf(wrong).sort()).toEqual([...rightCodes, code].sort());
    expect(wrong.diagnostics.find((one) => one.code === code)?.severity).toBe(kind.severity);
    expect(wrong.model === null).toBe(kind.severity === "error");
  });

  test("the right example doesn't get it", () => {
    expect(rightCodes).not.toContain(code);
    expect(right.model).not.toBeNull();
  });
});
