// Checks which part can import which. In: a repository's folder. Out: one line per forbidden import. An empty graph
// fails: a tool that found no modules has proven nothing.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult, type IForbiddenRuleType } from "dependency-cruiser";

/** The table of docs/ARCHITECTURE.md. An import that is missing on the right is forbidden. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  "packages/expression": [],
  "packages/service": [],
  "packages/sdk": [],
  "packages/connectors": [],
  "packages/blueprint": ["packages/connectors/src/manifests", "packages/expression"],
  "packages/bundle": ["packages/expression"],
  "packages/compiler": ["packages/blueprint", "packages/bundle", "packages/expression"],
  "packages/postgres": ["packages/service"],
  "packages/testkit": ["packages/postgres", "packages/service"],
  "apps/control": [
    "packages/blueprint",
    "packages/compiler",
    "packages/connectors",
    "packages/bundle",
    "packages/postgres",
    "packages/service",
  ],
  "apps/runtime": [
    "packages/bundle",
    "packages/connectors",
    "packages/expression",
    "packages/postgres",
    "packages/service",
  ],
  "apps/console": ["packages/blueprint", "packages/connectors/src/manifests"],
  "apps/cli": ["packages/blueprint", "packages/compiler", "packages/sdk", "packages/postgres", "packages/service"],
};

/**
 * The same for the folders of a part: a folder of its `src` can import those on the right, and packages. Files at the
 * root of `src` combine the folders; a folder can import one only if it is listed here.
 */
export const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "packages/blueprint": {
    text: [],
    model: [],
    language: ["field-types"],
    "field-types": ["model"],
    modules: ["model", "field-types"],
    rules: ["model", "modules"],
    declarations: ["text", "field-types", "modules"],
    check: ["text", "model", "field-types", "modules", "rules", "declarations"],
    background: ["text", "model", "field-types", "modules", "rules", "declarations", "check"],
    judging: ["text", "model", "modules", "rules", "declarations", "check"],
    diff: ["model", "modules", "rules"],
    format: ["text", "declarations"],
    editor: ["language", "model", "field-types", "modules"],
    reference: ["text", "language", "check-blueprint.ts"],
  },
  "packages/compiler": {
    sql: [],
    rules: ["sql"],
    tables: ["sql", "rules"],
    requests: ["sql", "rules", "tables"],
    work: ["sql", "rules", "tables", "requests"],
    contract: ["sql", "tables", "requests", "work"],
    migration: ["sql", "rules", "tables"],
  },
  "apps/runtime": {
    project: [],
    identity: ["project"],
    query: ["project"],
    release: ["project", "identity", "query", "webhooks"],
    records: ["project", "identity", "query"],
    events: ["project"],
    outbound: [],
    mail: ["project", "identity", "outbound"],
    webhooks: ["project", "identity", "query", "events", "outbound"],
    workflows: ["project", "identity", "query", "records", "events", "outbound", "mail"],
    schedules: ["project"],
    jobs: ["project", "query", "events", "workflows", "schedules"],
    http: ["project", "identity", "query", "records"],
    modules: [
      "project",
      "identity",
      "query",
      "records",
      "events",
      "outbound",
      "mail",
      "webhooks",
      "workflows",
      "schedules",
      "http",
    ],
    transfers: ["project", "query", "records", "modules"],
    internal: ["project", "identity", "query", "release", "http", "modules", "transfers"],
  },
};

/** Folders without rules: they connect all others, contain no code, or are only for tests. */
const noRooms: readonly string[] = ["modes", "testdata", "testing"];

/** These can import the types of the control API's router, and nothing else from it. */
const routerReaders = ["apps/console", "apps/cli"];
const router = "^apps/control/src/api\\.ts$";
/** Tests, and what only tests can import: everything in a folder named `testing`. */
const tests = "\\.test\\.tsx?$|/testing/";

