// Reads the section `roles`. In: its syntax. Out: its declarations.

import { type MapEntry, type Node, wordOf } from "../text/syntax.ts";
import type { RoleDeclaration } from "./declarations.ts";
import { expectMap, expectText, expectWords, mapEntries, type Reader, refuseKey } from "./expect.ts";

const roleKeys: readonly string[] = ["inherits", "label", "help"];

export function readRoles(reader: Reader, node: Node): RoleDeclaration[] {
  const words = node.kind === "list" ? node.items.flatMap((item) => (item.kind === "scalar" ? [item.text] : [])) : [];
  const declared = words.slice(0, 6).map((word) => `${word}: {}`);
  const hint = `Write \`roles: { ${declared.length === 0 ? "editor: {}" : declared.join(", ")} }\`.`.slice(0, 180);
  return (expectMap(reader, node, "`roles`", hint)?.entries ?? []).map((entry) => readRole(reader, entry));
}

function readRole(reader: Reader, entry: MapEntry): RoleDeclaration {
  const nothing: RoleDeclaration = { name: wordOf(entry.key), inherits: [], label: null, help: null };
  // `support:` alone is a role without `inherits`.
  if (entry.value.kind === "scalar" && entry.value.value === null) return nothing;
  const role = { ...nothing };
  for (const option of mapEntries(reader, entry.value, "A role")) {
    switch (option.key.text) {
      case "inherits":
        role.inherits = expectWords(reader, option.value, "`inherits`");
        break;
      case "label":
        role.label = expectText(reader, option.value, "`label`")?.text ?? null;
        break;
      case "help":
        role.help = expectText(reader, option.value, "`help`")?.text ?? null;
        break;
      default:
        refuseKey(reader, option, "a role", roleKeys, []);
    }
  }
  return role;
}
