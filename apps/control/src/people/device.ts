// Devices on which an account was signed in. In: an email address. Out: the value of a cookie that proves it, and the check of
// such a cookie. It gives no access: guesses from a known device are counted separately, so that guesses of others can't lock it
// out.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface Devices {
  /** The value of a new cookie for this account. */
  issue(email: string): string;
  /** An id of this device if the cookie was issued for this account, otherwise null. */
  known(email: string, cookie: string | undefined): string | null;
}

export const DEVICE_COOKIE = "plinth.device";

export function createDevices(secret: string): Devices {
  const sign = (email: string, device: string): string =>
    createHmac("sha256", secret).update(`plinth device\n${device}\n${email.toLowerCase()}`).digest("base64url");
  return {
    issue: (email) => {
      const device = randomBytes(16).toString("base64url");
      return `${device}.${sign(email, device)}`;
    },
    known: (email, cookie) => {
      const [device = "", signature = "", ...rest] = (cookie ?? "").split(".");
      const expected = Buffer.from(sign(email, device));
      const given = Buffer.from(signature);
      if (rest.length > 0 || given.length !== expected.length) return null;
      return timingSafeEqual(given, expected) ? device : null;
    },
  };
}
