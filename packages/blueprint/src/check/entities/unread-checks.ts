// In: a model without errors. Out: a warning for each named check by which somebody can find out a field that they may not read:
// they write the other one again and again, and see when the check refuses it. A check must hold, so nothing can keep it from them.
import { type Expression, partsOf } from "@plinth/expression";
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Field, Model, Permission } from "../../model/model.ts";
import { heldWith } from "../../rules/readable-looks.ts";
import type { Report } from "../../text/report.ts";

export function warnOfUnreadChecks(model: Model, declared: readonly EntityDeclaration[], report: Report): void {
  for (const entity of model.entities) {
    for (const { name, condition } of entity.checks) {
      const fields = entity.fields.filter((field) => fieldsOf(condition).has(field.name));
      const found = entity.permissions.flatMap((permission) => {
        const written = fields.find((field) => isWrittenBy(permission, field, entity));
        const unread = fields.find((field) => field !== written && !isReadBy(permission.role, field, entity, model));
        return written === undefined || unread === undefined ? [] : [{ role: permission.role, written, unread }];
      });
      const [first] = found;
      const range = declared
        .find((one) => one.name.text === entity.name)
        ?.options.checks.find((one) => one.name.text === name)?.condition.range;
      if (first === undefined || range === undefined) continue;
      const roles = [...new Set(found.map(({ role }) => `\`${role}\``))].join(", ");
      const [written, unread] = [`\`${first.written.name}\``, `\`${first.unread.name}\``];
      const message = `A caller who writes ${written} as ${roles} can find out ${unread}, which they can't read: the check reveals which values are allowed together.`;
      const hint = `If you accept this, change nothing. Otherwise let \`${first.role}\` read ${unread}, or remove ${written} from the fields that they can write.`;
      report.add("check_beyond_reader", range, message, hint);
    }
  }
}

/** Of the record itself: a check sees no other. */
function fieldsOf(node: Expression): ReadonlySet<string> {
  if (node.kind === "field") return new Set(node.path.slice(0, 1));
  return new Set(partsOf(node).flatMap((part) => [...fieldsOf(part)]));
}

/** In a record that is there: who creates one knows what they give it. */
function isWrittenBy({ operation, fields, set }: Permission, field: Field, { stateMachine }: Entity): boolean {
  const edge = stateMachine?.edges.find(({ name }) => operation === `transition:${name}`);
  const isTaken = edge === undefined ? operation === "update" : edge.require.includes(field.name);
  const isFree = (fields?.includes(field.name) ?? true) && !set.some((one) => one.field === field.name);
  return isTaken && isFree && field.writer === "caller" && !field.internal && !field.immutable;
}

/** Whether whoever reads a record in this role reads the field in it. */
function isReadBy(role: string, field: Field, { permissions }: Entity, model: Model): boolean {
  if (field.internal) return false;
  const held = heldWith(role, model);
  const grants = permissions.filter(({ operation, role: other }) => operation === "read" && held.has(other));
  const showing = grants.filter(({ fields }) => fields?.includes(field.name) ?? true);
  const isOpen = showing.some(({ rule }) => rule.kind === "literal" && rule.value === true);
  return showing.length > 0 && (isOpen || showing.length === grants.length);
}
