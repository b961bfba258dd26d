// How a cell is asked about a project's data in the name of a person. In: who asks, and a question. Out: the answer, or what a person is
// told in its place.

import { refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import { cellRoleOf } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import { askCell, type CellRefusals } from "./ask.ts";
import { CellRefused } from "./failures.ts";

/** A project without the module has no such routes. */
export async function orNull<T>(page: Promise<T>): Promise<T | null> {
  const orAbsent = page.catch((error: unknown) => {
    if (error instanceof CellRefused && error.status === 404) return null;
    throw error;
  });
  return askCell(orAbsent, refusals);
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
