// Device grants in the database. In: hashes and codes. Out: their state. A grant becomes a token once, in one transaction.
import { sql } from "kysely";
import type { ControlDatabase } from "../database/tables.ts";
import type { DeviceRequest } from "./api.ts";
import { insertToken, type NewAccessToken } from "./store.ts";

export interface NewDeviceGrant {
  readonly deviceCodeHash: string;
  readonly userCode: string;
  readonly deviceName: string;
  readonly address: string;
  readonly expiresAt: Date;
}

export interface PolledGrant {
  readonly status: "pending" | "approved" | "denied";
  readonly personId: string | null;
  readonly deviceName: string;
  readonly isExpired: boolean;
  /** The time since the previous poll. Null at the first. */
  readonly sincePolledMs: number | null;
}

/** Who decides, and by which session of the console. */
export interface DecidedBy {
  readonly personId: string;
  readonly sessionId: string;
}

export interface DeviceGrantStore {
  /** False if too many are already waiting. Removes expired ones first. */
  insert(grant: NewDeviceGrant, waitingMax: number): Promise<boolean>;
  /** A grant that is pending and has not expired. */
  open(userCode: string): Promise<DeviceRequest | null>;
  /** False if it isn't pending any more. `signed_out`: the session has ended meanwhile. */
  decide(userCode: string, status: "approved" | "denied", by: DecidedBy): Promise<boolean | "signed_out">;
  /** Returns its state and records the poll. */
  poll(deviceCodeHash: string): Promise<PolledGrant | null>;
  remove(deviceCodeHash: string): Promise<void>;
  /** Removes an approved grant and creates its token. False if another poll was faster. */
  redeem(deviceCodeHash: string, token: NewAccessToken): Promise<boolean>;
}

export function createDeviceGrantStore(db: ControlDatabase): DeviceGrantStore {
  return {
    insert: async (grant, waitingMax) => {
      await db.deleteFrom("device_grants").where("expires_at", "<", sql<Date>`now() - interval '1 minute'`).execute();
      const { waiting } = await db
        .selectFrom("device_grants")
        .select((eb) => eb.fn.countAll<string>().as("waiting"))
        .executeTakeFirstOrThrow();
      if (Number(waiting) >= waitingMax) return false;
      await db
        .insertInto("device_grants")
        .values({
          device_code_hash: grant.deviceCodeHash,
          user_code: grant.userCode,
          device_name: grant.deviceName,
          address: grant.address,
          status: "pending",
          person_id: null,
          expires_at: grant.expiresAt,
          polled_at: null,
        })
        .execute();
      return true;
    },

    open: async (userCode) => {
      const row = await db
        .selectFrom("device_grants")
        .selectAll()
        .where("user_code", "=", userCode)
        .where("status", "=", "pending")
        .where("expires_at", ">", sql<Date>`now()`)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        userCode: row.user_code,
        deviceName: row.device_name,
        address: row.address,
        createdAt: row.created_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
      };
    },

    decide: (userCode, status, { personId, sessionId }) =>
      db.transaction().execute(async (trx) => {
        // Whoever ends all sessions ends the approvals after them: this one is among them, or its session is gone.
        const session = await trx
          .selectFrom("sessions")
          .select("id")
          .where("id", "=", sessionId)
          .where("person_id", "=", personId)
          .forShare()
          .executeTakeFirst();
        if (session === undefined) return "signed_out";
        const { numUpdatedRows } = await trx
          .updateTable("device_grants")
          .set({ status, person_id: personId })
          .where("user_code", "=", userCode)
          .where("status", "=", "pending")
          .where("expires_at", ">", sql<Date>`now()`)
          .executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      }),

    poll: (deviceCodeHash) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom("device_grants")
          .select(["status", "person_id", "device_name"])
          .select(sql<boolean>`expires_at <= now()`.as("isExpired"))
          .select(sql<number | null>`(extract(epoch FROM now() - polled_at) * 1000)::float8`.as("sincePolledMs"))
          .where("device_code_hash", "=", deviceCodeHash)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return null;
        const polled = { polled_at: sql<Date>`now()` };
        await trx.updateTable("device_grants").set(polled).where("device_code_hash", "=", deviceCodeHash).execute();
        const { status, person_id, device_name, isExpired, sincePolledMs } = row;
        return { status, personId: person_id, deviceName: device_name, isExpired, sincePolledMs };
      }),

    remove: async (deviceCodeHash) => {
      await db.deleteFrom("device_grants").where("device_code_hash", "=", deviceCodeHash).execute();
    },

    redeem: (deviceCodeHash, token) =>
      db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("device_grants")
          .where("device_code_hash", "=", deviceCodeHash)
          .where("status", "=", "approved")
          .where("person_id", "=", token.personId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await insertToken(trx, token);
        return true;
      }),
  };
}
