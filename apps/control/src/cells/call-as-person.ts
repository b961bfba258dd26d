// Calls a cell about a project's data on behalf of a person. In: the person, and a call. Out: the answer, or a refusal in public
// words.

import { refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import { cellRoleOf } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import { type CellRefusals, callCell } from "./call-cell.ts";
import { CellRefused } from "./failures.ts";

/** Null if the cell has no such route, because the project lacks the module. */
export async function orNull<T>(page: Promise<T>): Promise<T | null> {
  const orAbsent = page.catch((error: unknown) => {
    if (error instanceof CellRefused && error.status === 404) return null;
    throw error;
  });
  return callCell(orAbsent, refusals);
}

export function actorOf(
  by: Person,
  project: ProjectAccess,
): { readonly email: string; readonly role: "operator" | "viewer" } {
  return { email: by.email, role: cellRoleOf(project.role) };
}

export const refusals: CellRefusals = {
  400: (refused) => refuse("BAD_REQUEST", refused.detail),
  403: (refused) => refuse("FORBIDDEN", refused.detail),
  409: (refused) => refuse("CONFLICT", refused.detail),
  422: (refused) => refuse("BAD_REQUEST", refused.detail),
};

export function queryOf(members: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.append(name, String(value));
  return query;
}
