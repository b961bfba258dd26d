// Compares fields. In: the fields of an entity before and after, in the same words. Out: the changes between them, each
// with its classes.
import { printExpression } from "@plinth/expression";
import type { Entity, Field, FieldDefault, FieldSearch, FieldType, OnDelete, Operation } from "../model/model.ts";
import { defaultText, fieldText, typeText } from "../model/notation.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { filledFrom } from "./computed.ts";
import { limitsChange } from "./limits.ts";
import { changeOf, named, type Part } from "./make-change.ts";
import { holderOfFormerName, type Matches, whyNotRenamed } from "./renames.ts";
import { typeChange } from "./types.ts";
import { type GivenValues, givenByDefault } from "./values.ts";

export interface FieldContext {
  /** The entity after the change; for profile fields, `user`. */
  readonly entity: string;
  readonly fields: Matches<Field>;
  /** An example of a role that can do this to records of the entity. */
  readonly exampleOf: (operation: Operation) => string;
  /** Somebody who can now read the sources of a computed field, and could not before. */
  readonly exposes: (field: Field) => Witness | null;
  /** Somebody who reads, through another field, what this one no longer shows. */
  readonly hides: (field: Field) => Witness | null;
  /** Somebody whom a rule lets in because of the field's new value. */
  readonly trusts: (field: Field, values: GivenValues) => Witness | null;
}

/** Changes that the option `soft_delete` or `org_scoped` of the entity already reports. */
export type Implied = (field: Field) => boolean;

/** `kept` pairs have the previous field in the words of the new model, but under its own name. */
export function diffFields(context: FieldContext, implied: Implied): Change[] {
  const { fields, entity } = context;
  return [
    ...fields.kept.flatMap(({ before, after }) => [
      ...(before.name === after.name ? [] : [fieldRenamed(entity, before, after)]),
      ...diffField(context, before, after),
    ]),
    ...fields.added.filter((field) => !implied(field)).map((field) => fieldAdded(context, field)),
    ...fields.removed.filter((field) => !implied(field)).map((field) => fieldRemoved(context, field)),
  ];
}

function fieldRenamed(entity: string, before: Field, after: Field): Change {
  return changeOf({
    kind: "field_renamed",
    path: `${entity}.${after.name}`,
    summary: `Rename the field \`${before.name}\` of \`${entity}\` to \`${after.name}\`. Its values are kept.`,
    classes: [before.internal && after.internal ? "safe" : "breaking"],
    before: before.name,
    after: after.name,
  });
}

function fieldAdded({ entity, exposes, fields }: FieldContext, field: Field): Change {
  const holder = holderOfFormerName(field, fields);
  if (holder !== null) {
    const former = holder.was === null ? "" : `, and its own \`was(${holder.was})\` has already been carried out`;
    return changeOf({
      kind: "field_added",
      path: `${entity}.${field.name}`,
      summary: `\`${field.name}\` of \`${entity}\` can't be what \`${holder.name}\` was before: \`${holder.name}\` stays${former}. Remove \`was(${holder.name})\`, or the field \`${holder.name}\`.`,
      classes: ["unsupported"],
      after: fieldText(field),
    });
  }
  const what = field.optional ? "optional" : "required";
  const witness = exposes(field);
  return changeOf({
    kind: "field_added",
    path: `${entity}.${field.name}`,
    summary: `Add the ${what} field \`${field.name}\` (${typeText(field.type)}) to \`${entity}\`${forExisting(field)}.`,
    classes: [...filling(field), ...(witness === null ? [] : (["loosens_access"] as const))],
    after: fieldText(field),
    witness,
  });
}

/** What happens to existing records. */
function forExisting(field: Field): string {
  if (field.fill !== undefined) return `. Existing records get \`${printExpression(field.fill)}\``;
  if (isGeneratedForExisting(field)) return `. Existing records get a value made from \`${field.type.from}\``;
  if (field.type.kind === "sequence" && field.type.at === undefined)
    return ". Existing records are numbered in the order of their creation";
  const empty = filling(field).includes("data_dependent");
  return empty ? ". Existing records have no value for it: add `fill` to give them one" : "";
}

