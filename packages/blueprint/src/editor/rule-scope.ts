// Finds out what a rule can use. In: the path of its keys. Out: the entity, the names that exist there, and how far it
// can look. The checker of expressions has the same scopes.
import { ruleNames } from "../language/expressions.ts";

export interface RuleScope {
  /** Null if any entity can use it. */
  readonly entity: string | null;
  /** The existing ones of `record`, `old`, `current_user`, `now` and so on. */
  readonly names: readonly string[];
  /** `row`: only fields of the record; `references`: also records that it refers to; `records`: everything, without a caller. */
  readonly reach: "all" | "row" | "references" | "records";
  /** The action whose input the rule can read; null if it is about a record. */
  readonly action: string | null;
  /** Whether there is a caller. */
  readonly user: boolean;
  /** Whether the fields of the record have their bare names: not before a new record exists. */
  readonly bare: boolean;
  /** Whether it must be true or false. */
  readonly condition: boolean;
}

const always: readonly string[] = Object.keys(ruleNames).filter(
  (name) => name !== "old" && name !== "new" && name !== "input",
);

export function ruleScopeAt(path: readonly string[]): RuleScope {
  const entity = entityIn(path);
  const last = path.filter((one) => one !== "[]").at(-1) ?? "";
  if (path[2] === "checks" || (path[2] === "exclude" && last === "where")) return rowScope(entity);
  const whole = { reach: "all", user: true, condition: true, bare: true, action: null } as const;
  if (path[0] === "rules") return { ...whole, entity: null, names: Object.keys(ruleNames) };
  if (path[0] === "actions") {
    const names = [...always.filter((name) => name !== "record"), "input"];
    return { ...whole, entity: "", names, action: path[1] ?? null };
  }
  const at = path.indexOf("permissions");
  const operation = at === -1 ? "" : (path[at + (path[0] === "permissions" ? 3 : 2)] ?? "");
  const more = path[0] === "entities" && path[2] === "transitions" ? rowsOf("transition:") : rowsOf(operation);
  const names = [...always, ...more];
  const isSet = path.at(-2) === "set";
  // A create sets values before the record exists.
  if (isSet && operation === "create")
    return {
      ...whole,
      entity,
      names: names.filter((name) => name !== "record" && name !== "new"),
      bare: false,
      condition: false,
    };
  return { ...whole, entity, names, condition: !isSet };
}

function rowsOf(operation: string): readonly string[] {
  if (operation === "create") return ["new", "input"];
  return operation === "update" || operation.startsWith("transition:") ? ["old", "new", "input"] : [];
}

function rowScope(entity: string | null): RuleScope {
  return { entity, names: ["record"], reach: "row", user: false, condition: true, bare: true, action: null };
}

/** In the parentheses of `computed` or `fill`. */
export function valueScope(entity: string | null, reach: "records" | "references"): RuleScope {
  return { entity, names: ["record"], reach, user: false, condition: false, bare: true, action: null };
}

/** The entity that a path belongs to. */
export function entityIn(path: readonly string[]): string | null {
  if (path[0] === "entities" || path[0] === "permissions") return path[1] ?? null;
  if (path[0] === "users") return "user";
  return path[0] === "tests" && path[1] === "rows" ? (path[2] ?? null) : null;
}
