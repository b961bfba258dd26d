// Signs in the command line without a password: the device authorization grant of RFC 8628. In: a program that waits, and a
// person who reads its code in the terminal and approves it in the console. Out: an access token for only that program, once.
// This doesn't use better-auth's plugin, which stores device codes in plain text, doesn't show which machine asks, and returns a
// whole session of the console. Such a session could change the password, and can't be listed or revoked separately.
import { randomInt } from "node:crypto";
import { newId } from "@plinth/bundle";
import { refuse } from "../failure.ts";
import type { Attempts } from "../people/attempts.ts";
import type { Person } from "../people/auth.ts";
import type { DeviceRequest } from "./api.ts";
import type { DeviceGrantStore } from "./device-grant-store.ts";
import { newAccessToken, newSecret, storedForm } from "./secret.ts";

/** Section 3.2 of the RFC. */
export interface StartedGrant {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** The codes of section 3.5. */
export type PollError = "authorization_pending" | "slow_down" | "access_denied" | "expired_token";

export interface DeviceGrants {
  /** Null if too many are waiting. */
  start(request: { readonly deviceName: string; readonly address: string }): Promise<StartedGrant | null>;
  /** The access token, after a person has approved it. */
  poll(deviceCode: string): Promise<{ readonly token: string; readonly expiresInSeconds: number } | PollError>;
  open(by: Person, userCode: string): Promise<DeviceRequest>;
  /** @param sessionId The session of the console in which the person decides. */
  decide(by: Person, sessionId: string, userCode: string, status: "approved" | "denied"): Promise<void>;
}

export interface DeviceGrantsOptions {
  readonly store: DeviceGrantStore;
  /** Codes without a waiting program, by person. */
  readonly missed: Attempts;
}

const EXPIRES_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Tolerates a poll that is this early, because of the network. */
const TOLERANCE_MS = 500;
const WAITING_MAX = 10_000;
const TOKEN_SECONDS = 90 * 24 * 3600;

/** Without vowels, so that codes aren't words, and without characters that look similar (RFC 8628, section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;

const NOT_OPEN = "No program waits with this code: it was used, or it has expired. Run `plinth login` again.";

export function createDeviceGrants({ store, missed }: DeviceGrantsOptions): DeviceGrants {
  /** Runs `find` unless the person has tried too many codes. A null result counts as a failed attempt. */
  const withCode = async <Found>(by: Person, find: () => Promise<Found | null>): Promise<Found> => {
    const charge = missed.take(by.id);
    if (charge.waitSeconds > 0) {
      const minutes = Math.ceil(charge.waitSeconds / 60);
      throw refuse("TOO_MANY_REQUESTS", `Too many codes. Try again in ${minutes} min.`);
    }
    const found = await find();
    if (found === null) throw refuse("NOT_FOUND", NOT_OPEN);
    charge.giveBack();
    return found;
  };
  return {
    start: async ({ deviceName, address }) => {
      const [deviceCode, userCode] = [newSecret(), newUserCode()];
      const isTaken = await store.insert(
        {
          deviceCodeHash: storedForm(deviceCode),
          userCode,
          deviceName,
          address,
          expiresAt: new Date(Date.now() + EXPIRES_SECONDS * 1000),
        },
        WAITING_MAX,
      );
      return isTaken
        ? { deviceCode, userCode, expiresInSeconds: EXPIRES_SECONDS, intervalSeconds: INTERVAL_SECONDS }
        : null;
    },

    poll: async (deviceCode) => {
      const hash = storedForm(deviceCode);
      const grant = await store.poll(hash);
      // An unknown or used code gets the same answer as an expired one.
      if (grant === null || grant.isExpired) return "expired_token";
      if (grant.status === "denied") {
        await store.remove(hash);
        return "access_denied";
      }
      if (grant.sincePolledMs !== null && grant.sincePolledMs < INTERVAL_SECONDS * 1000 - TOLERANCE_MS)
        return "slow_down";
      if (grant.status === "pending" || grant.personId === null) return "authorization_pending";
      const token = newAccessToken();
      const isFirst = await store.redeem(hash, {
        id: newId("tok"),
        personId: grant.personId,
        name: grant.deviceName,
        kind: "login",
        tokenHash: storedForm(token),
        expiresAt: new Date(Date.now() + TOKEN_SECONDS * 1000),
      });
      return isFirst ? { token, expiresInSeconds: TOKEN_SECONDS } : "expired_token";
    },

    open: (by, userCode) => withCode(by, () => store.open(asStored(userCode))),

    decide: async (by, sessionId, userCode, status) => {
      const decided = await withCode(
        by,
        async () => (await store.decide(asStored(userCode), status, { personId: by.id, sessionId })) || null,
      );
      if (decided === "signed_out") throw refuse("UNAUTHORIZED", "Sign in first.");
    },
  };
}

function newUserCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** Accepts any way of typing: `bcdf ghjk` is `BCDF-GHJK`. */
function asStored(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
