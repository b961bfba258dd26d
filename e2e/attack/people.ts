// End users of the projects. In: a project's key, and a number. Out: their access tokens, which are refreshed in time.
// They sign up from many addresses, because limits by address are not the subject here.
import { createSender } from "../sender.ts";
import { bearer } from "./target.ts";

export interface People {
  /** Access tokens that are valid for at least ten more minutes. */
  readonly tokens: () => Promise<readonly string[]>;
}

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** They are valid for 15 minutes. */
const renewAfterMs = 5 * 60_000;
const atOnce = 4;

export async function signUpPeople(origin: string, key: string, count: number): Promise<People> {
  const ask = async (number: number, path: string, body: unknown): Promise<Session> => {
    const from = `127.0.${2 + Math.floor(number / 200)}.${1 + (number % 200)}`;
    const sender = createSender({ origin, from, socketsMax: 1, keepAlive: false });
    const shot = { method: "POST", path, headers: bearer(key), body: JSON.stringify(body) };
    const { status, text } = await sender.ask(shot);
    if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return (JSON.parse(text) as { readonly data: Session }).data;
  };
  const each = async (ofOne: (number: number) => Promise<Session>): Promise<Session[]> => {
    const found: Session[] = [];
    for (let first = 0; first < count; first += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, count - first) }, (_, i) => first + i);
      found.push(...(await Promise.all(numbers.map(ofOne))));
    }
    return found;
  };
  const password = "correct horse battery";
  let sessions = await each((n) => ask(n, "/v1/auth/sign-up", { email: `person${n}@example.com`, password }));
  let renewedMs = performance.now();
  return {
    tokens: async () => {
      if (performance.now() - renewedMs > renewAfterMs) {
        const before = sessions;
        sessions = await each((n) => ask(n, "/v1/auth/refresh", { refresh_token: before[n]?.refresh_token }));
        renewedMs = performance.now();
      }
      return sessions.map((session) => session.access_token);
    },
  };
}
