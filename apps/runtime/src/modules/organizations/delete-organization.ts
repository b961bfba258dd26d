// Deletes an organization like the generated route, and makes every replica forget its memberships. In: a transaction,
// the organization, the caller. Out: nothing, or a Fault. The entity's rule decides who can delete it.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import type { Tenant } from "../../project/tenant.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import { deleteRecord } from "../../query/run.ts";

/** @throws Fault 403, 404, 409. */
export async function deleteOrganization(
  open: TenantTransaction,
  { release, principal, incoming, organization }: ModuleContext,
  organizationId: string,
): Promise<void> {
  const { entity } = entityView(release, "organization");
  if (!hasOperation(entity, "delete", principal.roles)) {
    throw new Fault("forbidden", { detail: "Your role does not allow you to delete organizations." });
  }
  const { id: requestId, ip } = incoming;
  const request = { tenant: within(open), release, entity: entity.name, principal, organization, ip, requestId };
  await deleteRecord(request, organizationId);
}

/** A failed statement can be repeated, like outside a transaction. */
function within(open: TenantTransaction): Tenant {
  return {
    async run({ text, values }) {
      await open.query("SAVEPOINT statement");
      try {
        return await open.query(text, values);
      } catch (error) {
        await open.query("ROLLBACK TO SAVEPOINT statement");
        throw error;
      }
    },
  };
}
