// Which roles a caller holds. In: the roles that were given, and the live release's declarations.
// Out: these and all they inherit, always with `public`, sorted. It never invents a role that the release doesn't declare.
import type { ServedBundle } from "../http/contracts.ts";

const ALWAYS = "public";
/** What every signed-in user holds besides the roles given to them. */
export const USER_ROLES: readonly string[] = ["user", "owner"];
const SETS_MAX = 1_000;

// One array per set of roles and release: callers compare and key by it, and a request must not pay for the closure.
const expanded = new WeakMap<ServedBundle, Map<string, readonly string[]>>();

/** A role that the release no longer declares is dropped: what it allowed is gone. */
export function expandRoles(bundle: ServedBundle | null, given: readonly string[]): readonly string[] {
  if (bundle === null) return [ALWAYS];
  let known = expanded.get(bundle);
  if (known === undefined) {
    known = new Map();
    expanded.set(bundle, known);
  }
  const key = given.join(" ");
  let roles = known.get(key);
  if (roles === undefined) {
    roles = closure(bundle, given);
    if (known.size >= SETS_MAX) known.clear();
    known.set(key, roles);
  }
  return roles;
}

function closure(bundle: ServedBundle, given: readonly string[]): readonly string[] {
  const declared = new Map(bundle.roles.map((role) => [role.name, role.inherits]));
  const all = new Set([ALWAYS]);
  for (const role of [ALWAYS, ...given]) {
    const inherits = declared.get(role);
    if (inherits === undefined) continue;
    all.add(role);
    for (const inherited of inherits) all.add(inherited);
  }
  return [...all].sort();
}
