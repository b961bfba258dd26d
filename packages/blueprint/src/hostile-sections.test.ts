// A large blueprint that consists of one section or one list is checked in limited time.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { DIAGNOSTICS_MAX } from "./text/report.ts";

const head =
  "project: demo\nmodules: [auth, users, roles, organizations, storage, webhooks, workers, audit_logs]\nentities:\n  note:\n    fields: { text: string, state: 'enum[a, b]' }\n";
const SIZE = 180_000;
/** Processor time, far above the usual time, and far below that of anything quadratic. */
const US_MAX = 8_000_000;

function many(line: (i: number) => string, size = SIZE): string {
  const lines: string[] = [];
  for (let length = 0, i = 0; length < size; i++) {
    const next = line(i);
    lines.push(next);
    length += next.length;
  }
  return lines.join("");
}

const machine = "    transitions:\n      state:\n        initial: a\n";

const hostile: Readonly<Record<string, string>> = {
  "named rules": `${head}rules:\n${many((i) => `  r${i}: r${i + 1}\n`)}`,
  roles: `${head}roles:\n${many((i) => `  r${i}: { inherits: r${i + 1} }\n`)}`,
  "permissions of unknown roles": `${head}permissions:\n  note:\n${many((i) => `    r${i}: { read: true }\n`)}`,
  "permissions of unknown entities": `${head}permissions:\n${many((i) => `  n${i}: { user: { read: true } }\n`)}`,
  "fields of a permission": `${head}permissions:\n  note:\n    user:\n      read:\n        allow: true\n        fields: [${many((i) => `f${i}, `)}text]\n`,
  "one field again and again": `${head}permissions:\n  note:\n    user:\n      read:\n        allow: true\n        fields: [${many(() => "text, ")}text]\n`,
  "values that are set": `${head}permissions:\n  note:\n    user:\n      update:\n        allow: true\n        set:\n${many((i) => `          f${i}: null\n`)}`,
  edges: `${head}${machine}${many((i) => `        e${i}: { from: a, to: b }\n`)}`,
  "states of an edge": `${head}${machine}        e: { from: [${many(() => "a, ")}a], to: b }\n`,
  "roles of an edge": `${head}${machine}        e: { from: a, to: b, roles: [${many((i) => `r${i}, `)}user] }\n`,
  "`all` over a hundred edges": `${head}${machine}${Array.from({ length: 100 }, (_, i) => `        e${i}: { from: a, to: b }\n`).join("")}    permissions:\n${Array.from({ length: 100 }, (_, i) => `      r${i}: { all: "${"text == 'x' || ".repeat(90)}text == 'y'" }\n`).join("")}roles:\n${Array.from({ length: 100 }, (_, i) => `  r${i}:\n`).join("")}`,
  "users of tests": `${head}tests:\n  users:\n${many((i) => `    u${i}: { roles: [user] }\n`)}`,
  "rows of tests": `${head}tests:\n  rows:\n    note:\n${many((i) => `      n${i}: { text: a }\n`)}`,
  expectations: `${head}tests:\n  rows: { note: { a: {} } }\n  expect:\n${many(() => "    - { as: public, list: note, sees: [b] }\n")}`,
  "what a list sees": `${head}tests:\n  rows: { note: { a: {} } }\n  expect:\n    - as: public\n      list: note\n      sees: [${many((i) => `n${i}, `)}a]\n`,
  steps: `${head}workers:\n  w:\n    steps: [${many(() => "audit.write, ")}audit.write]\n`,
  workers: `${head}workers:\n${many((i) => `  w${i}: { steps: [w${i + 1}] }\n`)}`,
  workflows: `${head}workflows:\n${many((i) => `  w${i}: { on: note.made, steps: [audit.rite] }\n`)}`,
  "what starts a workflow": `${head}workflows:\n  w:\n    steps: [audit.write]\n    on: [${many(() => "note.created, ")}manual]\n`,
  templates: `${head}workers:\n  w:\n    steps:\n      - record.find:\n          with:\n            q: "${many(() => "${{ steps.a }} ")}"\n`,
  "an open template": `${head}workers:\n  w:\n    steps:\n      - record.find:\n          with:\n${many((i) => `            q${i}: "\${{ '"\n`)}`,
  schedules: `${head}schedules:\n${many((i) => `  s${i}: { cron: "*/${i} * * * *", run: w${i} }\n`)}`,
  events: `${head}events:\n${many((i) => `  note.e${i}: { payload: { a: string } }\n`)}`,
  actions: `${head}actions:\n${many((i) => `  a${i}: { input: { n: int }, permissions: { user: input.n > 1 }, steps: [audit.write] }\n`)}`,
  webhooks: `${head}webhooks:\n  in:\n${many((i) => `    w${i}: { verify: strip, type: x }\n`)}`,
  integrations: `${head}integrations:\n${many((i) => `  i${i}: { kind: parcel, provider: easypost }\n`)}workers:\n  w:\n    steps: [${many((i) => `x${i}.y, `, 50_000)}audit.write]\n`,
  "profile fields": `${head}users:\n  fields:\n${many((i) => `    f${i}: string?\n`)}`,
  limits: `${head}api:\n${many((i) => `  l${i}: 3\n`)}`,
};

describe("hostile sections", () => {
  test.each(Object.entries(hostile))("%s", { timeout: 60_000 }, (_, text) => {
    expect(text.length).toBeLessThan(1_048_576);
    const before = process.cpuUsage();
    const { diagnostics } = checkBlueprint(text);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(US_MAX);
    expect(diagnostics.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
  });
});
