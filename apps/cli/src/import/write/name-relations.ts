// Names the other sides of relations, and breaks circles of required references. In: all entities. Out: the same, with `as` if
// two relations would have the same name, or the source has another name.
import { checkName } from "@plinth/blueprint";
import type { Inventory } from "../inventory.ts";
import { type EntityDraft, entityIn, type LongField, targetIn } from "./draft.ts";
import { fieldName, plural, relationName } from "./names.ts";

/** The names that users already have. */
const ofUsers =
  "id email name roles created_at updated_at version password password_hash created_by deleted_at organizations memberships sessions is".split(
    " ",
  );
const NAME_LENGTH_MAX = 58;

/** @param backs `entity.field` > the other side's name of a many-to-many field in the source. */
export function nameRelations(
  drafts: readonly EntityDraft[],
  profile: ReadonlyMap<string, LongField>,
  backs: ReadonlyMap<string, string>,
  inventory: Inventory,
): void {
  const taken = new Map([
    ["user", new Set([...ofUsers, ...profile.keys()])],
    ...drafts.map((draft) => [draft.name, namesIn(draft)] as const),
  ]);
  for (const draft of drafts) {
    for (const [name, field] of draft.fields) {
      const target = targetIn(field);
      const used = taken.get(target ?? "");
      if (target === null || used === undefined) continue;
      const reference = draft.referenceOf.get(name);
      const wanted = backs.get(`${draft.name}.${name}`) ?? (reference?.back ? fieldName(reference.back.name) : null);
      const usual = draft.plural ?? plural(draft.name);
      // Users only have relations to records that refer to them if those are named.
      if (target === "user" && wanted === null) continue;
      const chosen = freeName(
        [...(wanted === null ? [] : [wanted]), usual, `${relationName(name)}_${usual}`, `${usual}_of_${name}`],
        used,
      );
      used.add(chosen);
      if (chosen !== usual || target === "user") draft.fields.set(name, { ...field, as: chosen });
      if (reference?.back) settleBack(reference.back, target, chosen, inventory);
    }
  }
}

function settleBack(
  back: { readonly name: string; readonly item: Parameters<Inventory["expressed"]>[0] },
  target: string,
  chosen: string,
  inventory: Inventory,
): void {
  const isUser = target === "user";
  inventory.expressed(back.item, (model) => {
    if (!isUser) return entityIn(model, target)?.relations.some((one) => one.name === chosen) === true;
    return model.entities.some((entity) =>
      entity.fields.some(({ type }) => type.kind === "user_ref" && type.as === chosen),
    );
  });
  if (chosen !== fieldName(back.name)) inventory.changed(back.item, `It becomes \`${chosen}\`.`);
}

function namesIn(draft: EntityDraft): Set<string> {
  const references = [...draft.fields]
    .filter(([, field]) => targetIn(field) !== null)
    .map(([name]) => relationName(name));
  return new Set(["id", "version", "created_at", "updated_at", "created_by", ...draft.fields.keys(), ...references]);
}

function freeName(candidates: readonly string[], used: ReadonlySet<string>): string {
  const short = candidates.map((one) => one.slice(0, NAME_LENGTH_MAX).replace(/_+$/, ""));
  const found = short.find((one) => !used.has(one) && checkName(one, "relation") === null);
  if (found !== undefined) return found;
  for (let n = 2; ; n++) {
    const name = `${(short[0] ?? "related").slice(0, NAME_LENGTH_MAX - 8).replace(/_+$/, "")}_${n}`;
    if (!used.has(name)) return name;
  }
}

/** In a circle of required references, no first record could be created, so one of them becomes optional. */
export function breakCircles(drafts: readonly EntityDraft[], inventory: Inventory): void {
  for (const draft of drafts) {
    for (const [name, field] of draft.fields) {
      const target = targetIn(field);
      if (!isRequiredReference(field) || target === null || !reaches(drafts, target, draft.name)) continue;
      draft.fields.set(name, { ...field, optional: true });
      const column = draft.table.columns.find((one) => draft.fieldOf.get(one.name) === name);
      inventory.changed(
        column?.required ?? column?.item,
        `\`${draft.name}.${name}\` is optional: in a circle of required references, no first record could be created.`,
      );
    }
  }
}

function isRequiredReference(field: LongField): boolean {
  return field.type.startsWith("ref(") && field.optional !== true;
}

function reaches(drafts: readonly EntityDraft[], from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    const fields = drafts.find((one) => one.name === next)?.fields.values() ?? [];
    for (const field of fields) if (isRequiredReference(field)) open.push(targetIn(field) ?? "");
  }
  return false;
}
