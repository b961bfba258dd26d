// Checks sequences that number records at a transition. In: the entity. Out: a diagnostic if there is no such
// transition, or if a numbered record can be deleted for good, because the numbers would then have a gap.
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import { edgeNamed } from "../fields/fields.ts";
import type { CheckedEntity } from "./entity-draft.ts";

type Entity = CheckedEntity["entity"];

/** Entities whose records are never deleted for good: no delete, no retention, and no cascade from other entities. */
export function keptForGood(entities: readonly Entity[]): ReadonlySet<string> {
  const kept = new Map(
    entities
      .filter(({ softDelete, retentionDays }) => softDelete && retentionDays === null)
      .map((entity) => [entity.name, cascadesOf(entity)]),
  );
  for (;;) {
    const lost = [...kept].filter(([, from]) => from.some(({ target }) => target === null || !kept.has(target)));
    if (lost.length === 0) return new Set(kept.keys());
    for (const [name] of lost) kept.delete(name);
  }
}

/** References through which a delete continues to the entity; `target` is null if the blueprint doesn't declare it. */
function cascadesOf({ fields }: Entity): readonly { readonly name: string; readonly target: string | null }[] {
  return fields.flatMap(({ name, type }) =>
    "onDelete" in type && type.onDelete === "cascade"
      ? [{ name, target: type.kind === "ref" ? type.entity : null }]
      : [],
  );
}

/**
 * @param isMachineBroken Whether the entity's transitions have problems of their own, so that no unknown transition is
 * reported.
 */
export function checkNumbered(
  declared: readonly FieldDeclaration[],
  entity: Entity,
  kept: ReadonlySet<string>,
  isMachineBroken: boolean,
  report: Report,
): void {
  const words = declared.flatMap(({ at }) => (at === null || edgeNamed(at) === null ? [] : [at]));
  const [first] = words;
  if (first === undefined) return;
  for (const word of words) if (!isMachineBroken) refuseUnknown(word, entity, report);
  for (const { message, hint } of deletesOf(entity, kept))
    report.add("misplaced_modifier", first.range, `\`at\` can't be used here: ${message}`, hint);
}

function refuseUnknown(word: Word, { name, stateMachine }: Entity, report: Report): void {
  const wanted = edgeNamed(word) ?? "";
  const edges = stateMachine?.edges.map((edge) => edge.name) ?? [];
  if (edges.includes(wanted)) return;
  const hint = suggestFor(wanted, edges, report) ?? "Declare it under `transitions`.";
  report.add("unknown_transition", word.range, `\`${name}\` has no transition \`${wanted.slice(0, 60)}\`.`, hint);
}

interface Refused {
  readonly message: string;
  readonly hint: string;
}

function* deletesOf(entity: Entity, kept: ReadonlySet<string>): Generator<Refused> {
  if (!entity.softDelete) {
    yield {
      message: `a \`${entity.name}\` is deleted for good, and its number must not be lost.`,
      hint: "Add `soft_delete: true` to the entity.",
    };
    return;
  }
  if (entity.retentionDays !== null) {
    yield {
      message: "`retention` deletes records for good, and their numbers must not be lost.",
      hint: "Remove `retention`, or `at`.",
    };
  }
  for (const { name, target } of cascadesOf(entity)) {
    if (target === entity.name || (target !== null && kept.has(target))) continue;
    yield {
      message: `a delete of the record in \`${name}\` deletes this one for good, and its number must not be lost.`,
      hint: `Write \`on_delete(restrict)\` on \`${name}\`.`,
    };
  }
}
