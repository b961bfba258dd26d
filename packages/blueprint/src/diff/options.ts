// Compares options of entities. In: the options before and after, in the same words. Out: the changes between them.

import { withArticle } from "@plinth/expression";
import type { Entity } from "../model/model.ts";
import { relationKey } from "./align.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { changeOf, same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";
import { exampleRole } from "./witness.ts";

export interface OptionContext {
  /** Somebody who can now reach records of all organizations. */
  readonly scopeGain: () => Witness | null;
  /** Whether records of any entity can refer to this one's. */
  readonly isReferredTo: boolean;
}

export function diffOptions(before: Entity, after: Entity, { scopeGain, isReferredTo }: OptionContext): Change[] {
  return [
    ...option(after, "plural", before.plural, after.plural, plural),
    ...diffScope(before, after, scopeGain),
    ...diffSoftDelete(before, after, isReferredTo),
    ...option(after, "retention", before.retentionDays, after.retentionDays, retention),
    ...diffLock(before, after),
    ...option(after, "audit", before.audit, after.audit, audit),
    ...option(after, "realtime", before.realtime, after.realtime, realtime),
    ...option(after, "require_version", before.requireVersion === true, after.requireVersion === true, requireVersion),
    ...option(after, "seed", before.seed, after.seed, seed),
    ...option(after, "label", before.label, after.label, words("label")),
    ...option(after, "help", before.help, after.help, words("help text")),
    ...diffRelations(before, after),
  ];
}

const DELETED_AT = "deleted_at";

type Said = readonly [summary: string, ...classes: ChangeClass[]];

function option<T>(
  entity: Entity,
  name: string,
  before: T,
  after: T,
  say: (entity: Entity, was: T, is: T) => Said,
): Change[] {
  if (same(before, after)) return [];
  const [summary, ...classes] = say(entity, before, after);
  return [
    changeOf({
      kind: "entity_changed",
      path: `${entity.name}.${name}`,
      summary,
      classes,
      before: before ?? undefined,
      after: after ?? undefined,
    }),
  ];
}

function plural({ name }: Entity, was: string, is: string): Said {
  return [`Move the route and the table of \`${name}\` from \`${was}\` to \`${is}\`.`, "breaking"];
}

function retention({ name }: Entity, was: number | null, is: number | null): Said {
  if (is === null) return [`Records of \`${name}\` are now kept, instead of being deleted after ${was} days.`, "safe"];
  const sooner = was === null || is < was;
  const old = was === null ? "instead of being kept" : `instead of ${was}`;
  return [`Records of \`${name}\` are now deleted after ${is} days, ${old}.`, sooner ? "destructive" : "safe"];
}

function audit({ name }: Entity, _was: string, is: string): Said {
  const reads = is === "all" ? "The audit log now includes" : "The audit log no longer includes";
  return [`${reads} reads of \`${name}\`.`, "safe"];
}

function realtime({ name }: Entity, _was: boolean, is: boolean): Said {
  if (is) return [`Clients can now follow changes of \`${name}\` as they happen.`, "safe"];
  return [`Clients can no longer follow changes of \`${name}\`.`, "breaking"];
}

function requireVersion({ name }: Entity, _was: boolean, is: boolean): Said {
  if (is)
    return [
      `Callers who change ${oneOf(name)} must now send \`If-Match\` with the version that they have read.`,
      "breaking",
    ];
  return [`Callers can now change ${oneOf(name)} without \`If-Match\`.`, "safe"];
}

function seed({ name }: Entity): Said {
  return [`Change the seed rows of \`${name}\`. Seed rows are inserted only when the entity is new.`, "safe"];
}

function words(what: string): (entity: Entity) => Said {
  return ({ name }) => [`\`${name}\` gets another ${what}.`, "safe"];
}

