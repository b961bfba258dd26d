// Warns about views that reveal values. In: a model without errors. Out: a warning for each view whose condition or order
// uses what its readers may not be allowed to read.
import { createBudget, type Expression } from "@plinth/expression";
import type { ViewDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Model, View } from "../../model/model.ts";
import { createRanges } from "../../rules/field-ranges.ts";
import { type Look, looksOf } from "../../rules/looks.ts";
import { partsRead } from "../../rules/own-looks.ts";
import { readsLook } from "../../rules/readable-looks.ts";
import type { Report } from "../../text/report.ts";
import type { Range } from "../../text/syntax.ts";

/** A part of a view, and what it reads. */
interface Asked {
  readonly range: Range;
  readonly what: string;
  readonly looks: readonly Look[];
}

export function warnOfUnreadViews(model: Model, declared: readonly ViewDeclaration[], report: Report): void {
  const [rangesFor, budget] = [createRanges(model, model), createBudget()];
  for (const entity of model.entities) {
    for (const view of entity.views ?? []) {
      const source = declared.find(({ of, name }) => of.text === entity.name && name.text === view.name);
      if (source === undefined) continue;
      for (const { range, what, looks } of askedBy(view, source, entity, model)) {
        const found = entity.permissions.flatMap((permission) => {
          if (permission.operation !== "read") return [];
          const unread = looks.find((look) => !readsLook(look, { entity, permission, model, rangesFor, budget }));
          return unread === undefined ? [] : [{ role: permission.role, unread }];
        });
        const [first] = found;
        if (first === undefined) continue;
        const roles = [...new Set(found.map(({ role }) => `\`${role}\``))].join(", ");
        const secret = wordsOf(first.unread, entity);
        const message = `A caller who reads the view \`${view.name}\` as ${roles} can find out, through its ${what}, ${secret}, which they may not be allowed to read.`;
        const readable = isInternal(first.unread, model) ? "" : `let \`${first.role}\` read ${secret}, or `;
        const hint = `If you accept this, change nothing. Otherwise ${readable}use another field.`;
        report.add("view_beyond_reader", range, message, hint);
      }
    }
  }
}

function askedBy({ where, sort }: View, source: ViewDeclaration, entity: Entity, model: Model): readonly Asked[] {
  const [condition] = source.where;
  const looks = [...ownLook(partsRead(where, entity), entity), ...looksOf(where, entity.name, model)];
  const ordered = sort.flatMap(({ field }): Asked[] => {
    const word = source.sort.find(({ text }) => text.replace(/^-/, "") === field);
    return word === undefined ? [] : [{ range: word.range, what: "order", looks: ownLook([field], entity) }];
  });
  return [
    ...(condition === undefined ? [] : [{ range: condition.scalar.range, what: "condition", looks }]),
    ...ordered,
  ];
}

/** The record itself, as something that the view looks at. A caller always reads the id. */
function ownLook(fields: readonly string[], { name }: Entity): readonly Look[] {
  const read = new Set(fields.filter((field) => field !== "id"));
  if (read.size === 0) return [];
  const place = (rule: Expression): Expression => rule;
  return [
    { entity: name, way: [], fields: read, place, unless: [], through: [], entities: new Map([["record", name]]) },
  ];
}

function isInternal({ entity, fields }: Look, { entities }: Model): boolean {
  const known = entities.find(({ name }) => name === entity)?.fields ?? [];
  return known.some(({ name, internal }) => internal && fields.has(name));
}

function wordsOf({ entity, fields }: Look, of: Entity): string {
  const names = [...fields].map((field) => `\`${field}\``).join(", ");
  const whose = entity === of.name ? "" : ` of each \`${entity}\``;
  return names === "" ? `each \`${entity}\`` : `${names}${whose}`;
}
