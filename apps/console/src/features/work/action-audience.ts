// Who can call an action. In: its roles. Out: a sentence. Pure.
import { consoleRole } from "./run-words.ts";

/** The roles that can call an action, and whether the console's role is one of them. */
export function audienceText(roles: readonly string[]): string {
  if (roles.length === 0) return "No role can call it.";
  const all = `Roles that can call it, within their rules: ${roles.toSorted().join(", ")}.`;
  // Every caller with a key may do what `public` may.
  return roles.includes(consoleRole) || roles.includes("public")
    ? all
    : `${all} The console acts as ${consoleRole}, which is not one of them.`;
}
