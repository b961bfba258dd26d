// Rules of generated blueprints. In: the fields of an entity, the operation, random numbers. Out: a text of the
// expression language. It never writes an invalid rule on purpose.
import type { Random } from "@plinth/testkit";

export interface FieldPlan {
  readonly name: string;
  /** The type as the blueprint has it, after the name. */
  readonly text: string;
  readonly kind: string;
  /** For a reference, the entity of its target. */
  readonly target?: string;
}

export interface EntityPlan {
  readonly name: string;
  readonly plural: string;
  readonly fields: readonly FieldPlan[];
  readonly softDelete: boolean;
  readonly orgScoped: boolean;
  readonly states: boolean;
  readonly auditAll: boolean;
}

export interface RuleScope {
  readonly random: Random;
  readonly entities: readonly EntityPlan[];
  readonly entity: EntityPlan;
  readonly operation: string;
  readonly organizations: boolean;
  readonly namedRules: readonly string[];
}

export const STATES = ["draft", "open", "done", "gone"] as const;

export function ruleText(scope: RuleScope, depth: number = scope.random.whole(0, 2)): string {
  const { random } = scope;
  if (depth === 0) return atom(scope);
  const one = (): string => ruleText(scope, depth - 1);
  const kind = random.next();
  if (kind < 0.4) return `(${one()} || ${one()})`;
  if (kind < 0.75) return `(${one()} && ${one()})`;
  if (kind < 0.9) return `!(${one()})`;
  return `(${one()} ? ${one()} : ${one()})`;
}

function atom(scope: RuleScope): string {
  const { random, entity, operation } = scope;
  const kind = random.next();
  if (kind < 0.08) return callerAtom(scope);
  if (kind < 0.2) return relationAtom(scope);
  if (kind < 0.3) return manyAtom(scope);
  if (kind < 0.36 && scope.namedRules.length > 0 && entity.fields.some((field) => field.name === "flag"))
    return random.pick(scope.namedRules);
  const field = random.pick(entity.fields.filter((each) => isAskable(each)));
  if (operation === "update" && kind > 0.8) return changeAtom(field, random);
  if ((operation === "update" || operation === "create") && kind > 0.72 && isSendable(field)) {
    return random.pick([`has(input.${field.name})`, `!has(input.${field.name})`]);
  }
  return fieldAtom(field, field.name, random);
}

function isAskable({ kind }: FieldPlan): boolean {
  return !["secret", "computed", "refs", "sequence"].includes(kind);
}

function isSendable({ text, kind }: FieldPlan): boolean {
  return isAskable({ text, kind, name: "" }) && !/internal|readonly/.test(text);
}

function changeAtom({ name, kind }: FieldPlan, random: Random): string {
  if (["int", "decimal", "money", "bigint", "date", "datetime"].includes(kind)) {
    return `old.${name} ${random.pick(["<=", ">=", "==", "!="])} new.${name}`;
  }
  if (kind === "json") return `has(old.${name})`;
  if (kind === "list" || kind === "enum_set") return `size(old.${name}) <= size(new.${name})`;
  return `old.${name} ${random.pick(["==", "!="])} new.${name}`;
}

