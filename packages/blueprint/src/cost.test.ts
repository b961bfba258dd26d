// No blueprint can make the check or the diff take long: the pairs of `testing/costly-blueprints.ts` stay within
// limits, give the same answer each time, and undecided changes never count as safe. It prints the time of each.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { diffModels } from "./diff/diff.ts";
import { protect } from "./diff/protect.ts";
import type { Model } from "./model/model.ts";
import { costlyPairs } from "./testing/costly-blueprints.ts";

/** About 300 ms on an idle machine; far less than anything exponential takes. */
const MS_MAX = 4_000;

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null)
    throw new Error(JSON.stringify(diagnostics.filter((one) => one.severity === "error").slice(0, 3)));
  return model;
}

function timed<T>(work: () => T): { readonly result: T; readonly ms: number } {
  const started = process.cpuUsage().user;
  const result = work();
  return { result, ms: Math.round((process.cpuUsage().user - started) / 1000) };
}

describe("the cost of a blueprint", () => {
  test.each(costlyPairs().map((one) => [one.name, one] as const))("%s", { timeout: 60_000 }, (name, pair) => {
    const before = modelOf(pair.before);
    const check = timed(() => modelOf(pair.after));
    const diff = timed(() => diffModels(before, check.result));
    const core = timed(() => protect(before, check.result, "ai", diff.result));
    const undecided = diff.result.filter(({ witness }) => witness?.decided === false);
    const counts = `${diff.result.length} changes, ${undecided.length} undecided`;
    console.info(`${name}: check ${check.ms} ms, diff ${diff.ms} ms, core ${core.ms} ms; ${counts}`);

    expect(Math.max(check.ms, diff.ms, core.ms)).toBeLessThan(MS_MAX);
    for (const { classes } of undecided) expect(classes).toContain("loosens_access");
    expect(diffModels(before, check.result)).toEqual(diff.result);
  });

  test("is reported if it exceeds the budget", () => {
    const pair = costlyPairs().find((one) => one.name === "sixty roles of four operations");
    const changes = diffModels(modelOf(pair?.before ?? ""), modelOf(pair?.after ?? ""));
    const told = changes.filter(({ witness }) => witness?.decided === false).map(({ witness }) => witness?.summary);
    expect(told[0]).toMatch(
      /^It could not be decided within the budget whether an? `r\d+` can now .*; it counts as looser\.$/,
    );
  });

  test("is limited by the number of grants", () => {
    const roles = Array.from({ length: 110 }, (_, i) => `r${i}`);
    const edges = Array.from({ length: 100 }, (_, i) => `        e${i}: { from: a, to: b }\n`).join("");
    const text = [
      `project: busy-desk\nmodules: [auth, users, roles]\nroles: { ${roles.map((one) => `${one}: {}`).join(", ")} }\n`,
      `entities:\n  thing:\n    fields:\n      state: "enum[a, b] = a"\n    transitions:\n      state:\n        initial: a\n${edges}`,
      `    permissions:\n${roles.map((one) => `      ${one}: { all: true }\n`).join("")}`,
    ].join("");
    expect(checkBlueprint(text).diagnostics.filter((one) => one.code === "too_many")).toHaveLength(1);
  });

  test("is limited by the total size of rules", () => {
    const rules = Array.from({ length: 7 }, (_, i) => `  w${i + 1}: "w${i} && (b != ${i} || w${i})"\n`).join("");
    const entities = Array.from(
      { length: 60 },
      (_, i) =>
        `  thing_${i}x:\n    fields:\n      a: int?\n      b: int?\n    permissions:\n      public: { all: w6 }\n`,
    );
    const head = "project: busy-desk\nmodules: [auth, users, roles]\nrules:\n  w0: 'a == 1 || a == b'\n";
    const { diagnostics } = checkBlueprint(`${head}${rules}entities:\n${entities.join("")}`);
    expect(diagnostics.filter((one) => one.code === "too_many")).toHaveLength(1);
  });
});
