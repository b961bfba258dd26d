// In: the syntax of a blueprint. Out: its declarations. Knows which keys stand where, and refuses all others;
// never asks whether one declaration fits another (`check/` does).
import type { Declarations, EntityDeclaration, PermissionDeclaration, RoleDeclaration } from "./declarations.ts";
import { describe, expectList, expectText, expectWords, mapEntries, type Reader, refuseKey } from "./expect.ts";
import { readEntity } from "./read-entity.ts";
import { readPermissions } from "./read-permissions.ts";
import { type Node, type Word, wordOf } from "./syntax.ts";

/** Sections that this version reads, and those that it only knows by name. */
export const servedSections: readonly string[] = ["project", "modules", "roles", "entities", "permissions"];
export const laterSections: readonly string[] = [
  "users",
  "rules",
  "workflows",
  "workers",
  "schedules",
  "events",
  "webhooks",
  "actions",
  "integrations",
  "storage",
  "api",
  "tests",
];

export function resolve(root: Node, reader: Reader): Declarations | null {
  const { report } = reader;
  if (root.kind !== "map") {
    if (root.kind === "scalar" && root.value === null) return null;
    report.add("wrong_kind", root.range, `A blueprint is a map that begins with \`project:\`, not ${describe(root)}.`);
    return null;
  }
  const permissions: PermissionDeclaration[] = [];
  let project: Word | null = null;
  let modules: Word[] = [];
  let roles: RoleDeclaration[] = [];
  let entities: EntityDeclaration[] = [];
  for (const entry of root.entries) {
    switch (entry.key.text) {
      case "project": {
        const name = expectText(reader, entry.value, "`project`");
        project = name === null ? null : wordOf(name);
        break;
      }
      case "modules": {
        const list = expectList(reader, entry.value, "`modules`");
        modules = list === null ? [] : expectWords(reader, list, "A module");
        break;
      }
      case "roles":
        roles = readRoles(reader, entry.value);
        break;
      case "entities":
        entities = mapEntries(reader, entry.value, "`entities`").flatMap((one) => readEntity(reader, one, permissions));
        break;
      case "permissions":
        for (const one of mapEntries(reader, entry.value, "`permissions`")) {
          readPermissions(reader, wordOf(one.key), one.value, "top", permissions);
        }
        break;
      default:
        if (!laterSections.includes(entry.key.text))
          refuseKey(reader, entry, "the blueprint", [...servedSections, ...laterSections], []);
    }
  }
  return { project, modules, roles, entities, permissions, sections: root.entries.map((entry) => wordOf(entry.key)) };
}

function readRoles(reader: Reader, node: Node): RoleDeclaration[] {
  return mapEntries(reader, node, "`roles`").map((entry) => {
    const role: { name: Word; inherits: Word[] } = { name: wordOf(entry.key), inherits: [] };
    // `support:` alone is a role that inherits nothing.
    if (entry.value.kind === "scalar" && entry.value.value === null) return role;
    for (const option of mapEntries(reader, entry.value, "A role")) {
      if (option.key.text === "inherits") role.inherits = expectWords(reader, option.value, "`inherits`");
      else refuseKey(reader, option, "a role", ["inherits"], ["label", "help"]);
    }
    return role;
  });
}
