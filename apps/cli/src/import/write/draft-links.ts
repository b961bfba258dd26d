// Writes many-to-many relations. In: entities with their fields, and tables that only contain pairs. Out: `refs` fields, or a
// separate entity if one end is a user, because `refs` can't contain users.
import type { ForeignTable } from "../foreign-schema.ts";
import { type EntityDraft, hasField, type JoinDraft, type LinkDraft } from "./draft.ts";
import { createNames, fieldName, relationName } from "./names.ts";
import type { Plan } from "./plan-entities.ts";

/** Adds fields to the drafts, and returns the entities between others. */
export function draftLinks(
  drafts: readonly EntityDraft[],
  plan: Plan,
): {
  readonly between: readonly EntityDraft[];
  readonly backs: ReadonlyMap<string, string>;
  readonly joins: readonly JoinDraft[];
  readonly links: readonly LinkDraft[];
} {
  const { schema, entities, inventory } = plan;
  const between: EntityDraft[] = [];
  const links: LinkDraft[] = [];
  const backs = new Map<string, string>();
  for (const table of schema.tables) {
    for (const link of table.links) {
      const [own, other] = [entities.get(table.id), entities.get(link.table)];
      const draft = drafts.find((one) => one.table === table && one.name === own);
      if (own === undefined || other === undefined) {
        inventory.leftOut(link.item, "One of its ends wasn't imported.");
        inventory.leftOut(link.back.item, "One of its ends wasn't imported.");
      } else if (own === "user" || other === "user" || draft === undefined) {
        const entity = linkEntity(table, link.name, own, other, plan);
        between.push(entity);
        links.push({ table, link, entity: entity.name, fields: [...entity.fields.keys()] });
        const text = `It becomes the entity \`${entity.name}\`, because \`refs\` can't contain users.`;
        inventory.changed(link.item, text);
        inventory.changed(link.back.item, text);
      } else {
        const field = addRefs(draft, fieldName(link.name), other);
        links.push({ table, link, entity: own, fields: [field] });
        backs.set(`${draft.name}.${field}`, fieldName(link.back.name));
        const holds = hasField(draft.name, field, ({ type }) => type.kind === "refs" && type.entity === other);
        inventory.expressed(link.item, holds);
        inventory.expressed(link.back.item, holds);
      }
    }
  }
  const joins = [...plan.joins].flatMap((join) => draftJoin(join, drafts, backs, plan) ?? []);
  return { between, backs, joins, links };
}

function addRefs(draft: EntityDraft, wanted: string, other: string): string {
  const taken = [...draft.fields.keys(), ...draft.fieldOf.values()];
  const names = createNames([
    ...taken,
    ...taken.map(relationName),
    "id",
    "version",
    "created_at",
    "updated_at",
    "created_by",
  ]);
  const field = names.give(wanted);
  draft.fields.set(field, { type: `refs(${other})` });
  return field;
}

/**
 * A table with only two references becomes a field of the entity that its first column refers to. The other side exists
 * implicitly.
 */
function draftJoin(
  join: ForeignTable,
  drafts: readonly EntityDraft[],
  backs: Map<string, string>,
  plan: Plan,
): JoinDraft | null {
  const { inventory, entities } = plan;
  const [first, second] = join.columns.map((column) => join.references.find((one) => one.columns[0] === column.name));
  const draft = drafts.find((one) => one.table.id === first?.table);
  const other = entities.get(second?.table ?? "");
  if (first === undefined || second === undefined || draft === undefined || other === undefined) return null;
  const wanted =
    first.back === null ? fieldName(second.table.split(".").at(-1) ?? "links") : fieldName(first.back.name);
  const field = addRefs(draft, wanted, other);
  if (second.back !== null) backs.set(`${draft.name}.${field}`, fieldName(second.back.name));
  const holds = hasField(draft.name, field, ({ type }) => type.kind === "refs" && type.entity === other);
  inventory.changed(join.item, `It becomes the many-to-many field \`${field}\` of \`${draft.name}\`.`);
  inventory.leftOut(join.comment?.item, "The field has no help of its own.");
  for (const reference of join.references)
    for (const item of [reference.item, reference.onDeleteItem, reference.onUpdateItem, reference.back?.item])
      inventory.expressed(item, holds);
  for (const column of join.columns) {
    inventory.expressed(column.item, holds);
    inventory.expressed(column.required, holds);
    inventory.leftOut(column.comment?.item, "It has no counterpart.");
    inventory.leftOut(column.default?.item, "A reference has no default.");
  }
  for (const list of [join.key, ...join.indexes]) inventory.expressed(list?.item, holds);
  return { table: join, entity: draft.name, field, own: first, other: second };
}

function linkEntity(table: ForeignTable, link: string, own: string, other: string, plan: Plan): EntityDraft {
  const end = (entity: string): string => (entity === "user" ? "user_ref" : `ref(${entity})`);
  const name = plan.nameEntity(`${own}_${fieldName(link)}_link`.replace(/s_link$/, "_link"));
  const names = createNames(["id", "version", "created_at", "updated_at", "created_by"]);
  const [first, second] = [names.give(`${own}_id`), names.give(own === other ? `other_${other}_id` : `${other}_id`)];
  return {
    name,
    table: { ...table, security: null, checks: [] },
    plural: plan.plurals.get(name) ?? null,
    help: null,
    fields: new Map([
      [first, { type: end(own), on_delete: "cascade" }],
      [second, { type: end(other), on_delete: "cascade" }],
    ]),
    fieldOf: new Map(),
    referenceOf: new Map(),
    uniques: [[first, second]],
    indexes: [],
    checks: new Map(),
    proposals: [],
  };
}
