// The entity for a first request with an API key. In: the model and the role of the key. Out: the first entity whose records the key can
// read, always or under a condition. It decides nothing about a record.
import type { Entity, Model, Role } from "./model/model.ts";

/** @param role The role of a secret key; `public` for a publishable key. Null if the key can read no records. */
export function entityForKey({ roles, entities }: Pick<Model, "roles" | "entities">, role: string): Entity | null {
  const held = rolesOfKey(roles, role);
  const readable = entities.find(({ permissions }) =>
    permissions.some(({ role, operation, rule }) => {
      const isNever = rule.kind === "literal" && rule.value === false;
      return operation === "read" && held.has(role) && !isNever;
    }),
  );
  return readable ?? null;
}

/** Everybody is public. */
function rolesOfKey(roles: readonly Role[], role: string): ReadonlySet<string> {
  const held = new Set(["public"]);
  const add = (name: string): void => {
    if (held.has(name)) return;
    held.add(name);
    for (const inherited of roles.find((one) => one.name === name)?.inherits ?? []) add(inherited);
  };
  add(role);
  return held;
}
