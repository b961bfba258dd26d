// Ends open invitations. In: a transaction under way, an organization and which of its invitations. Out: how many ended.
import type { Connection } from "../database/tables.ts";

type Which =
  | { readonly invitationId: string }
  | { readonly madeBy: string }
  | { readonly meantFor: string }
  | { readonly email: string };

/** `madeBy` and `meantFor` are ids of people. */
export async function revokeInvitations(trx: Connection, organizationId: string, which: Which): Promise<number> {
  const open = trx
    .updateTable("invitations")
    .set({ revoked_at: new Date() })
    .where("organization_id", "=", organizationId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null);
  const named =
    "invitationId" in which
      ? open.where("id", "=", which.invitationId)
      : "madeBy" in which
        ? open.where("invited_by", "=", which.madeBy)
        : "email" in which
          ? open.where("email", "=", which.email)
          : open.where("email", "=", (eb) => eb.selectFrom("people").select("email").where("id", "=", which.meantFor));
  const { numUpdatedRows } = await named.executeTakeFirst();
  return Number(numUpdatedRows);
}
