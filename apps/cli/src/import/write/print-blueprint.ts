// Writes a draft as the text of a blueprint. In: the draft. Out: YAML in the canonical layout, with a comment above each
// permission to review. The YAML library quotes all values; nothing is joined by hand.
import { formatBlueprint } from "@plinth/blueprint";
import { Document, isMap, isScalar, visit, type YAMLMap } from "yaml";
import type { Draft, EntityDraft, LongField, Proposal } from "./draft.ts";

const modules = ["auth", "users", "roles", "audit_logs"];

export function printBlueprint(project: string, draft: Draft): string {
  const document = new Document({
    project,
    modules,
    ...(draft.profile.size > 0 && { users: { fields: fieldsOf(draft.profile) } }),
    entities: Object.fromEntries(draft.entities.map((entity) => [entity.name, entityOf(entity)])),
  });
  for (const entity of draft.entities) {
    const own: unknown = document.getIn(["entities", entity.name, "permissions"], true);
    if (isMap(own)) markProposals(own, entity.proposals);
  }
  visit(document, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  const text = document.toString({ lineWidth: 0 });
  const formatted = formatBlueprint(text);
  return "text" in formatted ? formatted.text : text;
}

function entityOf(entity: EntityDraft): Record<string, unknown> {
  return {
    ...(entity.plural !== null && { plural: entity.plural }),
    ...(entity.help !== null && { help: entity.help }),
    ...(entity.uniques.length > 0 && { unique: entity.uniques }),
    ...(entity.indexes.length > 0 && { index: entity.indexes }),
    ...(entity.checks.size > 0 && { checks: Object.fromEntries(entity.checks) }),
    // An entity has at least one field. A built-in field of a record is one, and can be declared.
    fields: entity.fields.size > 0 ? fieldsOf(entity.fields) : { created_at: { type: "datetime" } },
    permissions: permissionsOf(entity.proposals),
  };
}

function fieldsOf(fields: ReadonlyMap<string, LongField>): Record<string, LongField> {
  return Object.fromEntries(fields);
}

/** Several proposals for one role and operation: any of them is enough. */
function permissionsOf(proposals: readonly Proposal[]): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const role of new Set(proposals.map((one) => one.role))) {
    const own: Record<string, unknown> = {};
    for (const operation of new Set(proposals.map((one) => one.operation))) {
      const rules = [
        ...new Set(proposals.filter((one) => one.role === role && one.operation === operation).map((one) => one.rule)),
      ];
      if (rules.length > 0) own[operation] = rules.includes(true) ? true : rules.length === 1 ? rules[0] : rules;
    }
    found[role] = own;
  }
  return { ...found, admin: { all: true } };
}

function markProposals(permissions: YAMLMap, proposals: readonly Proposal[]): void {
  for (const pair of permissions.items) {
    if (!isScalar(pair.key)) continue;
    const role = String(pair.key.value);
    const sources = new Set(proposals.filter((one) => one.role === role).map((one) => one.from));
    if (sources.size > 0) pair.key.commentBefore = ` review: proposed from ${[...sources].join(", ")}`;
  }
}
