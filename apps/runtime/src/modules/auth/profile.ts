// The profile in a sign-up: the fields that a blueprint adds to users. In: the sent members. Out: checked values, and
// the new account with them. They are written like an update of the user's own record: with the user's rights, and a
// separate audit row.
import { quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { itemFault } from "../../http/item-fault.ts";
import { expandRoles, USER_ROLES } from "../../identity/roles.ts";
import type { SecretBox } from "../../identity/secret-box.ts";
import type { Tenant } from "../../project/tenant.ts";
import { taken } from "../../query/database-faults.ts";
import { entityView, forProject } from "../../query/entity-view.ts";
import { type Bindings, Parameters } from "../../query/parameters.ts";
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

/**
 * For an account that is created later. If two sign-ups want the same value, the first account gets it, and the second
 * is refused then. @throws Fault `unique_violation` if a user already has a value that must be unique.
 */
export async function requireFree(tenant: Tenant, acting: Acting, values: FieldValues): Promise<void> {
  const view = entityView(acting.release, "user");
  const sent = view.stored.filter(({ name }) => (values.get(name) ?? null) !== null);
  const columns = new Map(sent.map((field) => [field.column, field]));
  const keys = (view.table?.uniques ?? []).filter((key) => key.columns.every((name) => columns.has(name)));
  if (keys.length === 0) return;
  const parameters = new Parameters(view.fields);
  const held = keys.map((key) => {
    const same = key.columns.map((name) => `u.${quoteIdentifier(name)} = ${parameters.value(columns.get(name)!)}`);
    return `EXISTS (SELECT 1 FROM ${view.from} u WHERE ${same.join(" AND ")})`;
  });
  const bindings: Bindings = { ...acting, recordId: null, values, cursor: null, limit: null };
  const { rows } = await tenant.run({
    lane: "fast",
    text: forProject(`SELECT ${held.join(", ")}`, acting.release),
    values: parameters.slots.map((slot) => slot(bindings)),
  });
  const found = keys.findIndex((_, at) => rows[0]?.[at] === "t");
  if (found === -1) return;
  const fields = keys[found]!.columns.map((name) => columns.get(name)!.name);
  throw itemFault("/profile", taken(fields));
}

/** @param open The transaction that created the account. @throws Fault 403, 409, 422. */
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
