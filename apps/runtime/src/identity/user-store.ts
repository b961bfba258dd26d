// Who a session belongs to and what that user was given, as it stands now. In: what a token names. Out: e-mail and roles,
// or null where the session or the user is no more. It never takes a role from a token.
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Tenants } from "../http/contracts.ts";
import type { Epoch } from "./epoch.ts";
import { createEpochCache } from "./epoch-cache.ts";
import type { TokenSubject } from "./user-token.ts";

export interface SessionUser {
  readonly email: string;
  /** As given; not expanded. */
  readonly roles: readonly string[];
}

export interface UserStore {
  peek(subject: TokenSubject): SessionUser | undefined;
  get(subject: TokenSubject): Promise<SessionUser | null>;
}

/** @param clock Monotonic milliseconds. */
export function createUserStore(options: {
  readonly tenants: Tenants;
  readonly epoch: Epoch;
  readonly clock: () => number;
}): UserStore {
  const cache = createEpochCache<SessionUser>({
    epoch: options.epoch,
    clock: options.clock,
    entriesMax: 20_000,
    ttlMs: 60_000,
    load: async (key) => {
      const [projectId, sessionId, userId] = key.split("/") as [TokenSubject["projectId"], string, string];
      const tenant = options.tenants.forProject({ projectId });
      const schema = quoteIdentifier(tenantNames(projectId).schema);
      const { rows } = await tenant.run({
        lane: "fast",
        text: `SELECT u.email, array_to_json(u.roles)::text FROM ${schema}.sessions s
               JOIN ${schema}.users u ON u.id = s.user_id
               WHERE s.id = $1::uuid AND s.user_id = $2::uuid AND s.revoked_at IS NULL AND s.expires_at > now()`,
        values: [sessionId, userId],
      });
      const [email, roles] = rows[0] ?? [];
      if (email == null || roles == null) return null;
      return { projectId, value: { email, roles: JSON.parse(roles) as string[] } };
    },
  });
  const keyOf = (subject: TokenSubject): string => `${subject.projectId}/${subject.sessionId}/${subject.userId}`;
  return { peek: (subject) => cache.peek(keyOf(subject)), get: (subject) => cache.get(keyOf(subject)) };
}