/** Every import that the table forbids, in a repository with at least `modulesMin` modules. */
export async function checkLayers(repository: string, modulesMin = 120): Promise<string[]> {
  const folders = Object.keys(allowedImports).filter((folder) => existsSync(join(repository, folder, "src")));
  const { output } = await cruise(
    folders.map((folder) => `${folder}/src`),
    {
      baseDir: repository,
      ruleSet: { forbidden: rules() },
      validate: true,
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      exclude: { path: "(^|/)(\\.next|dist)/" },
    },
    {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".d.ts"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  );
  const { summary, modules } = output as ICruiseResult;
  const own = modules.filter((module) => /^(packages|apps)\//.test(module.source));
  if (own.length < modulesMin) return [`only ${own.length} modules were read (at least ${modulesMin} expected)`];
  return [
    ...summary.violations.map(({ from, to, rule }) => `${from} imports ${to} (${rule.name})`),
    ...unnamedRooms(repository),
  ];
}

/** Folders that are missing in the table of their part, so that nothing says what they can import. */
function unnamedRooms(repository: string): string[] {
  return Object.entries(rooms).flatMap(([part, table]) => {
    const source = join(repository, part, "src");
    if (!existsSync(source)) return [];
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders
      .filter(({ name }) => !(name in table || noRooms.includes(name)))
      .map(({ name }) => `${part}/src/${name} is no room of the table in scripts/layers.ts`);
  });
}

function rules(): IForbiddenRuleType[] {
  const layers = Object.entries(allowedImports).map(([folder, allowed]): IForbiddenRuleType => {
    const permitted = [folder, ...allowed].map((name) => `${name}/`).join("|");
    return {
      name: `layer-of-${folder.replace("/", "-")}`,
      severity: "error",
      from: { path: `^${folder}/`, pathNot: tests },
      to: {
        path: "^(packages|apps)/",
        pathNot: routerReaders.includes(folder) ? `^(${permitted})|${router}` : `^(${permitted})`,
      },
    };
  });
  const betweenRooms = Object.entries(rooms).flatMap(([part, table]) =>
    Object.entries(table).map(
      ([room, allowed]): IForbiddenRuleType => ({
        name: `room-${room}`,
        severity: "error",
        from: { path: `^${part}/src/${room}/`, pathNot: tests },
        to: { path: `^${part}/src/`, pathNot: `^${part}/src/(${[room, ...allowed].join("|")})(/|$)` },
      }),
    ),
  );
  return [
    ...layers,
    ...betweenRooms,
    {
      name: "router-type-only",
      severity: "error",
      from: { path: `^(${routerReaders.join("|")})/` },
      to: { path: "^apps/control/", dependencyTypesNot: ["type-only"] },
    },
    {
      // The thread that serves control's requests never reads a blueprint; it only uses their types.
      name: "control-reads-blueprints-in-workers",
      severity: "error",
      from: { path: "^apps/control/src/", pathNot: `${tests}|^apps/control/src/authoring/` },
      to: { path: "^packages/(blueprint|compiler)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "testkit-in-tests-only",
      severity: "error",
      from: { path: "^(packages|apps)/", pathNot: `${tests}|^packages/testkit/` },
      to: { path: "^packages/testkit/" },
    },
    {
      name: "tests-are-not-imported",
      severity: "error",
      from: { path: "^(packages|apps)/", pathNot: tests },
      to: { path: tests },
    },
    {
      // A test can compile a blueprint for its fixture, whatever its folder can import; it never runs another app.
      name: "tests-stay-in-their-app",
      severity: "error",
      from: { path: `^(?:packages|apps)/([^/]+)/.*(?:${tests})`, pathNot: `^(${routerReaders.join("|")})/` },
      to: { path: "^apps/", pathNot: "^apps/$1/" },
    },
    {
      // Tests of those that can import the router's types can do the same.
      name: "tests-of-router-readers-stay-in-their-app",
      severity: "error",
      from: { path: `^apps/(${routerReaders.map((folder) => folder.slice("apps/".length)).join("|")})/.*(?:${tests})` },
      to: { path: "^apps/", pathNot: `^apps/$1/|${router}` },
    },
    {
      name: "unresolvable",
      severity: "error",
      from: { path: "^(packages|apps)/" },
      to: { path: "^(@plinth/|\\.)", couldNotResolve: true },
    },
    { name: "circular", severity: "error", from: { path: "^(packages|apps)/" }, to: { circular: true } },
  ];
}
