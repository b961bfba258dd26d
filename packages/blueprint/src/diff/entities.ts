// Compares entities. In: the entities of two models, in the same words. Out: the changes between them. A new entity
// exposes nothing, because it has no records yet.
import type { ComparisonBudget } from "@plinth/expression";
import type { Entity, Field, Model, Permission } from "../model/model.ts";
import { typeText } from "../model/notation.ts";
import { createRanges } from "../rules/field-ranges.ts";
import type { Access } from "./access.ts";
import type { Alignment } from "./align.ts";
import type { Change, Witness } from "./change.ts";
import { diffConstraints } from "./constraints.ts";
import { diffFields, impliedBy } from "./fields.ts";
import { changeOf, named } from "./make-change.ts";
import { oneOf } from "./one-of.ts";
import { diffOptions } from "./options.ts";
import { diffPermissions } from "./permissions.ts";
import { type Matches, matchByName, whyNotRenamed } from "./renames.ts";
import { diffTransitions } from "./transitions.ts";
import { diffViews } from "./views.ts";
import { exampleRole } from "./witness.ts";

/** `before` as it was written; `alignment` has it in the words of `after`. */
export function diffEntities(
  before: Model,
  after: Model,
  { before: aligned, entities }: Alignment,
  { access, budget }: { readonly access: Access; readonly budget: ComparisonBudget },
): Change[] {
  const inNewWords = new Map(before.entities.map((entity, index) => [entity.name, aligned.entities[index] ?? entity]));
  const rangesFor = createRanges(aligned, after);
  return [
    ...entities.kept.flatMap((pair) => {
      const was = inNewWords.get(pair.before.name) ?? pair.before;
      const fields = inWordsOf(matchByName(pair.before.fields, pair.after.fields), pair.before.fields, was.fields);
      const types = rangesFor(pair.after.name);
      return [
        ...(pair.before.name === pair.after.name ? [] : [entityRenamed(pair.before, pair.after)]),
        ...diffOptions(was, pair.after, {
          scopeGain: () => access.gainByScope(was, pair.after),
          isReferredTo: refersTo(aligned, was.name),
        }),
        ...diffFields(
          {
            entity: pair.after.name,
            fields,
            exampleOf: (operation) => exampleRole(pair.after, operation),
            exposes: (field) => access.gainByComputed(was, pair.after, field),
            hides: (field) => access.gainByHiding(was, pair.after, field),
            trusts: (field, values) => access.gainByValue(pair.after.name, field, values),
          },
          impliedBy(was, pair.after),
        ),
        ...diffConstraints(was, pair.after, types, budget),
        ...diffTransitions(was, pair.after, liveNameIn(fields)),
        ...diffViews(was, pair.after, access),
        ...diffPermissions(was, pair.after, access),
      ];
    }),
    ...entities.added.map((entity) => entityAdded(entity, shownBy(entity, access))),
    ...entities.removed.map((entity) => entityRemoved(entity, entities)),
  ];
}

function refersTo({ entities }: Model, target: string): boolean {
  return entities.some(({ fields }) => fields.some(({ type }) => type.kind === "ref" && type.entity === target));
}

function liveNameIn({ kept }: Matches<Field>): (field: string) => string | null {
  return (field) => kept.find(({ after }) => after.name === field)?.before.name ?? null;
}

/** The previous fields under their own names, with everything else in new words. */
export function inWordsOf(
  matches: Matches<Field>,
  before: readonly Field[],
  aligned: readonly Field[],
): Matches<Field> {
  const renamed = new Map(
    before.map((field, index) => [field.name, { ...(aligned[index] ?? field), name: field.name }]),
  );
  return {
    ...matches,
    kept: matches.kept.map((pair) => ({ ...pair, before: renamed.get(pair.before.name) ?? pair.before })),
  };
}

function entityRenamed(before: Entity, after: Entity): Change {
  const moved = before.plural === after.plural ? "" : ", and its route and table get the new name";
  return changeOf({
    kind: "entity_renamed",
    path: after.name,
    summary: `Rename the entity \`${before.name}\` to \`${after.name}\`. Its records are kept${moved}.`,
    classes: ["breaking"],
    before: before.name,
    after: after.name,
  });
}

/** What a computed field of a new entity shows of existing records. */
function shownBy(entity: Entity, access: Access): Witness | null {
  const was = withoutComputed(entity);
  const found = entity.fields.map((field) => access.gainByComputed(was, entity, field)).filter((one) => one !== null);
  return found.find(({ decided }) => decided) ?? found[0] ?? null;
}

/** A new entity without its computed fields. */
export function withoutComputed(entity: Entity): Entity {
  return { ...entity, fields: entity.fields.filter((field) => field.type.kind !== "computed") };
}

/** The same sentence has its permissions. */
export function entityAdded(entity: Entity, witness: Witness | null = null): Change {
  const fields = entity.fields.filter((field) => field.declared).length;
  const roles = [...new Set(entity.permissions.map((permission) => permission.role))];
  const grants = roles.map((role) => `${oneOf(role)} can ${whatMay(entity, role)}`);
  const who = grants.length === 0 ? "nobody can use it yet" : grants.join("; ");
  return changeOf({
    kind: "entity_added",
    path: entity.name,
    summary: `Add the entity \`${entity.name}\` with ${fields} field${fields === 1 ? "" : "s"}: ${who}.`,
    classes: [witness === null ? "safe" : "loosens_access"],
    after: entity.plural,
    witness,
  });
}

function entityRemoved(entity: Entity, entities: Matches<Entity>): Change {
  const alike = entities.added.filter((one) => shapeOf(one) === shapeOf(entity)).map((one) => one.name);
  const asks =
    alike.length === 0
      ? ""
      : ` If ${named(alike, "or")} is the same entity under a new name, add \`was: ${entity.name}\` to it.`;
  return changeOf({
    kind: "entity_removed",
    path: entity.name,
    summary: `Remove the entity \`${entity.name}\`, its records and its routes.${asks}${whyNotRenamed(entity, entities, (name) => `was: ${name}`)}`,
    classes: ["destructive", "breaking"],
    before: entity.plural,
  });
}

/** Its declared fields, as text. An entity's own name is in it only if it refers to itself. */
function shapeOf({ fields }: Entity): string {
  return fields
    .filter((field) => field.declared)
    .map((field) => `${field.name} ${typeText(field.type)}`)
    .sort()
    .join("\n");
}

const plainOperations: readonly string[] = ["create", "read", "update", "delete"];

/** "create, and read and update where the rule allows": operations with a rule are listed separately. */
function whatMay(entity: Entity, role: string): string {
  const own = entity.permissions.filter((permission) => permission.role === role);
  const free = own.filter(({ rule }) => rule.kind === "literal");
  const bound = own.filter(({ rule }) => rule.kind !== "literal");
  const everything = plainOperations.every((name) => free.some((one) => one.operation === name));
  if (everything && bound.length === 0) return "do everything";
  const parts = [operationsOf(free), bound.length === 0 ? "" : `${operationsOf(bound)} where the rule allows`];
  return parts.filter((part) => part !== "").join(", and ");
}

/** "read, update and take `publish`". */
function operationsOf(permissions: readonly Permission[]): string {
  const operations = permissions.map((one) => one.operation);
  const edges = operations.flatMap((one) => (one.startsWith("transition:") ? [one.slice("transition:".length)] : []));
  const words = [
    ...[...plainOperations, "restore"].filter((name) => operations.some((one) => one === name)),
    ...(edges.length === 0 ? [] : [`take ${named(edges, "or")}`]),
  ];
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}
