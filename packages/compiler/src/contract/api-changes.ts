// Finds breaking changes of the API that the diff of the models doesn't report. In: both models, their documents, and
// the changes between them. Out: changes, one for each field or route. It never repeats a change that is already
// classed as breaking.
import { type Change, type Entity, type Model, renamesOf, targetOf } from "@plinth/blueprint";
import { relationName } from "@plinth/expression";
import { aliasChanges } from "./alias-changes.ts";
import { diffOpenapi } from "./openapi-diff.ts";

export interface Documented {
  readonly model: Model;
  readonly openapi: unknown;
}

export function apiChanges(before: Documented, after: Documented, changes: readonly Change[]): readonly Change[] {
  const breaking = changes.filter((change) => change.classes.includes("breaking"));
  const subjectOf = subjects(before.model, after.model);
  const found = new Map<string, Change>();
  for (const change of [
    ...diffOpenapi(before.openapi, after.openapi),
    ...aliasChanges(before.model.entities, after.model.entities),
  ]) {
    const subject = subjectOf(change.path.slice("api.".length));
    if (breaking.some(({ path }) => says(path, subject))) continue;
    const path = subject.field === null ? change.path : `api.${subject.entity}.${subject.field}`;
    const known = found.get(path);
    if (known === undefined) found.set(path, { ...change, path });
    else if (!known.summary.includes(change.summary))
      found.set(path, { ...known, summary: `${known.summary} ${change.summary}` });
  }
  return [...found.values()];
}

/**
 * `listing.create.title`, or for a body inside another one `listing.writes.in.shop_id.update.[].title`: the entity and
 * the field.
 */
const schemaOf =
  /^([a-z0-9_]+)(?:\.(?:(?:create|writes)\.in\.[a-z0-9_]+(?:\.update\.\[\])?|create|update|upsert|written|related)(?=\.|$))?(?:\.([a-z0-9_]+))?/;

/** The entity and field of the old model for a place in the document, and their new names. */
interface Subject {
  readonly entity: string | null;
  readonly field: string | null;
  readonly names: readonly string[];
  /** Whether a change of any part of the entity can be the cause. */
  readonly anyPart: boolean;
}

function subjects(before: Model, after: Model): (path: string) => Subject {
  const renames = renamesOf(before, after);
  const byPlural = new Map(before.entities.map((entity) => [entity.plural, entity]));
  const byName = new Map(before.entities.map((entity) => [entity.name, entity]));
  return (path) => {
    const route = /^(?:[A-Z]+ )?\/(?:v1\/resources|api)\/([a-z0-9_]+)(\/\S+)?(?: (\S+))?$/.exec(path);
    const component = schemaOf.exec(path);
    const found =
      route === null ? byName.get(component?.[1] ?? "") : (byPlural.get(route[1]!) ?? byName.get(route[1]!));
    const [entity, named] = behindRelation(found, route === null ? component?.[2] : route[3], byName);
    if (entity === undefined) return { entity: null, field: null, names: [], anyPart: false };
    const plural = renames.tables[entity.plural] ?? entity.plural;
    const now = after.entities.find((one) => one.plural === plural)?.name ?? entity.name;
    const fields = new Set(
      [...entity.fields, ...(after.entities.find((one) => one.name === now)?.fields ?? [])].map((one) => one.name),
    );
    const field = named !== undefined && fields.has(named) ? named : null;
    const moved = field === null ? undefined : renames.columns[plural]?.[field];
    const names = [...new Set([entity.name, now])].flatMap((name) =>
      field === null ? [name] : [name, `${name}.${field}`, ...(moved === undefined ? [] : [`${name}.${moved}`])],
    );
    return {
      entity: entity.name,
      field,
      names,
      anyPart: (route !== null && (route[2] ?? "/{id}") !== "/{id}") || named === "sort",
    };
  };
}

/** Nested records exist through a field of this entity, or of theirs. */
function behindRelation(
  entity: Entity | undefined,
  name: string | undefined,
  byName: ReadonlyMap<string, Entity>,
): readonly [Entity | undefined, string | undefined] {
  if (entity === undefined || entity.fields.some((field) => field.name === name)) return [entity, name];
  const list = entity.relations.find((relation) => relation.name === name);
  if (list !== undefined && list.by.kind !== "refs") return [byName.get(list.entity) ?? entity, list.by.field];
  const own = entity.fields.find(({ name: field, type }) => targetOf(type) !== null && relationName(field) === name);
  return [entity, own?.name ?? name];
}

/** For a field, any change of it, of its entity, or of who can read it; for a route, any change of its entity. */
function says(path: string, { names, field, anyPart }: Subject): boolean {
  return names.some((name) => {
    if (path === name) return true;
    const whole = !name.includes(".");
    if (field !== null) return whole ? path.startsWith(`${name}.permissions.`) : path.startsWith(`${name}.`);
    return anyPart && path.startsWith(`${name}.`);
  });
}
