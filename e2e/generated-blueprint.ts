// Random blueprints. In: a seed. Out: the text of a valid blueprint that combines the language's features. It has no
// fixed shape: entities, fields, options and permissions are all random.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { Random } from "@plinth/testkit";
import { type EntityPlan, type FieldPlan, type RuleScope, ruleText, STATES } from "./generated-rules.ts";

const TRIES_MAX = 200;
const nouns = ["article", "folder", "ticket", "parcel", "invoice", "city", "box"] as const;
const plurals: Readonly<Record<string, string>> = { city: "cities", box: "boxes" };
const roles = ["public", "user", "owner", "support", "editor", "admin"] as const;

export interface GeneratedBlueprint {
  readonly text: string;
  readonly model: Model;
  /** The number of invalid texts before this one. */
  readonly refused: number;
}

export function generateBlueprint(seed: number): GeneratedBlueprint {
  const problems: string[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const text = blueprintText(new Random(seed * TRIES_MAX + tries));
    const { model, diagnostics } = checkBlueprint(text);
    if (model !== null) return { text, model, refused: tries };
    problems.push(...diagnostics.filter((each) => each.severity === "error").map((each) => each.message));
  }
  throw new Error(`no valid blueprint from seed ${seed}: ${problems.slice(0, 5).join("; ")}`);
}

function blueprintText(random: Random): string {
  const organizations = random.chance(0.6);
  const names = random.some(nouns, 0.6).slice(0, 4);
  if (names.length < 2) names.splice(0, 2, "article", "folder");
  const entities = names.map((name) => planEntity(name, names, organizations, random));
  const namedRules = random.chance(0.5) ? ["shown"] : [];
  const modules = ["auth", "users", "roles", ...(organizations ? ["organizations"] : []), "audit_logs"];
  const scopes = { random, entities, organizations, namedRules };
  return [
    `project: differential\nmodules: [${modules.join(", ")}]`,
    "users:\n  fields:\n    level: int?",
    "roles:\n  support: { inherits: user }\n  editor: { inherits: support }",
    ...(namedRules.length > 0 ? [`rules:\n  shown: flag || current_user.is(admin)`] : []),
    `entities:\n${entities.map((entity) => entityText(entity, scopes)).join("\n")}`,
    "",
  ].join("\n");
}

function planEntity(name: string, all: readonly string[], organizations: boolean, random: Random): EntityPlan {
  const orgScoped = organizations && random.chance(0.4);
  const states = random.chance(0.5);
  return {
    name,
    plural: plurals[name] ?? `${name}s`,
    fields: [...plainFields(random, orgScoped, states), ...references(name, all, random)],
    softDelete: random.chance(0.5),
    orgScoped,
    states,
    auditAll: random.chance(0.2),
  };
}

function plainFields(random: Random, orgScoped: boolean, states: boolean): FieldPlan[] {
  const field = (name: string, kind: string, text: string): FieldPlan => ({ name, kind, text });
  const unique = random.pick(["", "", " unique", orgScoped ? " unique(org)" : " unique", " unique(status)"]);
  const owner = random.pick(["user_ref = current_user.id", "user_ref? = current_user.id", "user_ref?"]);
  return [
    field("title", "string", `string(1, 12)${unique}`),
    field("flag", "bool", "bool = false"),
    field("status", "enum", `enum[${STATES.join(", ")}] = draft`),
    field("amount", "int", random.pick(["int", "int?", "int = 1", "int?"])),
    ...(random.chance(0.8) || states ? [field("owner_id", "user_ref", owner)] : []),
    ...random.some(
      [
        field("body", "text", "text?"),
        field("code", "string", `string? unique${random.pick(["", " immutable"])}`),
        field("small", "int", "{ type: int, optional: true, min: 0, max: 9 }"),
        field("price", "decimal", random.pick(["decimal(10, 2)?", 'decimal(10, 2) = "2.50"'])),
        field("cost", "money", "money(EUR)?"),
        field("big", "bigint", "bigint?"),
        field("ratio", "float", "float?"),
        field("share", "percent", "percent?"),
        field("day", "date", random.pick(["date?", "date = today"])),
        field("moment", "datetime", random.pick(["datetime?", "datetime = now"])),
        field("span", "duration", "duration?"),
        field("words", "list", "list<string>?"),
        field("kinds", "enum_set", "enum_set[a, b, c]?"),
        field("data", "json", "json?"),
        field("token", "secret", "secret?"),
        field("inner", "int", "int internal = 3"),
        field("fixed", "string", "string? immutable"),
        field("stamp", "string", "string? readonly"),
        field("serial", "sequence", "sequence(S-)"),
        field("handle", "slug", "slug(title)?"),
        field("doubled", "computed", "computed(amount * 2)"),
      ],
      0.35,
    ),
  ];
}

