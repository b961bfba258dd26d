// Writes a foreign schema as a blueprint. In: tables, and the inventory of their items. Out: the text, the outcome of every
// construct of the source, and the proposed permissions. It lists everything that it can't express, and gives no access that
// isn't marked for review, except to `admin`.
import { type CheckedBlueprint, checkBlueprint } from "@plinth/blueprint";
import type { ForeignSchema } from "../foreign-schema.ts";
import type { Inventory, InventoryReport } from "../inventory.ts";
import type { Draft, EntityDraft, Proposal } from "./draft.ts";
import { draftChecks, draftGenerated } from "./draft-checks.ts";
import { draftEntity } from "./draft-entity.ts";
import { draftLinks } from "./draft-links.ts";
import { draftUsers } from "./draft-users.ts";
import { breakCircles, nameRelations } from "./name-relations.ts";
import { planEntities } from "./plan-entities.ts";
import { printBlueprint } from "./print-blueprint.ts";
import { proposePermissions } from "./propose-permissions.ts";

export interface ImportedBlueprint {
  readonly text: string;
  readonly diagnostics: CheckedBlueprint["diagnostics"];
  readonly inventory: InventoryReport;
  readonly proposals: readonly (Proposal & { readonly entity: string })[];
}

export function writeBlueprint(project: string, schema: ForeignSchema, inventory: Inventory): ImportedBlueprint {
  const draft = draftOf(schema, inventory);
  const text = printBlueprint(project, draft);
  const { model, diagnostics } = checkBlueprint(text);
  for (const found of schema.enums) leaveUnused(found, inventory);
  return {
    text,
    diagnostics,
    inventory: inventory.report(model),
    proposals: draft.entities.flatMap(({ name, proposals }) => proposals.map((one) => ({ entity: name, ...one }))),
  };
}

/** What each table and column becomes. An import of records uses the same result. */
export function draftOf(schema: ForeignSchema, inventory: Inventory): Draft {
  const plan = planEntities(schema, inventory);
  const own = schema.tables.flatMap((table): EntityDraft[] => {
    const name = plan.entities.get(table.id);
    return name === undefined || table === plan.people ? [] : [draftEntity(table, name, plan)];
  });
  const users =
    plan.people === null ? { profile: new Map(), profileOf: new Map(), details: null } : draftUsers(plan.people, plan);
  const tables = users.details === null ? own : [...own, users.details];
  const { between, backs, joins, links } = draftLinks(tables, plan);
  const entities = [...tables, ...between];
  for (const entity of entities) {
    draftGenerated(entity, inventory);
    draftChecks(entity, inventory);
  }
  breakCircles(entities, inventory);
  nameRelations(entities, users.profile, backs, inventory);
  for (const entity of tables) proposePermissions(entity, inventory, entity === users.details);
  const people = plan.people === null ? null : { table: plan.people, fieldOf: users.profileOf, details: users.details };
  return { entities, profile: users.profile, people, joins, links };
}

function leaveUnused({ item, comment, values }: ForeignSchema["enums"][number], inventory: Inventory): void {
  if (inventory.isSettled(item)) return;
  const text = "No field uses it.";
  for (const one of [item, comment?.item, ...values.map((value) => value.item)]) inventory.leftOut(one, text);
}
