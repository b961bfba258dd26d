// The callers of a generated project. In: the cell, the project, its model. Out: users with roles and memberships, and
// all callers of requests. It uses the API, as an app and its admin do.
import type { Model } from "@plinth/blueprint";
import { callerOf } from "./api.ts";
import { type Caller, heldRoles, type Person } from "./generated-world.ts";
import type { PublishedProject } from "./published-cell.ts";

interface Plan {
  readonly name: string;
  readonly roles: readonly string[];
  readonly level: number | null;
  /** By the number of the organization. */
  readonly memberships: readonly (readonly [number, string])[];
}

const plans: readonly Plan[] = [
  { name: "u0", roles: ["user"], level: 1, memberships: [[0, "owner"]] },
  {
    name: "u1",
    roles: ["user"],
    level: null,
    memberships: [
      [0, "member"],
      [1, "owner"],
    ],
  },
  { name: "u2", roles: ["user", "editor"], level: 2, memberships: [] },
  { name: "u3", roles: ["user", "support"], level: 3, memberships: [[1, "admin"]] },
  { name: "u4", roles: ["user", "admin"], level: 0, memberships: [[0, "admin"]] },
];

export interface People {
  readonly people: readonly Person[];
  readonly organizations: readonly string[];
  readonly callers: readonly Caller[];
  readonly admin: Caller;
}

export async function makePeople(origin: string, project: PublishedProject, model: Model): Promise<People> {
  const [publishable, secret] = await Promise.all([project.makeKey("publishable"), project.makeKey("secret")]);
  const admin = callerOf(origin, secret);
  const signedUp: { readonly id: string; readonly token: string }[] = [];
  for (const { name } of plans) {
    const reply = await callerOf(origin, publishable).post("/v1/auth/sign-up", {
      email: `${name}@example.com`,
      password: "correct horse battery",
    });
    if (reply.status !== 201) throw new Error(`sign-up: ${reply.text}`);
    signedUp.push({ id: String(reply.body.data.user.id), token: String(reply.body.data.access_token) });
  }
  const organizations: string[] = [];
  const scoped = model.modules.includes("organizations");
  for (const name of scoped ? ["one", "two"] : []) {
    const reply = await admin.post("/v1/organizations", { name });
    if (reply.status !== 201) throw new Error(`organization: ${reply.text}`);
    organizations.push(reply.body.data.id);
  }
  const people = await Promise.all(
    plans.map(async ({ name, roles, level, memberships }, i): Promise<Person> => {
      const { id } = signedUp[i]!;
      const replies = [await admin.put(`/v1/users/${id}/roles`, { roles })];
      if (level !== null) replies.push(await admin.patch(`/v1/users/${id}`, { level }));
      const own = scoped ? memberships : [];
      for (const [at, role] of own) {
        replies.push(await admin.put(`/v1/organizations/${organizations[at]}/members/${id}`, { role }));
      }
      // A member of one organization chooses it. A member of several names one in each request, or none.
      const [only, ...others] = own;
      if (only !== undefined && others.length === 0) {
        const user = callerOf(origin, signedUp[i]!.token);
        replies.push(await user.put("/v1/users/me/organization", { organization_id: organizations[only[0]] }));
      }
      const failed = replies.find((reply) => reply.status >= 300);
      if (failed !== undefined) throw new Error(`${name}: ${failed.status} ${failed.text}`);
      const member = own.map(([at, role]) => ({ organization: organizations[at]!, role }));
      return { id, email: `${name}@example.com`, level, roles, memberships: member };
    }),
  );
  const withKey = { authorization: `Bearer ${publishable}` };
  const nobody = { id: null, email: null };
  const adminKey: Caller = {
    name: "admin key",
    headers: { authorization: `Bearer ${secret}` },
    user: { ...nobody, roles: heldRoles(model, ["admin"]) },
    organization: null,
    keyKind: "secret",
    unscoped: true,
  };
  const callers: Caller[] = [
    {
      name: "public key",
      headers: withKey,
      user: { ...nobody, roles: ["public"] },
      organization: null,
      keyKind: "publishable",
      unscoped: false,
    },
    adminKey,
    ...people.flatMap((person, i) =>
      callersAs(person, `u${i}`, { ...withKey, "plinth-user-token": signedUp[i]!.token }, model),
    ),
  ];
  const [first] = people;
  // Only the token, without a key.
  const [bare] = callersAs(first!, "u0 without a key", { authorization: `Bearer ${signedUp[0]!.token}` }, model);
  callers.push({ ...bare!, keyKind: null });
  if (organizations[1] !== undefined) {
    callers.push({
      ...adminKey,
      name: "admin key in the second organization",
      headers: { ...adminKey.headers, "plinth-organization": organizations[1] },
      organization: organizations[1],
    });
  }
  return { people, organizations, callers, admin: adminKey };
}

/** A member of several organizations sends requests with none, and with each. */
function callersAs(person: Person, name: string, headers: Readonly<Record<string, string>>, model: Model): Caller[] {
  const { id, email, level, roles, memberships } = person;
  const held = heldRoles(model, [...roles, "user", "owner"]);
  const user = { id, email, roles: held, profile: { level }, memberships };
  const base = { name, headers, user, keyKind: "publishable", unscoped: false };
  if (memberships.length < 2) return [{ ...base, organization: memberships[0]?.organization ?? null }];
  return [
    { ...base, organization: null },
    ...memberships.map(({ organization }, i) => ({
      ...base,
      name: `${name} in organization ${i}`,
      headers: { ...headers, "plinth-organization": organization },
      organization,
    })),
  ];
}
