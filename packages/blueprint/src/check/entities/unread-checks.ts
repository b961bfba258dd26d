// Warns about checks that reveal a field. In: a model without errors. Out: a warning for each named check through which
// callers can find out a field that they can't read: they write another field again and again, and see when the check
// refuses it.
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

/** Only of the record itself: a check can't use other records. */
function fieldsOf(node: Expression): ReadonlySet<string> {
  if (node.kind === "field") return new Set(node.path.slice(0, 1));
  return new Set(partsOf(node).flatMap((part) => [...fieldsOf(part)]));
}

/** In an existing record. Somebody who creates a record knows its values. */
function isWrittenBy({ operation, fields, set }: Permission, field: Field, { stateMachine }: Entity): boolean {
  const edge = stateMachine?.edges.find(({ name }) => operation === `transition:${name}`);
  const isTaken = edge === undefined ? operation === "update" : edge.require.includes(field.name);
  const isFree = (fields?.includes(field.name) ?? true) && !set.some((one) => one.field === field.name);
  return isTaken && isFree && field.writer === "caller" && !field.internal && !field.immutable;
}

/** Whether everybody who reads a record with this role can read the field in it. */
function isReadBy(role: string, field: Field, { permissions }: Entity, model: Model): boolean {
  if (field.internal) return false;
  const rolesOfHolder = heldWith(role, model);
  const grants = permissions.filter(({ operation, role: other }) => operation === "read" && rolesOfHolder.has(other));
  const showing = grants.filter(({ fields }) => fields?.includes(field.name) ?? true);
  const isOpen = showing.some(({ rule }) => rule.kind === "literal" && rule.value === true);
  return showing.length > 0 && (isOpen || showing.length === grants.length);
}
