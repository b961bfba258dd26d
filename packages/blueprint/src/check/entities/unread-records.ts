// Warns about computed fields that reveal other records. In: a model without errors. Out: a warning for each computed
// field whose readers may not be allowed to read the records that it uses.
import { createBudget } from "@plinth/expression";
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Model, Permission } from "../../model/model.ts";
import { createRanges } from "../../rules/field-ranges.ts";
import { type Look, looksOf } from "../../rules/looks.ts";
import { readsLook } from "../../rules/readable-looks.ts";
import type { Report } from "../../text/report.ts";

export function warnOfUnreadRecords(model: Model, declared: readonly EntityDeclaration[], report: Report): void {
  const [rangesFor, budget] = [createRanges(model, model), createBudget()];
  for (const entity of model.entities) {
    for (const field of entity.fields) {
      if (field.type.kind !== "computed" || field.internal) continue;
      const looks = looksOf(field.type.expression, entity.name, model);
      if (looks.length === 0) continue;
      const found = readersOf(entity, field.name).flatMap((permission) => {
        const readers = { entity, permission, model, rangesFor, budget };
        // A caller who can't read the record can't read its fields.
        const unread = looks
          .flatMap((look) => [{ ...look, fields: new Set<string>() }, look])
          .find((look) => !readsLook(look, readers));
        return unread === undefined ? [] : [{ role: permission.role, unread }];
      });
      const [first] = found;
      const range = declared
        .find(({ name }) => name.text === entity.name)
        ?.fields.find(({ name }) => name.text === field.name)?.type?.expression?.range;
      if (first === undefined || range === undefined) continue;
      const roles = found.map(({ role }) => `\`${role}\``).join(", ");
      const message = `A caller who reads \`${field.name}\` as ${roles} can see values computed from ${wordsOf(first.unread)}, which they may not be allowed to read.`;
      const hint = `If you accept this, change nothing. Otherwise let \`${first.role}\` read ${wordsOf(first.unread)} wherever they can read the \`${entity.name}\`, or remove \`${field.name}\` from their \`fields\`.`;
      report.add("computed_beyond_reader", range, message, hint);
    }
  }
}

function readersOf({ permissions }: Entity, field: string): readonly Permission[] {
  return permissions.filter(({ operation, fields }) => operation === "read" && (fields?.includes(field) ?? true));
}

function wordsOf({ entity, fields }: Look): string {
  const [field] = fields;
  return field === undefined ? `each \`${entity}\`` : `\`${field}\` of each \`${entity}\``;
}
