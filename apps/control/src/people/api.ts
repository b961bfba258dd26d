// What a client sees of the signed-in person. Types alone.
import type { OrganizationSummary } from "../organizations/api.ts";
import type { Query } from "../procedure.ts";

export interface Me {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly organizations: readonly OrganizationSummary[];
}

export type MeProcedures = {
  get: Query<void, Me>;
};
