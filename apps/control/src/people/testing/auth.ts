// The HTTP routes of people under test, on their own database. In: nothing. Out: calls like those that the console forwards, and
// their results. For tests only.
import { createPool } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import { createTestDatabase } from "@plinth/testkit";
import Fastify from "fastify";
import type { Pool } from "pg";
import { createClientAddress } from "../../client-address.ts";
import { connectDatabase, migrateDatabase } from "../../database/connect.ts";
import { createOrganizationStore } from "../../organizations/store.ts";
import { checkOrigins } from "../../origin.ts";
import { controlTemplate } from "../../testing/control-template.ts";
import { createAccountStore } from "../account-store.ts";
import { createPeople, type People } from "../auth.ts";
import { createDevices } from "../device.ts";
import { createPasswords } from "../password.ts";
import { authRoutes } from "../routes.ts";
import { createSignInGuard } from "../sign-in-guard.ts";

export const PASSWORD = "correct horse battery";

const CONSOLE = "http://localhost:3000";
const CONTROL = "http://127.0.0.1:4100";
const CONSOLE_SECRET = "what the console and control share, long enough";
const SECRET = "a secret of the tests, long enough for all";

export interface Call {
  readonly body?: object;
  readonly cookie?: string;
  readonly origin?: string | null;
  readonly ip?: string;
  /** The header that proves that the console sent the request. */
  readonly proof?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  readonly cookies: readonly string[];
  /** The headers that a browser would send. */
  readonly cookie: string;
}

export interface AuthFixture {
  readonly pool: Pool;
  readonly people: People;
  /** The calls of argon2, in order. */
  readonly work: string[];
  /** Called after each successful verification of a password. */
  afterVerify: () => Promise<void>;
  /** Deletes an account, as its person does. */
  remove(email: string): Promise<void>;
  call(path: string, call?: Call): Promise<Answer>;
  /** From a new address, unless one is named. */
  signUp(email: string, ip?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Eight failures a minute, and eight sign-ups an hour, by address. */
export async function createAuthFixture(): Promise<AuthFixture> {
  const database = await createTestDatabase(controlTemplate);
  const pool = createPool({ connectionString: database.url, max: 4, applicationName: "test" });
  await migrateDatabase(pool);
  const db = connectDatabase(pool);
  const passwords = createPasswords();
  const work: string[] = [];
  let fixture: AuthFixture;
  const people = await createPeople({
    db,
    logger: createLogger({ name: "test", level: "silent" }),
    passwords: {
      hash: (password) => {
        work.push("hash");
        return passwords.hash(password);
      },
      verify: async (given) => {
        work.push("verify");
        const isRight = await passwords.verify(given);
        if (isRight) await fixture.afterVerify();
        return isRight;
      },
    },
    secret: SECRET,
    controlUrl: CONTROL,
    trustedOrigins: [CONSOLE],
    secureCookies: false,
    onSession: (personId) => createOrganizationStore(db).ensurePersonal(personId),
    onSeen: async () => {},
  });
  const app = Fastify();
  checkOrigins(app, [CONSOLE]);
  authRoutes(app, {
    people,
    guard: createSignInGuard({ attemptsMax: 8 }),
    devices: createDevices(SECRET),
    clientAddress: createClientAddress(CONSOLE_SECRET),
    controlUrl: CONTROL,
    secureCookies: false,
    onSignedOutEverywhere: async () => {},
  });
  await app.ready();

  const call: AuthFixture["call"] = async (path, given = {}) => {
    const { body: sent, cookie, origin = CONSOLE, ip = "10.0.0.1", proof = CONSOLE_SECRET } = given;
    const response = await app.inject({
      method: sent === undefined ? "GET" : "POST",
      url: `/auth${path}`,
      headers: {
        "x-forwarded-for": ip,
        "x-plinth-console": proof,
        ...(origin === null ? {} : { origin }),
        ...(cookie === undefined ? {} : { cookie }),
      },
      ...(sent === undefined ? {} : { payload: sent }),
    });
    const cookies = [response.headers["set-cookie"] ?? []].flat();
    const cookiesSent = cookies.map((line) => line.split(";")[0] ?? "").join("; ");
    const retryAfter = response.headers["retry-after"] ?? null;
    const { statusCode: status, body: text } = response;
    return { status, text, retryAfter: retryAfter === null ? null : String(retryAfter), cookies, cookie: cookiesSent };
  };
  let addresses = 0;
  fixture = {
    pool,
    people,
    work,
    afterVerify: async () => {},
    remove: async (email) => {
      const { id } = await db.selectFrom("people").select("id").where("email", "=", email).executeTakeFirstOrThrow();
      await createAccountStore(db).remove(id);
    },
    call,
    signUp: (email, ip = `10.1.0.${++addresses}`) =>
      call("/sign-up/email", { body: { name: "Ana", email, password: PASSWORD }, ip }),
    stop: async () => {
      await app.close();
      await pool.end();
      await database.drop();
    },
  };
  return fixture;
}
