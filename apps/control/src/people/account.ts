// Changes of a person's own account. In: the person, and their password where one is required. Out: the change. Wrong passwords
// are counted by person, over all sessions.
import { notFound, refuse } from "../failure.ts";
import type { AccountStore } from "./account-store.ts";
import type { PersonSession, Theme } from "./api.ts";
import type { Attempts } from "./attempts.ts";
import type { Person } from "./auth.ts";
import type { Passwords } from "./password.ts";

export interface AccountService {
  facts(by: Person): Promise<{ readonly theme: Theme; readonly twoFactor: boolean }>;
  sessions(by: Person, sessionId: string): Promise<readonly PersonSession[]>;
  endSession(by: Person, sessionId: string): Promise<{ readonly ended: true }>;
  rename(by: Person, name: string): Promise<{ readonly name: string }>;
  changeEmail(by: Person, email: string, password: string): Promise<{ readonly email: string }>;
  setTheme(by: Person, theme: Theme): Promise<{ readonly theme: Theme }>;
  remove(by: Person, password: string): Promise<{ readonly removed: true }>;
}

export interface AccountOptions {
  readonly store: AccountStore;
  readonly passwords: Pick<Passwords, "verify">;
  /** Wrong passwords, by person. */
  readonly wrong: Attempts;
}

export function createAccountService({ store, passwords, wrong }: AccountOptions): AccountService {
  const requirePassword = async (by: Person, password: string): Promise<void> => {
    const charge = wrong.take(by.id);
    if (charge.waitSeconds > 0) {
      const minutes = Math.ceil(charge.waitSeconds / 60);
      throw refuse(
        "TOO_MANY_REQUESTS",
        `Too many attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
      );
    }
    const hash = await store.passwordHash(by.id);
    if (hash === null || !(await passwords.verify({ hash, password })))
      throw refuse("BAD_REQUEST", "The password is wrong. Nothing was changed.");
    charge.giveBack();
  };
  return {
    facts: (by) => store.facts(by.id),
    sessions: async (by, current) => {
      const sessions = await store.sessions(by.id);
      return sessions.map((session) => ({ ...session, isCurrent: session.id === current }));
    },
    endSession: async (by, sessionId) => {
      if (!(await store.endSession(by.id, sessionId))) throw notFound("session");
      return { ended: true };
    },
    rename: async (by, name) => {
      await store.rename(by.id, name);
      return { name };
    },
    changeEmail: async (by, email, password) => {
      await requirePassword(by, password);
      const wanted = email.toLowerCase();
      if ((await store.changeEmail(by.id, wanted)) === "taken")
        throw refuse("CONFLICT", "Another account has this email address.");
      return { email: wanted };
    },
    setTheme: async (by, theme) => {
      await store.setTheme(by.id, theme);
      return { theme };
    },
    remove: async (by, password) => {
      await requirePassword(by, password);
      const held = await store.remove(by.id);
      if (held.length > 0)
        throw refuse(
          "CONFLICT",
          `You are the last owner of ${held.join(", ")}. Name another owner there, or delete its projects first.`,
        );
      return { removed: true };
    },
  };
}
