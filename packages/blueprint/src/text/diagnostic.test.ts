// Each diagnostic's wrong example earns that code beside what the right one earns; the right one is clean of it.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diagnosticCatalogue } from "./diagnostic.ts";

describe.each(Object.entries(diagnosticCatalogue))("%s", (code, kind) => {
  const wrong = checkBlueprint(kind.wrong);
  const right = checkBlueprint(kind.right);
  // Told of whole blueprints without errors: many examples leave out the permissions, since they show something else.
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