/** Existing rows get a constant, the time of the change, a number, or the value of `fill`; there is no current user. */
function filling(field: Field): readonly ChangeClass[] {
  const { type, optional, default: fallback, writer, fill } = field;
  if (type.kind === "computed" || type.kind === "refs" || type.kind === "file" || type.kind === "image")
    return ["safe"];
  if (type.kind === "sequence") return type.at === undefined ? ["backfill"] : ["safe"];
  if (fill !== undefined) {
    const isNeeded = !optional && fallback === null;
    const isSent: readonly ChangeClass[] = isNeeded && writer !== "service" ? ["breaking"] : [];
    return [...isSent, ...(isNeeded || hasLimits(field) ? (["data_dependent"] as const) : []), "backfill"];
  }
  // New records get their value from the service, and existing records one that is made in the same way.
  if (isGeneratedForExisting(field)) return ["data_dependent", "backfill"];
  if (optional || fallback?.kind === "literal" || fallback?.kind === "now" || fallback?.kind === "today")
    return ["safe"];
  if (writer === "service" && fallback === null) return ["safe"];
  return ["breaking", "data_dependent"];
}

/** Whether existing records without a value get one like new records do: a slug, made from its field. */
export function isGeneratedForExisting(
  field: Field,
): field is Field & { readonly type: { readonly kind: "slug"; readonly from: string } } {
  return field.type.kind === "slug" && field.type.from !== null && !field.optional && field.fill === undefined;
}

/** Whether the field can't hold all values of its type, so that a value from `fill` may not fit. */
function hasLimits({ type, limits }: Field): boolean {
  const isWide = ["text", "markdown", "int", "bigint", "float", "decimal", "money", "bool", "uuid"].includes(type.kind);
  const isTime = ["date", "time", "datetime", "duration"].includes(type.kind);
  return !(isWide || isTime) || limits.min !== null || limits.max !== null || limits.pattern !== null;
}

function fieldRemoved({ entity, fields }: FieldContext, field: Field): Change {
  const alike = fields.added.filter((one) => shapeOf(one) === shapeOf(field));
  const asks =
    alike.length === 0
      ? ""
      : ` If ${named(
          alike.map((one) => one.name),
          "or",
        )} is meant to be the same field, write \`was(${field.name})\` on it.`;
  const holds = field.type.kind === "computed" ? "" : " and its values";
  return changeOf({
    kind: "field_removed",
    path: `${entity}.${field.name}`,
    summary: `Remove the field \`${field.name}\` of \`${entity}\`${holds}.${asks}${whyNotRenamed(field, fields, (name) => `was(${name})`)}`,
    classes: field.type.kind === "computed" ? ["breaking"] : ["destructive", "breaking"],
    before: fieldText(field),
  });
}

function shapeOf(field: Field): string {
  return `${typeText(field.type)}${field.optional ? "?" : ""}`;
}

function diffField(context: FieldContext, before: Field, after: Field): Change[] {
  return [...diffShape(context, before, after), ...diffDefault(context, before, after)];
}

interface Loosening extends Part {
  /** The text after "`role` can now ". */
  readonly may?: string;
  readonly operation?: Operation;
  /** The role, if no grant decides it. */
  readonly role?: string;
}

function diffShape({ entity, exampleOf, exposes, hides, trusts }: FieldContext, before: Field, after: Field): Change[] {
  const parts: Loosening[] = [
    typeChange(before.type, after.type),
    secretChange(before, after),
    deleteChange(before, after),
    limitsChange(before, after),
    optionalChange(before, after),
    fillChange(before, after),
    writerChange(before, after),
    ...markChanges(before, after),
    searchChange(before, after),
    ...wordChanges(before, after),
  ].filter((part) => part !== null);
  if (parts.length === 0) return [];
  // Fewer people can read the audit log than the API, so what the API exposes is reported first.
  const opening = parts.filter((part) => part.may !== undefined);
  const loosening = opening.find((part) => part.role === undefined) ?? opening[0];
  const filled = before.optional && !after.optional && after.default !== null;
  const isGenerated = makesAnother(before.type, after.type) || fillChange(before, after) !== null;
  const exposed =
    exposes(after) ??
    hides(after) ??
    (filled ? trusts(after, { was: { literal: null }, is: givenByDefault(after.default) }) : null) ??
    (isGenerated ? trusts(after, { was: "any", is: "any" }) : null);
  const witness = loosening === undefined ? exposed : example(entity, loosening, exampleOf);
  return [
    changeOf({
      kind: "field_changed",
      path: `${entity}.${after.name}`,
      summary: `\`${after.name}\` of \`${entity}\` ${parts.map((part) => part.text).join(", and ")}.`,
      classes: [...parts.flatMap((part) => part.classes), ...(witness === null ? [] : (["loosens_access"] as const))],
      before: fieldText(before),
      after: fieldText(after),
      witness,
    }),
  ];
}

