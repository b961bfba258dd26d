// Types of the project bike-hooks, for createClient<BikeHooks>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface BikeHooks {
  entities: {
    bike: {
      record: {
        id: string;
        name: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
      };
      update: {
        name?: string;
      };
      where: {
        id?: string;
        name?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    created_at: string;
    updated_at: string;
    version: number;
  };
}

/** What each event carries. */
export interface BikeHooksEvents {
  "bike.created": { record: BikeHooks["entities"]["bike"]["record"]; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  "bike.deleted": { record: BikeHooks["entities"]["bike"]["record"]; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  "bike.updated": { record: BikeHooks["entities"]["bike"]["record"]; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  /** Somebody signed up. */
  "user.created": { record: BikeHooks["user"]; old: Partial<BikeHooks["user"]> | null; data: null };
  /** A user was given other roles. */
  "user.roles_changed": { record: BikeHooks["user"]; old: Partial<BikeHooks["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } };
  /** A user's profile was changed. */
  "user.updated": { record: BikeHooks["user"]; old: Partial<BikeHooks["user"]> | null; data: null };
  /** An endpoint was disabled: it answered 410 (`gone`), or has failed for too long (`failing`). */
  "webhook.endpoint_disabled": { record: null; old: null; data: { endpoint_id: string; reason: "gone" | "failing" } };
}
