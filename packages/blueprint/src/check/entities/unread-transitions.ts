// Warns about transitions without `when`. In: a model without errors. Out: a warning for each transition that a role
// can take on records that it can't read. A transition needs no right to read, so its roles can take it on every record
// in the right state.
import { createBudget } from "@plinth/expression";
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Model } from "../../model/model.ts";
import { createRanges } from "../../rules/field-ranges.ts";
import type { Look } from "../../rules/looks.ts";
import { readsLook } from "../../rules/readable-looks.ts";
import type { Report } from "../../text/report.ts";

export function warnOfUnreadTransitions(model: Model, declared: readonly EntityDeclaration[], report: Report): void {
  const [rangesFor, budget] = [createRanges(model, model), createBudget()];
  for (const entity of model.entities) {
    const edges = declared.find(({ name }) => name.text === entity.name)?.transitions[0]?.edges ?? [];
    for (const { name, roles, keys } of edges) {
      if (roles === null || keys.includes("when")) continue;
      const unread = entity.permissions.filter(
        (permission) =>
          permission.operation === `transition:${name.text}` &&
          !readsLook(everyRecordOf(entity), { entity, permission, model, rangesFor, budget }),
      );
      if (unread.length === 0) continue;
      const taken = unread.map(({ role }) => `\`${role}\``).join(", ");
      report.add(
        "transition_beyond_reader",
        name.range,
        `${taken} can take \`${name.text}\` on every \`${entity.name}\`, even on records that they can't read.`,
        "Limit it to some records: `when: user_id == current_user.id`. If you mean all of them, write `when: true`.",
      );
    }
  }
}

function everyRecordOf({ name }: Entity): Look {
  return {
    entity: name,
    way: [],
    fields: new Set(),
    place: (rule) => rule,
    unless: [],
    through: [],
    entities: new Map([["record", name]]),
  };
}