/** `path`: how the rule reaches the field. */
function fieldAtom({ kind, name }: FieldPlan, path: string, random: Random): string {
  const compare = random.pick(["==", "!=", "<", "<=", ">", ">="]);
  switch (kind) {
    case "bool":
      return random.pick([path, `!${path}`, `${path} == false`]);
    case "enum":
      return random.pick([
        `${path} == ${random.pick(STATES)}`,
        `${path} != ${random.pick(STATES)}`,
        `${path} in [${random.pick(STATES)}, open]`,
      ]);
    case "int":
      return random.pick([
        `${path} ${compare} ${random.whole(0, 9)}`,
        `${path} + 1 ${compare} 5`,
        `${path} / ${random.whole(0, 2)} == 1`,
        `10 / ${path} ${compare} 2`,
        `${path} in [1, 2, 3, 5]`,
      ]);
    case "bigint":
      return `${path} ${compare} ${random.pick(["5", "9007199254740993"])}`;
    case "decimal":
    case "money":
      return random.pick([`${path} ${compare} 2.5`, `${path} * 2 ${compare} 5`, `${path} / 3 ${compare} 1`]);
    case "float":
      return random.pick([`${path} ${compare} 1.5`, `${path} * 0.5 ${compare} 1.0`]);
    case "percent":
      return `${path} ${compare} 50`;
    case "string":
    case "text":
    case "slug":
      return random.pick([
        `${path}.startsWith("a")`,
        `${path}.contains("e")`,
        `${path}.matches("^[a-m]")`,
        `size(${path}) ${compare} 4`,
        `${path} ${compare} "bee"`,
        `${path} in ["ant", "bee"]`,
        `has(${path})`,
      ]);
    case "date":
      return random.pick([`${path} ${compare} today`, `${path} == null`]);
    case "datetime":
      return random.pick([`${path} ${compare} now`, `${path} + duration("24h") > now`]);
    case "duration":
      return `${path} ${compare} duration("1h")`;
    case "list":
      return random.pick([`"ant" in ${path}`, `size(${path}) ${compare} 1`]);
    case "enum_set":
      return random.pick([`a in ${path}`, `size(${path}) ${compare} 1`]);
    case "user_ref":
      return random.pick([`${path} == current_user.id`, `${path} == current_user.id`, `${path} != current_user.id`]);
    case "ref":
    case "json":
      return random.pick([`has(${path})`, `${path} == null`]);
    default:
      throw new Error(`no atom for ${kind} ${name}`);
  }
}

function callerAtom({ random, organizations, entity }: RuleScope): string {
  return random.pick([
    "current_user.is(support)",
    "current_user.is(admin)",
    `"editor" in current_user.roles`,
    "current_user.level > 1",
    `current_user.email.startsWith("u1")`,
    `request.key_kind == "publishable"`,
    "current_user.id != null",
    ...(organizations ? ["current_org != null"] : []),
    ...(entity.orgScoped ? ["member(org_id, admin)", "member(org_id, owner)", "org_id == current_org"] : []),
  ]);
}

/** Through references, in one or two steps. */
function relationAtom(scope: RuleScope): string {
  const { random, entity, entities } = scope;
  const reference = entity.fields.filter((field) => field.kind === "ref");
  if (reference.length === 0) return userAtom(scope);
  const field = random.pick(reference);
  const target = entities.find((each) => each.name === field.target)!;
  const step = field.name.replace(/_id$/, "");
  if (random.chance(0.2)) return `can(read, ${step})`;
  const further = target.fields.filter((each) => each.kind === "ref" && each.target !== target.name);
  if (further.length > 0 && random.chance(0.3)) {
    const next = random.pick(further);
    const end = entities.find((each) => each.name === next.target)!;
    const last = random.pick(end.fields.filter(isAskable));
    return fieldAtom(last, `${step}.${next.name.replace(/_id$/, "")}.${last.name}`, random);
  }
  const last = random.pick(target.fields.filter(isAskable));
  return fieldAtom(last, `${step}.${last.name}`, random);
}

function userAtom({ random, entity }: RuleScope): string {
  const users = entity.fields.filter((field) => field.kind === "user_ref");
  if (users.length === 0) return "current_user.level >= 2";
  const step = random.pick(users).name.replace(/_id$/, "");
  return random.pick([
    `${step}.level > 1`,
    `${step}.email == current_user.email`,
    `${step}.level == current_user.level`,
  ]);
}

/** Over the records that refer to this one, or its many-to-many references. */
function manyAtom(scope: RuleScope): string {
  const { random, entity, entities } = scope;
  const ways = entities.flatMap((other) =>
    other.fields
      .filter((field) => field.target === entity.name && field.kind === "ref")
      .map((field) => ({ relation: field.name === "parent_id" ? "children" : other.plural, other })),
  );
  for (const field of entity.fields) {
    const other = entities.find((each) => each.name === field.target);
    if (field.kind === "refs" && other !== undefined) ways.push({ relation: field.name, other });
  }
  if (ways.length === 0) return callerAtom(scope);
  const { relation, other } = random.pick(ways);
  const field = random.pick(other.fields.filter(isAskable));
  const condition = fieldAtom(field, `x.${field.name}`, random);
  return random.pick([
    `${relation}.exists(x, ${condition})`,
    `${relation}.all(x, ${condition})`,
    `${relation}.exists_one(x, ${condition})`,
    `${relation}.filter(x, ${condition}).size() ${random.pick(["<", ">=", "=="])} ${random.whole(0, 2)}`,
    `size(${relation}) < 2`,
  ]);
}