/** The service generates its value in another way from now on. */
function makesAnother(before: FieldType, after: FieldType): boolean {
  if (before.kind === "slug" && after.kind === "slug") return before.from !== after.from;
  return before.kind === "sequence" && after.kind === "sequence" && before.prefix !== after.prefix;
}

function example(
  entity: string,
  { may = "", operation = "read", role: reader }: Loosening,
  exampleOf: FieldContext["exampleOf"],
): Witness {
  const role = reader ?? exampleOf(operation);
  return { role, operation, entity, decided: true, summary: `\`${role}\` may now ${may}.`, record: {} };
}

function optionalChange(before: Field, after: Field): Part | null {
  // A list can be empty; the change of type says what happens to one.
  if (before.optional === after.optional || (before.type.kind === "refs") !== (after.type.kind === "refs")) return null;
  if (after.optional) return { text: "becomes optional: clients can now read null", classes: ["breaking"] };
  if (after.type.kind === "sequence")
    return { text: "becomes required: existing records without a number get one", classes: ["backfill", "online"] };
  const isGenerated = isGeneratedForExisting(after);
  const may = isGenerated
    ? `: existing records without a value get one made from \`${after.type.from}\``
    : ": existing records can be without a value, unless `fill` gives them one";
  const why = after.fill === undefined ? may : "";
  const classes: readonly ChangeClass[] = isGenerated
    ? ["data_dependent", "backfill", "online"]
    : ["data_dependent", "online"];
  return { text: `becomes required${why}`, classes: after.default === null ? ["breaking", ...classes] : classes };
}

/** Once: a field that had a `fill` before is already filled. */
function fillChange(before: Field, after: Field): Part | null {
  if (after.fill === undefined || filledFrom(before, after) === null) return null;
  const text = `gets \`${printExpression(after.fill)}\` in existing records that have no value for it`;
  return { text, classes: hasLimits(after) ? ["data_dependent", "backfill"] : ["backfill"] };
}

function writerChange(before: Field, after: Field): Loosening | null {
  if (before.writer === after.writer) return null;
  if (after.writer === "service") return { text: "can now be written only by the service", classes: ["breaking"] };
  if (after.writer === "admin" && before.writer === "caller")
    return { text: "can now be written only by admins, not by each user", classes: ["breaking"] };
  const who = before.writer === "admin" ? "admins" : "the service";
  const text = `can now be written by ${after.writer === "admin" ? "admins" : "callers"}, not only by ${who}`;
  return { text, classes: ["loosens_access"], may: `write \`${after.name}\``, operation: "update" };
}

/** A secret is never returned; with any other type, it is. */
function secretChange(before: Field, after: Field): Loosening | null {
  if (before.type.kind !== "secret" || after.type.kind === "secret" || after.internal) return null;
  return { text: "is no longer a secret", classes: ["loosens_access"], may: `read \`${after.name}\`` };
}

const marks = {
  immutable: { on: "can now be set only at create", off: "can now be changed after create" },
  internal: { on: "is no longer returned by the API", off: "is now returned by the API" },
  pii: { on: "is now masked in logs", off: "is no longer masked in logs and in the audit log" },
} as const;

/** The search settings of a field without any of its own. */
const byWords: FieldSearch = { weight: "D", fuzzy: false };

function searchChange(before: Field, after: Field): Part | null {
  if (before.searchable !== after.searchable) {
    return after.searchable
      ? { text: "is now found by search", classes: ["backfill"] }
      : { text: "is no longer found by search", classes: ["breaking"] };
  }
  const [was, is] = [before.search ?? byWords, after.search ?? byWords];
  const parts = [
    ...(was.weight === is.weight ? [] : [`now has the weight ${is.weight} in search, instead of ${was.weight}`]),
    ...(was.fuzzy === is.fuzzy ? [] : [`is ${is.fuzzy ? "now also" : "no longer"} found by similar words`]),
  ];
  return parts.length === 0 ? null : { text: parts.join(", and "), classes: ["backfill"] };
}

