// Decides whether a new effect is harmless. In: an effect of the new model. Out: whether everybody who can cause it
// could do it themselves before, and whether everybody who can read a copied value could read its source before. What
// can't be decided isn't harmless. Data that leaves the project is never harmless.
import {
  type ComparisonBudget,
  type ComparisonTypes,
  type Expression,
  findLoosening,
  joined,
  type Values,
} from "@plinth/expression";
import type { Entity, Field, Model, Operation, Permission } from "../../model/model.ts";
import { typeInRules } from "../../rules/expression-schema.ts";
import { heldWith } from "../../rules/readable-looks.ts";
import { type Causer, createCausers } from "./causers.ts";
import type { Act, Effect, Source, Start } from "./effect.ts";
import { exactly } from "./facts.ts";
import type { Reduction } from "./reduce.ts";
import { ANOTHER, anchorOf, onRows, ruleOfWrite } from "./rows.ts";

export interface Judging {
  /** In the words of `after`. */
  readonly before: Model;
  readonly after: Model;
  readonly reduced: Reduction;
  readonly rangesFor: (entity: string) => ComparisonTypes;
  readonly budget: ComparisonBudget;
}

type Write = Extract<Act, { kind: "create" | "update" | "transition" | "delete" }>;

export function createHarmless(judging: Judging): (effect: Effect) => boolean {
  const { before, after, reduced, budget } = judging;
  const causersOf = createCausers(after, reduced);
  const busy = new Set(reduced.effects.map(({ start }) => `${start.kind} ${start.name}`));

  function couldDo(effect: Effect, act: Write): boolean {
    if (isUnseen(act, judging, busy)) return true;
    const causers = causersOf(effect.start);
    return causers?.every((causer) => causerCould(effect, act, causer)) ?? false;
  }

  function causerCould({ start, guard, isLater }: Effect, act: Write, { role, rule }: Causer): boolean {
    const entity = before.entities.find(({ name }) => name === act.entity);
    if (entity === undefined) return false;
    const target = act.kind === "create" ? ANOTHER : anchorOf(act.target);
    const isOwn = target.row === "record" && target.path.length === 0 && start.entity === entity.name;
    if (entity.orgField !== null && !isOwn) return false;
    const held = heldWith(role, before);
    const written = act.kind === "delete" ? {} : act.values;
    const values = act.kind === "create" ? withDefaults(written, entity) : written;
    const rules = entity.permissions
      .filter((one) => one.operation === operationOf(act) && held.has(one.role) && allows(one, entity, act, written))
      .map((one) => ruleOfWrite(one.rule, target, values));
    if (rules.length === 0) return false;
    // After a wait, nothing is known about the record: others may have changed it.
    const known = isLater ? [exactly(true)] : [rule, ...guard];
    return isImplied(rules, known, rowTypes(start, judging.rangesFor), budget);
  }

  function copiesShow(effect: Effect, act: Write): boolean {
    const owner = after.entities.find(({ name }) => name === act.entity);
    if (owner === undefined) return false;
    const isOwn = act.kind !== "create" && anchorOf(act.target).row === "record";
    return Object.entries(effect.reads).every(([name, sources]) => {
      const field = owner.fields.find((one) => one.name === name);
      if (field?.internal === true || field?.type.kind === "secret") return true;
      const readers = readsOf(owner).filter(({ fields }) => fields?.includes(name) ?? true);
      return sources.every((source) => {
        const isSame = isOwn && source.origin === "record" && effect.start.entity === owner.name;
        return readers.every((reader) => canRead(source, reader.role, { rule: reader.rule, owner, isSame }));
      });
    });
  }

  /** Whether the holders of a role who can read a record could read the source of a value in it. */
  function canRead(
    { origin, entity: name, field }: Source,
    role: string,
    { rule, owner, isSame }: { readonly rule: Expression; readonly owner: Entity | null; readonly isSame: boolean },
  ): boolean {
    // What callers send is theirs, and an id only says that there is a record.
    if (origin === "input" || field === "id") return true;
    if (name === null) return false;
    const model = before.entities.some((one) => one.name === name) ? before : after;
    const entity = model.entities.find((one) => one.name === name);
    const source = entity?.fields.find((one) => one.name === field);
    if (entity === undefined || source === undefined || source.internal || source.type.kind === "secret") return false;
    if (entity.orgField !== null && (owner === null || owner.orgField === null)) return false;
    const held = heldWith(role, model);
    const rules = readsOf(entity)
      .filter((one) => held.has(one.role) && (one.fields?.includes(field) ?? true))
      .map((one) => (isSame ? one.rule : onRows(one.rule, { record: ANOTHER })));
    const types = judging.rangesFor(isSame ? entity.name : (owner?.name ?? entity.name));
    return rules.length > 0 && isImplied(rules, [rule], types, budget);
  }

  return (effect) => {
    const { act, source, start } = effect;
    switch (act.kind) {
      case "create":
      case "update":
      case "transition":
      case "delete":
        return couldDo(effect, act) && copiesShow(effect, act);
      case "emit":
        return !busy.has(`event ${act.name}`);
      case "run":
        return !busy.has(`worker ${act.name}`);
      case "show": {
        const readers =
          act.to === "caller" ? Object.entries(start.access) : act.to.map((role) => [role, exactly(true)] as const);
        return (
          source === null ||
          readers.every(([role, rule]) => canRead(source, role, { rule, owner: null, isSame: false }))
        );
      }
      case "leave":
        return false;
    }
  };
}

