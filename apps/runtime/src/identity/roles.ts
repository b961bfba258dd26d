// Expands a caller's roles. In: the roles that were given, and the live release's declarations. Out: these roles and
// all that they inherit, always with `public`, sorted. It never returns a role that the release doesn't declare.
import { ByteCache, bytesOfText } from "@plinth/service";
import type { ActiveRelease, ServedBundle } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";

const ALWAYS = "public";
/** The roles of every signed-in user, in addition to those that were given. */
export const USER_ROLES: readonly string[] = ["user", "owner"];
/** For one bundle. */
const SETS_BYTES_MAX = 500_000;
/** An array and its entry. The names in it belong to the bundle. */
const SET_BYTES = 250;
const ROLE_BYTES = 8;

/** One array for each set of roles of a bundle, so that a request doesn't pay for the closure. */
const sets: Derivation<ByteCache<string, readonly string[]>> = {
  name: "sets of roles",
  make: (_, onGrowth) => {
    const weigh = (roles: readonly string[], given: string): number =>
      bytesOfText(given) + roles.length * ROLE_BYTES + SET_BYTES;
    return new ByteCache({ bytesMax: SETS_BYTES_MAX, weigh, onGrowth });
  },
};

/** A role that the release no longer declares is dropped: its permissions no longer exist. */
export function expandRoles(release: ActiveRelease | null, given: readonly string[]): readonly string[] {
  if (release === null) return [ALWAYS];
  const known = derived(release, sets);
  const key = given.join(" ");
  let roles = known.get(key);
  if (roles === undefined) {
    roles = closure(release.bundle, given);
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