function diffScope(before: Entity, after: Entity, scopeGain: () => Witness | null): Change[] {
  if (before.orgField === after.orgField) return [];
  const witness = before.orgField === null ? null : scopeGain();
  const column = (entity: Entity): boolean =>
    entity.fields.some((field) => field.name === entity.orgField && !field.declared);
  const classes: ChangeClass[] = [
    ...(column(before) ? (["destructive"] as const) : []),
    ...(witness === null ? [] : (["loosens_access"] as const)),
    "breaking",
    ...(column(after) ? (["data_dependent"] as const) : []),
  ];
  const summary =
    after.orgField === null
      ? `Records of \`${after.name}\` no longer belong to an organization.`
      : `Records of \`${after.name}\` now belong to the organization in \`${after.orgField}\`: only its members can access them.`;
  const [was, is] = [before.orgField ?? undefined, after.orgField ?? undefined];
  return [
    changeOf({
      kind: "entity_changed",
      path: `${after.name}.org_scoped`,
      summary,
      classes,
      before: was,
      after: is,
      witness,
    }),
  ];
}

/** Without it, two records that are written at the same time can pass a rule that allows only one of them. */
function diffLock(before: Entity, after: Entity): Change[] {
  if (before.lock === after.lock) return [];
  const path = `${after.name}.lock`;
  const given = { kind: "entity_changed", path, before: before.lock, after: after.lock } as const;
  const shared = (lock: string): string => `Writes of \`${after.name}\` with the same \`${lock}\``;
  if (after.lock !== undefined && before.lock === undefined) {
    return [changeOf({ ...given, summary: `${shared(after.lock)} now run one after the other.`, classes: ["safe"] })];
  }
  const role = exampleRole(after, "create");
  const sentence = `${capitalized(oneOf(role))} can now create ${withArticle(`\`${after.name}\``)} at the same moment as another one, although a rule forbids both together.`;
  const witness: Witness = {
    role,
    operation: "create",
    entity: after.name,
    decided: false,
    summary: sentence,
    record: null,
  };
  const now = after.lock === undefined ? "" : ` Those with the same \`${after.lock}\` do.`;
  const summary = `${shared(before.lock!)} no longer wait for each other.${now}`;
  return [changeOf({ ...given, summary, classes: ["loosens_access"], witness })];
}

/** Deleted records are removed at the switch, so that nobody reads them as existing ones. */
function diffSoftDelete(before: Entity, after: Entity, isReferredTo: boolean): Change[] {
  if (before.softDelete === after.softDelete) return [];
  const path = `${after.name}.soft_delete`;
  if (after.softDelete) {
    const summary = `${capitalized(oneOf(after.name))} that is deleted from now on is kept and can be restored. Records that were deleted before don't come back.`;
    const classes: ChangeClass[] = after.uniques.length > 0 ? ["online"] : ["safe"];
    return [changeOf({ kind: "entity_changed", path, summary, classes, before: false, after: true })];
  }
  const given = { kind: "entity_changed", path, before: true, after: false } as const;
  if (after.fields.some((field) => field.declared && field.name === DELETED_AT)) {
    const summary = `\`${after.name}\` can't get its own field \`${DELETED_AT}\` in the change that removes \`soft_delete\`: deleted records have a value in it. Add the field in the next change.`;
    return [changeOf({ ...given, summary, classes: ["unsupported"] })];
  }
  const summary = `Deleted records of \`${after.name}\` are removed and can no longer be restored. A record that is deleted from now on is gone for good.`;
  const what = "deleted records, which are removed";
  const counted = { what, table: before.plural, column: DELETED_AT, only: null, except: [] };
  // Stored deleted records can refer to a removed one.
  const stopped: readonly ChangeClass[] = isReferredTo ? ["data_dependent"] : [];
  return [changeOf({ ...given, summary, classes: ["destructive", "breaking", ...stopped], counted })];
}

/** A relation exists through its field; only its name is its own. */
function diffRelations(before: Entity, after: Entity): Change[] {
  const old = new Map(before.relations.map((relation) => [relationKey(relation), relation.name]));
  return after.relations.flatMap((relation) => {
    const was = old.get(relationKey(relation));
    if (was === undefined || was === relation.name) return [];
    return [
      changeOf({
        kind: "entity_changed",
        path: `${after.name}.relations.${relation.name}`,
        summary: `Rename the relation \`${was}\` of \`${after.name}\` to \`${relation.name}\`.`,
        classes: ["breaking"],
        before: was,
        after: relation.name,
      }),
    ];
  });
}
