// Collects relations. In: all entities. Out: the relations to many of each entity, by name: back relations and its own
// `refs`. If two have the same name, both are reported.

import { relationName, withArticle } from "@plinth/expression";
import type { Field, FieldType, Relation } from "../../model/model.ts";
import { USER_ENTITY, userNames } from "../../modules/users.ts";
import { targetOf } from "../../rules/expression-schema.ts";
import { checkName } from "../../text/names.ts";
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";
import type { EntityDraft } from "./entity-draft.ts";

/** Postgres cuts off longer names. */
const TABLE_NAME_MAX = 63;

/**
 * Tables of the service that a plural and a field could form, even if their module is not listed, so that it can be
 * added later.
 */
const serviceTables: readonly string[] = [
  "workers__listeners",
  "workers__events",
  "workers__runs",
  "workers__steps",
  "workers__attempts",
  "workers__waits",
  "organizations__invitations",
  "idempotency__replies",
];

interface OtherSide {
  readonly relation: Relation;
  /** `message.sender_id`. */
  readonly from: string;
  /** The source of its name. */
  readonly word: Word;
}

/** @param profile The fields of users. */
export function checkRelations(
  drafts: readonly EntityDraft[],
  profile: readonly Field[],
  report: Report,
): ReadonlyMap<string, readonly Relation[]> {
  const sides = new Map<string, OtherSide[]>();
  const ofUsers: OtherSide[] = [];
  const softDeleted = new Set(drafts.filter((draft) => draft.entity.softDelete).map((draft) => draft.entity.name));
  for (const draft of drafts) {
    for (const { field, declared } of draft.fields) {
      if (field.type.kind === "user_ref" && declared.as !== null) {
        const by = { kind: "referrer", field: field.name } as const;
        const relation = { name: declared.as.text, entity: draft.entity.name, by };
        ofUsers.push({ relation, from: `${draft.entity.name}.${field.name}`, word: declared.as });
      }
      if (field.type.kind !== "ref" && field.type.kind !== "refs") continue;
      if (field.type.kind === "refs") refuseJoinTable(draft, declared.name, report);
      else warnOfDestruction(draft, field.type, softDeleted, declared.onDelete ?? declared.name, report);
      const kind = field.type.kind === "ref" ? "referrer" : "refs_inverse";
      const name = declared.as?.text ?? draft.entity.plural;
      const relation: Relation = { name, entity: draft.entity.name, by: { kind, field: field.name } };
      const side = { relation, from: `${draft.entity.name}.${field.name}`, word: declared.as ?? declared.name };
      const known = sides.get(field.type.entity);
      if (known === undefined) sides.set(field.type.entity, [side]);
      else known.push(side);
    }
  }
  otherSides(USER_ENTITY, takenOfUsers(profile), ofUsers, report);
  return new Map(
    drafts.map((draft) => [draft.entity.name, relationsOf(draft, sides.get(draft.entity.name) ?? [], report)]),
  );
}

/** A cascade marks records of an entity with `soft_delete`, and destroys all others, which no restore brings back. */
function warnOfDestruction(
  { entity }: EntityDraft,
  { entity: target, onDelete }: Extract<FieldType, { kind: "ref" }>,
  softDeleted: ReadonlySet<string>,
  place: Word,
  report: Report,
): void {
  if (onDelete !== "cascade" || entity.softDelete || !softDeleted.has(target)) return;
  report.add(
    "cascade_destroys",
    place.range,
    `Deleting ${withArticle(`\`${target}\``)} permanently deletes each \`${entity.name}\` that refers to it. Restoring the \`${target}\` doesn't bring them back.`,
    `Add \`soft_delete: true\` to \`${entity.name}\`, or use \`on_delete(restrict)\`.`,
  );
}

function refuseJoinTable({ entity }: EntityDraft, field: Word, report: Report): void {
  const table = `${entity.plural}__${field.text}`;
  if (serviceTables.includes(table)) {
    const hint = "Choose another name, or give the entity another `plural`.";
    report.add(
      "reserved_name",
      field.range,
      `\`${field.text}\` is a reserved name here: the service has a table \`${table}\`.`,
      hint,
    );
  }
  if (table.length <= TABLE_NAME_MAX) return;
  const message = `The join table \`${table}\` would have a name with more than ${TABLE_NAME_MAX} characters.`;
  report.add(
    "invalid_name",
    field.range,
    message,
    "Choose a shorter name for the field, or a shorter `plural` for the entity.",
  );
}

function relationsOf(draft: EntityDraft, sides: readonly OtherSide[], report: Report): readonly Relation[] {
  const { entity } = draft;
  const taken = sides.length === 0 ? new Map<string, string>() : takenBy(draft);
  const own = entity.fields.flatMap((field): Relation[] =>
    field.type.kind === "refs"
      ? [{ name: field.name, entity: field.type.entity, by: { kind: "refs", field: field.name } }]
      : [],
  );
  const others = otherSides(entity.name, taken, sides, report);
  return [...own, ...others].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The relations with valid names. @param taken The current meaning of each name. */
function otherSides(
  entity: string,
  taken: Map<string, string>,
  sides: readonly OtherSide[],
  report: Report,
): readonly Relation[] {
  return sides.flatMap(({ relation, from, word }): Relation[] => {
    const problem = checkName(relation.name, "relation");
    const other = taken.get(relation.name);
    taken.set(relation.name, `the back relation of \`${from}\``);
    if (problem !== null) {
      report.add(
        problem.code,
        word.range,
        problem.message,
        `${problem.hint ?? ""} \`as:\` sets the name of the back relation.`.trim(),
      );
      return [];
    }
    if (other === undefined) return [relation];
    report.add(
      "relation_collision",
      word.range,
      `On \`${entity}\`, the back relation of \`${from}\` would be named \`${relation.name}\`, but ${other} already has this name.`,
      `Name it with \`as\`: \`${entity === USER_ENTITY ? "user_ref" : `ref(${entity})`} as(${suggestion(from)})\`.`,
    );
    return [];
  });
}

function takenOfUsers(profile: readonly Field[]): Map<string, string> {
  return new Map(userNames(profile).map((name) => [name, "what every user has"]));
}

/** Names that relations can't have, each with its owner. */
function takenBy({ entity, declared }: EntityDraft): Map<string, string> {
  const taken = new Map<string, string>();
  for (const field of entity.fields) {
    taken.set(field.name, `the field \`${field.name}\``);
    if (targetOf(field.type) !== null) taken.set(relationName(field.name), `the relation behind \`${field.name}\``);
  }
  // A declared field keeps its name if its type is wrong. If it can't be read at all, this is reported, which is
  // enough.
  for (const { name, type } of declared.fields) if (type !== null) taken.set(name.text, `the field \`${name.text}\``);
  return taken;
}

/** `message.sender_id` > roughly `sender_messages`; a person can find a better one. */
function suggestion(from: string): string {
  const [entity = "", field = ""] = from.split(".");
  return `${relationName(field)}_${entity}s`.slice(0, 58);
}
