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
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
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
  related: {
    user: {
      record: {
        id: string;
        email: string;
        name: string | null;
        roles: ("user" | "owner" | "admin")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "email" | "name";
      numbers: "version";
      times: "created_at" | "updated_at";
    };
  };
  profile: Record<string, never>;
}

/** The data of each event, as far as its receiver can see it. */
export interface BikeHooksEvents {
  "bike.created": { record: Pick<BikeHooks["entities"]["bike"]["record"], "id"> & Partial<BikeHooks["entities"]["bike"]["record"]>; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  "bike.deleted": { record: Pick<BikeHooks["entities"]["bike"]["record"], "id"> & Partial<BikeHooks["entities"]["bike"]["record"]>; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  "bike.updated": { record: Pick<BikeHooks["entities"]["bike"]["record"], "id"> & Partial<BikeHooks["entities"]["bike"]["record"]>; old: Partial<BikeHooks["entities"]["bike"]["record"]> | null; data: null };
  /** An event could not be delivered to an endpoint, after all attempts. A delivery of this event emits none. */
  "delivery.failed": { record: null; old: null; data: Partial<{ delivery_id: string; endpoint_id: string; event: string; code: string }> };
  /** Somebody signed up. */
  "user.created": { record: Pick<BikeHooks["user"], "id"> & Partial<BikeHooks["user"]>; old: Partial<BikeHooks["user"]> | null; data: null };
  /** The roles of a user were changed. */
  "user.roles_changed": { record: Pick<BikeHooks["user"], "id"> & Partial<BikeHooks["user"]>; old: Partial<BikeHooks["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } | null };
  /** The profile of a user was changed. */
  "user.updated": { record: Pick<BikeHooks["user"], "id"> & Partial<BikeHooks["user"]>; old: Partial<BikeHooks["user"]> | null; data: null };
  /** An endpoint was disabled: it answered 410 (`gone`), or failed for too long (`failing`). */
  "webhook.endpoint_disabled": { record: null; old: null; data: Partial<{ endpoint_id: string; reason: "gone" | "failing" }> };
}