function markChanges(before: Field, after: Field): Loosening[] {
  const changed = (["immutable", "internal", "pii"] as const).filter((mark) => before[mark] !== after[mark]);
  return changed.map((mark): Loosening => {
    const [on, text] = [after[mark], after[mark] ? marks[mark].on : marks[mark].off];
    if (on) return { text, classes: mark === "pii" ? ["safe"] : ["breaking"] };
    const may = { immutable: "change", internal: "read", pii: "read in logs" }[mark];
    const operation = mark === "immutable" ? "update" : "read";
    // Only admins read the audit log.
    const reader = mark === "pii" ? { role: "admin" } : {};
    return { text, classes: ["loosens_access"], may: `${may} \`${after.name}\``, operation, ...reader };
  });
}

function wordChanges(before: Field, after: Field): Part[] {
  const parts: Part[] = [];
  if (before.deprecated !== after.deprecated) {
    parts.push({
      text: after.deprecated === null ? "is no longer deprecated" : "is now deprecated",
      classes: ["safe"],
    });
  }
  if (before.label !== after.label) parts.push({ text: "gets another label", classes: ["safe"] });
  if (before.help !== after.help) parts.push({ text: "gets another help text", classes: ["safe"] });
  return parts;
}

const reach: Readonly<Record<OnDelete, number>> = { restrict: 0, set_null: 1, cascade: 2 };
const fates: Readonly<Record<OnDelete, string>> = {
  restrict: "now prevents the deletion of the record that it refers to",
  set_null: "is now emptied when the record that it refers to is deleted",
  cascade: "now deletes its record when the record that it refers to is deleted",
};

function deleteChange(before: Field, after: Field): Loosening | null {
  const [was, is] = [targetFate(before), targetFate(after)];
  if (was === null || is === null || was === is) return null;
  const text = fates[is];
  if (reach[is] < reach[was]) return { text, classes: ["breaking"] };
  const what = is === "cascade" ? "delete records with" : "empty";
  return {
    text,
    classes: ["loosens_access"],
    may: `${what} \`${after.name}\` by deleting the record that it refers to`,
    operation: "delete",
  };
}

function targetFate({ type }: Field): OnDelete | null {
  return "onDelete" in type ? type.onDelete : null;
}

function diffDefault({ entity, exampleOf, trusts }: FieldContext, before: Field, after: Field): Change[] {
  const [was, is] = [textOf(before.default), textOf(after.default)];
  if (was === is) return [];
  const loosens = isProof(before.default);
  const trusted = trusts(after, { was: givenByDefault(before.default), is: givenByDefault(after.default) });
  const may = `claim any ${before.default?.kind === "current_org" ? "organization" : "user"} in \`${after.name}\``;
  return [
    changeOf({
      kind: "default_changed",
      path: `${entity}.${after.name}`,
      summary: `\`${after.name}\` of \`${entity}\` ${sentence(was, is)}.`,
      classes: [
        ...(loosens || trusted !== null ? (["loosens_access"] as const) : []),
        ...(!loosens && (isProof(after.default) || (is === null && !after.optional)) ? (["breaking"] as const) : []),
      ],
      before: was ?? undefined,
      after: is ?? undefined,
      witness: loosens ? example(entity, { text: "", classes: [], may, operation: "create" }, exampleOf) : trusted,
    }),
  ];
}

/**
 * A field that the service filled with the current user proved who acted. If callers can set it, it is only a claim.
 */
function isProof(value: FieldDefault | null): boolean {
  return value?.kind === "current_user_id" || value?.kind === "current_org";
}

function sentence(was: string | null, is: string | null): string {
  if (is === null) return `no longer has a default (it was \`${was}\`)`;
  return was === null ? `now has the default \`${is}\`` : `now has the default \`${is}\`, instead of \`${was}\``;
}

function textOf(value: FieldDefault | null): string | null {
  return value === null ? null : defaultText(value);
}

/** Fields that exist only with an option of the entity. */
export function impliedBy(before: Entity, after: Entity): Implied {
  const scope = before.orgField === after.orgField ? null : (after.orgField ?? before.orgField);
  return (field) => {
    if (field.declared) return false;
    return (field.name === "deleted_at" && before.softDelete !== after.softDelete) || field.name === scope;
  };
}