/** Nobody could see or protect it before: the entity is new, or the field is and no other work follows the write. */
function isUnseen(act: Write, { before }: Judging, busy: ReadonlySet<string>): boolean {
  const entity = before.entities.find(({ name }) => name === act.entity);
  if (entity === undefined) return true;
  if (act.kind !== "update" || act.edge !== null || busy.has(`event ${act.entity}.updated`)) return false;
  return !entity.fields.some(({ name }) => name === act.field);
}

function operationOf(act: Write): Operation {
  return act.kind === "transition" || (act.kind === "update" && act.edge !== null)
    ? `transition:${act.edge}`
    : (act.kind as Operation);
}

/** Whether the permission lets its holders write these fields with values of their own. */
function allows({ fields, set }: Permission, entity: Entity, act: Write, written: Values): boolean {
  return Object.keys(written).every((name) => {
    const field = entity.fields.find((one) => one.name === name);
    const isWritable = field?.writer === "caller" && (act.kind === "create" || !field.immutable);
    return isWritable && (fields?.includes(name) ?? true) && !set.some((forced) => forced.field === name);
  });
}

function withDefaults(values: Values, { fields }: Entity): Values {
  const defaults = fields.flatMap(({ name, default: given, optional }) => {
    if (Object.hasOwn(values, name)) return [];
    if (given?.kind === "literal") return [[name, { kind: "literal", value: given.value }] as const];
    return given === null && optional ? [[name, { kind: "literal", value: null }] as const] : [];
  });
  return { ...values, ...Object.fromEntries(defaults) };
}

function readsOf({ permissions }: Entity): readonly Permission[] {
  return permissions.filter(({ operation }) => operation === "read");
}

function isImplied(
  rules: readonly Expression[],
  conditions: readonly Expression[],
  types: ComparisonTypes,
  budget: ComparisonBudget,
): boolean {
  return findLoosening(joined("||", rules), joined("&&", conditions), types, budget) === null;
}

/** What the rows of a run can hold: its record, and the input of an action. */
export function rowTypes(
  { entity, input }: Pick<Start, "entity" | "input">,
  rangesFor: Judging["rangesFor"],
): ComparisonTypes {
  const own = rangesFor(entity ?? "");
  return {
    ...own,
    field: (row, path) => (row === "new" ? rangeOfInput(input.get(path[0] ?? ""), path) : own.field(row, path)),
  };
}

function rangeOfInput(field: Field | undefined, path: readonly string[]): ReturnType<ComparisonTypes["field"]> {
  if (field === undefined || path.length !== 1) return null;
  const { type } = field;
  const places = type.kind === "decimal" || type.kind === "money" ? type.scale : type.kind === "percent" ? 4 : null;
  return { type: typeInRules(type), nullable: field.optional, places };
}