function references(name: string, all: readonly string[], random: Random): FieldPlan[] {
  const own = all.indexOf(name);
  const earlier = all.slice(0, own);
  const fields: FieldPlan[] = random.some(earlier, 0.75).map((target) => {
    const optional = random.chance(0.7);
    const end = random.pick(
      optional ? ["restrict", "cascade", "cascade", "set_null", "set_null"] : ["restrict", "cascade"],
    );
    return {
      name: `${target}_id`,
      kind: "ref",
      target,
      text: `ref(${target})${optional ? "?" : ""} on_delete(${end})`,
    };
  });
  if (random.chance(0.35)) {
    const end = random.pick(["cascade", "set_null", "restrict"]);
    fields.push({ name: "parent_id", kind: "ref", target: name, text: `ref(${name})? as(children) on_delete(${end})` });
  }
  if (earlier.length > 0 && random.chance(0.4)) {
    const target = random.pick(earlier);
    fields.push({ name: "linked", kind: "refs", target, text: `refs(${target}) as(linked_by)` });
  }
  return fields;
}

type Scopes = Omit<RuleScope, "entity" | "operation">;

function entityText(entity: EntityPlan, scopes: Scopes): string {
  const { random } = scopes;
  const options = [
    ...(entity.softDelete ? ["    soft_delete: true"] : []),
    ...(entity.orgScoped ? ["    org_scoped: true"] : []),
    ...(entity.auditAll ? ["    audit: all"] : []),
    ...(random.chance(0.25) ? ["    checks:\n      sensible: amount < 100 || flag"] : []),
    ...(random.chance(0.2) ? ["    unique: [title, amount]"] : []),
  ];
  const fields = entity.fields.map(({ name, text }) => `      ${name}: ${text}`);
  const transitions = entity.states ? [transitionsText(entity, scopes)] : [];
  const open = transitions.flatMap((text) =>
    [...text.matchAll(/^ {8}(\w+): \{(?!.*roles:)/gm)].map(([, name = ""]) => name),
  );
  return [
    `  ${entity.name}:`,
    ...options,
    "    fields:",
    ...fields,
    ...transitions,
    "    permissions:",
    ...permissionsText(entity, open, scopes),
  ].join("\n");
}

function quoted(rule: string): string {
  return JSON.stringify(rule);
}

function transitionsText(entity: EntityPlan, scopes: Scopes): string {
  const { random } = scopes;
  const edges = ["start", "finish", "drop", "back"].flatMap((name, i) => {
    if (i > 0 && random.chance(0.25)) return [];
    const from = [...new Set([STATES[Math.min(i, 2)]!, ...random.some(STATES, 0.3)])];
    const to = random.pick(STATES.filter((state) => !from.includes(state)).concat(from.length === 4 ? ["gone"] : []));
    const open = random.chance(0.3);
    const parts = [
      `from: [${from.join(", ")}]`,
      `to: ${to}`,
      ...(open ? [] : [`roles: [${random.pick(["user", "owner", "support", "admin"])}]`]),
      ...(open || random.chance(0.5)
        ? []
        : [`when: ${quoted(ruleText({ ...scopes, entity, operation: "transition" }, 0))}`]),
      ...(random.chance(0.4) ? [`require: [${random.pick(requirable(entity))}]`] : []),
    ];
    return [`        ${name}: { ${parts.join(", ")} }`];
  });
  return `    transitions:\n      status:\n        initial: draft\n${edges.join("\n")}`;
}

function requirable(entity: EntityPlan): string[] {
  const optional = entity.fields.filter(
    (field) => /\?/.test(field.text) && !/readonly|immutable|secret/.test(field.text),
  );
  return optional.length > 0 ? optional.map((field) => field.name) : ["title"];
}

/** `open`: the transitions without roles and rules. */
function permissionsText(entity: EntityPlan, open: readonly string[], scopes: Scopes): string[] {
  const { random } = scopes;
  // Chosen separately, so that the rest of the blueprint stays the same for a seed.
  const apart = new Random(entity.fields.length * 100 + open.length);
  const operations = ["read", "create", "update", "delete", ...(entity.softDelete ? ["restore"] : [])];
  return roles.flatMap((role) => {
    if (role === "admin" && random.chance(0.8)) return ["      admin: { all: true }"];
    if (random.chance(0.15)) return [];
    if (role === "support" && random.chance(0.25)) return ["      support: { all: true }"];
    const chances: Readonly<Record<string, number>> = {
      read: 0.8,
      create: 0.6,
      update: 0.6,
      delete: 0.4,
      restore: 0.4,
    };
    const granted = operations.filter((operation) => random.chance(chances[operation] ?? 0.5));
    if (granted.length === 0) return [];
    const lines = granted.map(
      (operation) => `        ${operation}: ${permissionText(entity, operation, role, scopes)}`,
    );
    for (const edge of open) {
      if (!apart.chance(0.7)) continue;
      const scope = { ...scopes, random: apart, entity, operation: "transition" };
      const rule = apart.chance(0.5) ? "true" : ruleText(scope, 0);
      const set = apart.chance(0.6) ? `, set: ${setText(entity, "update", apart)}` : "";
      lines.push(`        "transition:${edge}": { allow: ${quoted(rule)}${set} }`);
    }
    return [`      ${role}:`, ...lines];
  });
}

function permissionText(entity: EntityPlan, operation: string, role: string, scopes: Scopes): string {
  const { random } = scopes;
  const scope = { ...scopes, entity, operation };
  const base = random.chance(0.3) ? "true" : ruleText(scope);
  const owned = entity.fields.some((field) => field.name === "owner_id");
  const rule =
    role === "owner"
      ? owned
        ? `owner_id == current_user.id || (${base})`
        : `current_user.id != null && (${base})`
      : base;
  const kind = random.next();
  if (kind < 0.5) return quoted(rule);
  if (kind < 0.6) return `[${quoted(rule)}, ${quoted(ruleText(scope, 0))}]`;
  const parts = [`allow: ${quoted(rule)}`];
  if (random.chance(0.5)) parts.push(`deny: ${quoted(ruleText(scope, 0))}`);
  if (random.chance(0.5) && operation !== "delete" && operation !== "restore") {
    parts.push(`fields: [${grantedFields(entity, operation, random).join(", ")}]`);
  }
  if (random.chance(0.4) && (operation === "create" || operation === "update"))
    parts.push(`set: ${setText(entity, operation, random)}`);
  if (random.chance(0.3) && operation === "read") parts.push(`limit: ${random.whole(1, 30)}`);
  return `{ ${parts.join(", ")} }`;
}

function grantedFields(entity: EntityPlan, operation: string, random: Random): string[] {
  const writable = operation !== "read";
  const known = entity.fields.filter(
    ({ text, kind }) =>
      !/internal/.test(text) &&
      (writable ? !/readonly/.test(text) && !["computed", "sequence"].includes(kind) : kind !== "secret") &&
      (operation !== "update" || !/immutable/.test(text)),
  );
  const chosen = random.some(known, 0.6).map((field) => field.name);
  return [...new Set(["title", ...chosen])];
}

function setText(entity: EntityPlan, operation: string, random: Random): string {
  const has = (name: string): boolean => entity.fields.some((field) => field.name === name);
  const choices = [
    "{ amount: 4 }",
    "{ flag: true }",
    ...(has("stamp") ? ['{ stamp: "request.key_kind" }'] : []),
    ...(has("body") ? ['{ body: "current_user.email" }'] : []),
    ...(operation === "update" && has("small") ? ['{ small: "old.small" }'] : []),
    ...(has("moment") ? ["{ moment: now }"] : []),
    ...(has("owner_id") ? ["{ owner_id: current_user.id }"] : []),
  ];
  return random.pick(choices);
}
