// What somebody who signs up says of themselves: the fields that a blueprint gives its users. In: the members as they were sent. Out:
// checked values, and the new account with them. They are written as a change of one's own record is: by the user's rights, with an
// audit row of its own.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { itemFault } from "../../http/item-fault.ts";
import { expandRoles, USER_ROLES } from "../../identity/roles.ts";
import type { SecretBox } from "../../identity/secret-box.ts";
import { type FieldValues, updateRecord } from "../../query/run.ts";
import { within } from "../../query/within.ts";
import { checkMembers } from "../../records/check-body.ts";
import { checkerOf } from "../../records/checkers.ts";
import { decodeUpdate } from "../../records/decode-body.ts";
import type { Acting } from "../write-change.ts";

export type Profile = Readonly<Record<string, unknown>>;

/** @param acting The user whose profile it becomes. @throws Fault 403, 422: their errors are about `/profile`. */
export function decodeProfile(secretBox: SecretBox, acting: Acting, userId: string, profile: Profile): FieldValues {
  const { release } = acting;
  return placed(() => {
    const body = checkMembers(checkerOf(release, "user", "update"), profile);
    return decodeUpdate({ ...asThemselves(acting), secretBox }, "user", userId, body);
  });
}

/** @param open In which the account was made. @throws Fault 403, 409, 422. */
export async function writeProfile(
  open: TenantTransaction,
  acting: Acting,
  userId: string,
  values: FieldValues,
): Promise<void> {
  if (values.size === 0) return;
  const tenant = within(open, { isRepeated: true });
  await updateRecord({ ...asThemselves(acting), tenant, entity: "user" }, userId, values).catch((error: unknown) => {
    throw error instanceof Fault ? itemFault("/profile", error) : error;
  });
}

/** With the roles that every user has. */
function asThemselves(acting: Acting): Acting {
  const { release, principal } = acting;
  return { ...acting, principal: { ...principal, roles: expandRoles(release, USER_ROLES) } };
}

function placed<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    throw error instanceof Fault ? itemFault("/profile", error) : error;
  }
}
