// In: an entity whose sequence numbers records at a transition. Out: a diagnostic where there is no such transition, or where a
// numbered record could be deleted for good: the numbers would have a gap that nobody can explain.
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import { edgeNamed } from "../fields/fields.ts";
import type { CheckedEntity } from "./entity-draft.ts";

type Entity = CheckedEntity["entity"];

/** @param isMachineBroken The entity's transitions have a problem of their own, so that no name of theirs is blamed. */
export function checkNumbered(
  declared: readonly FieldDeclaration[],
  entity: Entity,
  softDeleted: ReadonlySet<string>,
  isMachineBroken: boolean,
  report: Report,
): void {
  const words = declared.flatMap(({ at }) => (at === null || edgeNamed(at) === null ? [] : [at]));
  const [first] = words;
  if (first === undefined) return;
  for (const word of words) if (!isMachineBroken) refuseUnknown(word, entity, report);
  for (const { message, hint } of deletesOf(entity, softDeleted))
    report.add("misplaced_modifier", first.range, `\`at\` makes no sense here: ${message}`, hint);
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

function* deletesOf(entity: Entity, softDeleted: ReadonlySet<string>): Generator<Refused> {
  if (!entity.softDelete) {
    yield {
      message: `a \`${entity.name}\` is deleted for good, and a number must not go with it.`,
      hint: "Add `soft_delete: true` to the entity.",
    };
    return;
  }
  if (entity.retentionDays !== null) {
    yield {
      message: "`retention` deletes records for good, and a number must not go with them.",
      hint: "Remove `retention`, or `at`.",
    };
  }
  for (const { name, type } of entity.fields) {
    if (!("onDelete" in type) || type.onDelete !== "cascade") continue;
    if (type.kind === "ref" && softDeleted.has(type.entity)) continue;
    yield {
      message: `deleting what \`${name}\` refers to deletes the record for good, and a number must not go with it.`,
      hint: `Write \`on_delete(restrict)\` on \`${name}\`.`,
    };
  }
}
