// Shows that the layer check can fail: a small separate repository, with one violation at a time.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkLayers } from "./layers.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const clean = {
  "packages/expression/src/index.ts": "export const tree = 1;",
  "packages/bundle/src/index.ts": 'import { tree } from "@plinth/expression";\nexport const bundle = tree;',
  "packages/compiler/src/index.ts": 'import { bundle } from "@plinth/bundle";\nexport const compiled = bundle;',
  "packages/blueprint/src/check-blueprint.ts": "export const whole = 1;",
  "apps/control/src/api.ts": "export type AppRouter = { a: 1 };\nexport const appRouter = 1;",
  "apps/control/src/secrets.ts": "export type Secret = string;",
  "apps/console/src/page.ts": 'import type { AppRouter } from "@plinth/control/router";\nexport type Page = AppRouter;',
  "packages/bundle/src/bundle.ts": 'import type { Decoded } from "./decode.ts";\nexport type Bundle = Decoded;',
  "packages/bundle/src/decode.ts": "export type Decoded = string;",
  "apps/runtime/src/testing/cell.ts": 'import { compiled } from "@plinth/compiler";\nexport const cell = compiled;',
  "apps/runtime/src/http/reply.ts": "export type Reply = string;",
  "apps/runtime/src/main.ts": 'import { bundle } from "@plinth/bundle";\nconsole.log(bundle);',
};

test("accepts what the table allows", async () => {
  expect(await checkLayers(repositoryOf(clean), 10)).toEqual([]);
});

test.for([
  {
    name: "the runtime must not import the compiler",
    file: "apps/runtime/src/plan.ts",
    text: 'import { compiled } from "@plinth/compiler";\nconsole.log(compiled);',
    rule: "apps/runtime/src/plan.ts imports packages/compiler/src/index.ts (layer-of-apps-runtime)",
  },
  {
    name: "nor its types",
    file: "apps/runtime/src/plan.ts",
    text: 'import type { compiled } from "@plinth/compiler";\nexport type Plan = typeof compiled;',
    rule: "apps/runtime/src/plan.ts imports packages/compiler/src/index.ts (layer-of-apps-runtime)",
  },
  {
    name: "a room of the runtime imports only those below it",
    file: "apps/runtime/src/query/plan.ts",
    text: 'import type { Reply } from "../http/reply.ts";\nexport type Plan = Reply;',
    rule: "apps/runtime/src/query/plan.ts imports apps/runtime/src/http/reply.ts (room-query)",
  },
  {
    name: "no room imports the files that put the rooms together",
    file: "packages/blueprint/src/check/back-up.ts",
    text: 'import { whole } from "../check-blueprint.ts";\nexport const again = whole;',
    rule: "packages/blueprint/src/check/back-up.ts imports packages/blueprint/src/check-blueprint.ts (room-check)",
  },
  {
    name: "every folder of a part with rooms is a room",
    file: "packages/compiler/src/helpers/text.ts",
    text: "export const text = 1;",
    rule: "packages/compiler/src/helpers is no room of the table in scripts/layers.ts",
  },
  {
    name: "imports point down only",
    file: "packages/expression/src/up.ts",
    text: 'import { bundle } from "../../bundle/src/index.ts";\nexport const up = bundle;',
    rule: "packages/expression/src/up.ts imports packages/bundle/src/index.ts (layer-of-packages-expression)",
  },
  {
    name: "the console takes the router's type, never its code",
    file: "apps/console/src/call.ts",
    text: 'import { appRouter } from "@plinth/control/router";\nconsole.log(appRouter);',
    rule: "apps/console/src/call.ts imports apps/control/src/api.ts (router-type-only)",
  },
  {
    name: "and nothing else of the control API",
    file: "apps/console/src/peek.ts",
    text: 'import type { Secret } from "../../control/src/secrets.ts";\nexport type Peek = Secret;',
    rule: "apps/console/src/peek.ts imports apps/control/src/secrets.ts (layer-of-apps-console)",
  },
  {
    name: "what tests share is for tests alone",
    file: "apps/runtime/src/borrow.ts",
    text: 'import { cell } from "./testing/cell.ts";\nconsole.log(cell);',
    rule: "apps/runtime/src/borrow.ts imports apps/runtime/src/testing/cell.ts (tests-are-not-imported)",
  },
  {
    name: "a test runs no other app",
    file: "apps/runtime/src/main.test.ts",
    text: 'import { appRouter } from "@plinth/control/router";\nconsole.log(appRouter);',
    rule: "apps/runtime/src/main.test.ts imports apps/control/src/api.ts (tests-stay-in-their-app)",
  },
  {
    name: "control's own thread reads no blueprint",
    file: "apps/control/src/peek.ts",
    text: 'import { compiled } from "@plinth/compiler";\nconsole.log(compiled);',
    rule: "apps/control/src/peek.ts imports packages/compiler/src/index.ts (control-reads-blueprints-in-workers)",
  },
  {
    name: "no cycles, types included",
    file: "packages/bundle/src/decode.ts",
    text: 'import type { Bundle } from "./bundle.ts";\nexport type Decoded = Bundle;',
    rule: "packages/bundle/src/bundle.ts imports packages/bundle/src/decode.ts (circular)",
  },
])("$name", async ({ file, text, rule }) => {
  expect(await checkLayers(repositoryOf({ ...clean, [file]: text }), 10)).toEqual([rule]);
});

test("refuses to pass on too few modules", async () => {
  expect(await checkLayers(repositoryOf(clean), 13)).toEqual(["only 12 modules were read (at least 13 expected)"]);
});

function repositoryOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "plinth-layers-"));
  folders.push(root);
  mkdirSync(join(root, "node_modules", "@plinth"), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    const [kind = "", name = ""] = file.split("/");
    const folder = join(root, kind, name);
    const exports = { ".": "./src/index.ts", "./router": "./src/api.ts" };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: `@plinth/${name}`, type: "module", exports }));
    const link = join(root, "node_modules", "@plinth", name);
    if (!existsSync(link)) symlinkSync(folder, link, "dir");
  }
  return root;
}
