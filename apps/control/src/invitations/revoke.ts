// Ends open invitations. In: an open transaction, an organization and a selection of its invitations. Out: how many ended.
import type { Connection } from "../database/tables.ts";

type Which =
  | { readonly invitationId: string }
  | { readonly inviter: string }
  | { readonly invited: string }
  | { readonly email: string };

/** `inviter` and `invited` are ids of people. */
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
      : "inviter" in which
        ? open.where("invited_by", "=", which.inviter)
        : "email" in which
          ? open.where("email", "=", which.email)
          : open.where("email", "=", (eb) => eb.selectFrom("people").select("email").where("id", "=", which.invited));
  const { numUpdatedRows } = await named.executeTakeFirst();
  return Number(numUpdatedRows);
}
