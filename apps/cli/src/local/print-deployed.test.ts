// The output of each outcome, for a person who saves a file.
import { describe, expect, test } from "vitest";
import { createTerminal } from "../terminal.ts";
import type { Deployed } from "./deploy.ts";
import { printDeployed } from "./print-deployed.ts";

function printed(result: Deployed) {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const terminal = createTerminal(stream("out"), stream("err"), undefined);
  const context = { terminal, file: "shop.yaml", project: "http://127.0.0.1:3000/projects/prj_1" };
  const served = printDeployed(context, "project: shop\n", result);
  return { served, ...written };
}

const renamed = {
  kind: "field_renamed",
  path: "bike.title",
  summary: "Rename `name` to `title`.",
  classes: ["breaking"],
};
const dropped = { kind: "field_removed", path: "bike.name", summary: "Remove `name`.", classes: ["destructive"] };
const kept = { kind: "entity_changed", path: "bike.retention", summary: "Keep for a day.", classes: ["destructive"] };

const verify = {
  kind: "verify",
  id: "001-verify",
  summary: "Make sure of it.",
  class: "data_dependent",
  phase: "before",
  table: "bikes",
  lock: "none",
  rewrites: false,
  scans: true,
  undo: "Nothing is changed.",
  count: "select 0",
  sample: "select 0",
  violation: "no value for brand",
};

describe("served", () => {
  test("prints each change with its class", () => {
    const result = { kind: "deployed", changes: [renamed], diagnostics: [], unfinished: null } as const;
    expect(printed(result as unknown as Deployed)).toEqual({
      served: true,
      out: "Deployed shop.yaml:\n  Rename name to title. [breaking]\n",
      err: "",
    });
  });

  test("prints a failed later step with the page to try it again", () => {
    const result = { kind: "deployed", changes: [], diagnostics: [], unfinished: "no room" } as const;
    const { served, err } = printed(result);
    expect(served).toBe(true);
    expect(err).toContain("a later step failed: no room");
    expect(err).toContain("http://127.0.0.1:3000/projects/prj_1/deployments");
  });
});

describe("not served", () => {
  test("prints the dropped data, the syntax of a rename, and the page for the consent", () => {
    const result = { kind: "undecided", proposalId: "prp_1", drops: [dropped] };
    const { served, err } = printed(result as unknown as Deployed);
    expect(served).toBe(false);
    expect(err).toContain("because it would drop data:\n  Remove name.\n");
    expect(err).toContain("`was(old_name)`");
    expect(err).toContain("http://127.0.0.1:3000/projects/prj_1/changes/prp_1\n");
    const other = printed({ ...result, drops: [kept] } as unknown as Deployed);
    expect(other.err).toContain("Keep for a day.");
    expect(other.err).not.toContain("was(");
  });

  test("prints violating records by their ids", () => {
    const violators = {
      count: 7,
      samples: [
        { id: "a1", text: "no value for brand" },
        { id: "a2", text: "odd" },
      ],
    };
    const { served, err } = printed({
      kind: "violated",
      violations: [{ step: verify, violators }],
      fields: [{ entity: "bike", field: "brand", mends: ["default", "optional"] }],
    } as unknown as Deployed);
    expect(served).toBe(false);
    expect(err).toContain("  7 records of bikes have no value for brand:\n    a1\n    a2  odd\n    and 5 more\n");
    expect(err).toContain("bike.brand: give it a default (`= value`), or make it optional (`?`).");
  });

  test("prints the reason if a change can't be migrated, with its path once", () => {
    const reasons = [
      { path: "bikes.name", reason: "`bikes.name` can't change." },
      { path: "bike.kind", reason: "Not like this." },
    ];
    const { served, err } = printed({ kind: "refused", reasons });
    expect(served).toBe(false);
    expect(err).toContain("  bikes.name can't change.\n  bike.kind: Not like this.\n");
  });

  test("prints the reason of a failed deployment", () => {
    expect(printed({ kind: "failed", reason: "the tests fail" })).toMatchObject({
      served: false,
      err: "shop.yaml was not deployed: the tests fail\n",
    });
  });
});
