// For tests: a place in the grammar, with the blueprint that its keys are inserted into.
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonMap = { readonly [key: string]: Json };

export interface GrammarPlace {
  /** A blueprint with these keys at the place. */
  readonly put: (keys: JsonMap) => JsonMap;
  /** For each key: a valid use of it, with everything else that the place needs. */
  readonly uses: Readonly<Record<string, JsonMap>>;
}

export const listing: JsonMap = {
  title: "string",
  price: "int",
  amount: "int?",
  status: "enum[draft, active] = draft",
  owner_id: "user_ref?",
};
export const base: JsonMap = {
  project: "demo",
  modules: ["auth", "users", "roles", "organizations", "storage", "webhooks", "workers", "audit_logs"],
  roles: { support: null },
  entities: { listing: { fields: listing }, seller: { fields: { name: "string" } } },
  workers: { sync: { steps: ["audit.write"] } },
  integrations: { shipping: { kind: "parcel", provider: "easypost" } },
};

export const top = (keys: JsonMap): JsonMap => ({ ...base, ...keys });

/** Each one alone is a use of its key. */
export function alone(uses: JsonMap): Record<string, JsonMap> {
  return Object.fromEntries(Object.entries(uses).map(([key, value]) => [key, { [key]: value }]));
}
