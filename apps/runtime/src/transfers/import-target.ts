// Prepares a step of an import for statements. In: a step and the live release. Out: its table, the columns from the
// source, and SQL for the other columns. A step can only write what the shape allows.
import { type BundleField, fillTemplate, type Table } from "@plinth/bundle";
import type { ImportStep } from "@plinth/bundle/cell";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { type EntityView, findEntity, type StoredField } from "../query/entity-view.ts";
import { transferShape } from "./transfer-shape.ts";

export interface ImportTarget {
  readonly view: EntityView;
  readonly table: Table;
  /** Qualified and quoted. */
  readonly into: string;
  readonly schema: string;
  /** In the order of the staged columns. */
  readonly mapped: readonly StoredField[];
  /** Values from the service instead of the source. */
  readonly others: readonly { readonly field: StoredField; readonly sql: string }[];
  /** The roles that a user can have. */
  readonly roles: readonly string[];
  /** Fields that take their number from a counter. */
  readonly numbered: readonly StoredField[];
}

/** @throws Fault `not_found`, `validation_failed`. */
export function importTarget(release: ActiveRelease, step: ImportStep, organization: string | null): ImportTarget {
  const view = findEntity(release, step.entity);
  const shape = transferShape(release).entities.find(({ name }) => name === step.entity);
  if (view === null || shape === undefined || view.table === null) {
    throw new Fault("not_found", { detail: `The live version has no entity ${step.entity}.` });
  }
  const mapped = step.fields.map((name) => {
    const field = view.stored.find((each) => each.name === name);
    const refused = shape.fields.find((each) => each.name === name)?.refused;
    if (field === undefined) throw wrong(`${step.entity} has no field ${name} that an import writes.`);
    if (refused != null) throw wrong(`${step.entity}.${name} can't be imported. ${refused}`);
    return field;
  });
  if (mapped[0]?.name !== "id") throw wrong("The first field of a step must be the id.");
  if (new Set(mapped).size < mapped.length) throw wrong("A step must not contain a field twice.");
  if (step.kind === "fill" && (mapped.length !== 2 || mapped[1]?.references == null)) {
    throw wrong("A step of the kind `fill` needs the id and one reference.");
  }
  const unmapped = view.stored.filter((field) => !mapped.includes(field));
  const isNumbered = (field: BundleField): boolean => field.sequence !== null && field.sequence.at === undefined;
  const others = unmapped.flatMap((field) => {
    const sql = givenValue(field, organization);
    return sql === null || isNumbered(field) ? [] : [{ field, sql: `(${sql})::${field.sqlType}` }];
  });
  if (step.kind === "records" && shape.inOrganization && organization === null && !step.fields.includes("org_id")) {
    throw wrong(`Each ${step.entity} belongs to an organization. Map a column to org_id, or name an organization.`);
  }
  return {
    view,
    table: view.table,
    into: `${release.schema}.${quoteIdentifier(view.entity.table)}`,
    schema: release.schema,
    mapped,
    others,
    // Everybody has the role `public`; it can't be given.
    roles: release.bundle.roles.map((role) => role.name).filter((role) => role !== "public"),
    numbered: unmapped.filter(isNumbered),
  };
}

/** Null if the column stays empty, or has the table's own default. */
function givenValue({ default: template }: BundleField, organization: string | null): string | null {
  if (template === null) return null;
  return fillTemplate(template, (hole) => {
    if (hole === "org") return organization === null ? "null" : quoteLiteral(organization);
    if (hole === "now") return "now()";
    // No user and no request creates these records.
    return /^(?:user|request)\./.test(hole) ? "null" : undefined;
  });
}

export interface LinkTarget {
  readonly into: string;
  readonly own: { readonly column: string; readonly table: string };
  readonly other: { readonly column: string; readonly table: string };
  readonly field: BundleField;
  /** Whether records of both kinds belong to organizations. */
  readonly sameOrganization: boolean;
}

/** @throws Fault `not_found`, `validation_failed`. */
export function linkTarget(release: ActiveRelease, step: ImportStep): LinkTarget {
  const view = findEntity(release, step.entity);
  const field = view?.fields.get(step.fields[0] ?? "");
  const target = findEntity(release, field?.references ?? "");
  if (view === null || field?.join == null || target === null || step.fields.length !== 1) {
    throw wrong(`${step.entity} has no many-to-many field ${step.fields.join(", ")}.`);
  }
  const named = (table: string): string => `${release.schema}.${quoteIdentifier(table)}`;
  return {
    into: named(field.join.table),
    own: { column: quoteIdentifier(field.join.own), table: named(view.entity.table) },
    other: { column: quoteIdentifier(field.join.other), table: named(target.entity.table) },
    field,
    sameOrganization: view.entity.scope !== null && target.entity.scope !== null,
  };
}

function wrong(detail: string): Fault {
  return new Fault("validation_failed", { detail });
}
