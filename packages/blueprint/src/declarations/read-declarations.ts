// Reads a blueprint. In: its syntax. Out: its declarations. It knows the sections and calls the reader of each; it
// never checks whether declarations fit together (`check/` does).

import { entryOf, type MapNode, type Node, wordOf } from "../text/syntax.ts";
import type { Declarations, PermissionDeclaration, ViewDeclaration } from "./declarations.ts";
import {
  describe,
  expectList,
  expectMap,
  expectText,
  expectWords,
  mapEntries,
  type Reader,
  refuseKey,
} from "./expect.ts";
import { readEntity } from "./read-entity.ts";
import { readPermissions } from "./read-permissions.ts";
import { readRoles } from "./read-roles.ts";
import { readApi, readNamedRules, readSearch, readUsers } from "./read-sections.ts";
import { readTests } from "./read-tests.ts";
import { readViews } from "./read-views.ts";

/** Sections that are available, and sections that are read and stored but not run. */
export const servedSections: readonly string[] = [
  "project",
  "modules",
  "users",
  "roles",
  "rules",
  "entities",
  "permissions",
  "api",
  "search",
  "views",
  "tests",
];
const backgroundSections: readonly string[] = [
  "workflows",
  "workers",
  "schedules",
  "events",
  "webhooks",
  "actions",
  "auth",
  "emails",
  "integrations",
  "storage",
  "work",
];

export function resolve(root: Node, { source, report }: Reader): Declarations | null {
  if (root.kind !== "map") {
    if (root.kind === "scalar" && root.value === null) return null;
    report.add(
      "wrong_kind",
      root.range,
      `A blueprint must be a map that starts with \`project:\`, not ${describe(root)}.`,
    );
    return null;
  }
  const reader: Reader = { source, report, entityNames: keysOf(entryOf(root, "entities")?.value) };
  const sections = [...servedSections, ...backgroundSections];
  const entitiesAreEmpty = isNothing(entryOf(root, "entities")?.value);
  for (const entry of root.entries) {
    const isMisplacedEntity = entitiesAreEmpty && entry.value.kind === "map";
    if (!sections.includes(entry.key.text) && !isMisplacedEntity)
      refuseKey(reader, entry, "the blueprint", sections, []);
  }
  const read = <T>(section: string, reading: (node: Node) => T): T | null => {
    const entry = entryOf(root, section);
    return entry === undefined ? null : reading(entry.value);
  };
  const permissions: PermissionDeclaration[] = [];
  const views: ViewDeclaration[] = [];
  const entities = read("entities", (node) =>
    (expectMap(reader, node, "`entities`", hintForEntities(root, node))?.entries ?? []).flatMap((one) =>
      readEntity(reader, one, permissions, views),
    ),
  );
  read("permissions", (node) => {
    for (const one of mapEntries(reader, node, "`permissions`"))
      readPermissions(reader, wordOf(one.key), one.value, "top", permissions);
  });
  views.push(...(read("views", (node) => readViews(reader, node, null)) ?? []));
  // The content of a storage section is not defined yet.
  read("storage", (node) => expectMap(reader, node, "`storage`"));
  return {
    project: read("project", (node) => {
      const name = expectText(reader, node, "`project`");
      return name === null ? null : wordOf(name);
    }),
    modules:
      read("modules", (node) => {
        const words = node.kind === "map" ? node.entries.map((entry) => entry.key.text) : ["auth", "users"];
        const list = expectList(reader, node, "`modules`", `Write \`modules: [${words.join(", ").slice(0, 120)}]\`.`);
        return list === null ? [] : expectWords(reader, list, "A module");
      }) ?? [],
    roles: read("roles", (node) => readRoles(reader, node)) ?? [],
    entities: entities ?? [],
    permissions,
    namedRules: read("rules", (node) => readNamedRules(reader, node)) ?? [],
    userFields: read("users", (node) => readUsers(reader, node, permissions)) ?? [],
    api: read("api", (node) => readApi(reader, node)) ?? [],
    searchLanguage: read("search", (node) => readSearch(reader, node)),
    views,
    background: new Map(
      root.entries.flatMap((entry) =>
        backgroundSections.includes(entry.key.text) ? [[entry.key.text, entry.value]] : [],
      ),
    ),
    tests: read("tests", (node) => readTests(reader, node)),
    sections: root.entries.map((entry) => wordOf(entry.key)),
  };
}

function keysOf(node: Node | undefined): ReadonlySet<string> {
  return new Set(node?.kind === "map" ? node.entries.map((entry) => entry.key.text) : []);
}

function isNothing(node: Node | undefined): boolean {
  return node?.kind === "scalar" && node.value === null;
}

function hintForEntities(root: MapNode, node: Node): string {
  const first = root.entries.find((entry) => entry.value.kind === "map" && entry.value.range.start > node.range.start);
  return isNothing(node) && first !== undefined
    ? `Indent the lines below it: \`${first.key.text}:\` belongs in \`entities\`.`
    : "Write each entity as a key, without `-`: `listing:`, and its `fields:` below.";
}
