// Types of the project market-square, for createClient<MarketSquare>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface MarketSquare {
  entities: {
    listing: {
      record: {
        id: string;
        title: string;
        description: string | null;
        price: number;
        status: "draft" | "active" | "sold";
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        description?: string | null;
        price: number;
        status?: "draft" | "active" | "sold";
        created_by?: string | null;
      };
      update: {
        title?: string;
        description?: string | null;
        price?: number | { add: number };
        status?: "draft" | "active" | "sold";
        created_by?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        description?: string;
        price?: number;
        status?: "draft" | "active" | "sold";
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title" | "description";
      numbers: "price" | "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        inquiries: { to: "inquiry"; many: true; by: "listing_id"; };
      };
    };
    inquiry: {
      record: {
        id: string;
        listing_id: string;
        name: string;
        email: string;
        message: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        listing_id: string;
        name: string;
        email: string;
        message: string;
      };
      update: {
        listing_id?: string;
        name?: string;
        email?: string;
        message?: string;
      };
      where: {
        id?: string;
        listing_id?: string;
        name?: string;
        email?: string;
        message?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name" | "email" | "message";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        listing: { to: "listing"; many: false; };
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
export interface MarketSquareEvents {
  /** An event could not be delivered to an endpoint, after all attempts. A delivery of this event emits none. */
  "delivery.failed": { record: null; old: null; data: Partial<{ delivery_id: string; endpoint_id: string; event: string; code: string }> };
  "inquiry.created": { record: Pick<MarketSquare["entities"]["inquiry"]["record"], "id"> & Partial<MarketSquare["entities"]["inquiry"]["record"]>; old: Partial<MarketSquare["entities"]["inquiry"]["record"]> | null; data: null };
  "inquiry.deleted": { record: Pick<MarketSquare["entities"]["inquiry"]["record"], "id"> & Partial<MarketSquare["entities"]["inquiry"]["record"]>; old: Partial<MarketSquare["entities"]["inquiry"]["record"]> | null; data: null };
  "inquiry.updated": { record: Pick<MarketSquare["entities"]["inquiry"]["record"], "id"> & Partial<MarketSquare["entities"]["inquiry"]["record"]>; old: Partial<MarketSquare["entities"]["inquiry"]["record"]> | null; data: null };
  "listing.created": { record: Pick<MarketSquare["entities"]["listing"]["record"], "id"> & Partial<MarketSquare["entities"]["listing"]["record"]>; old: Partial<MarketSquare["entities"]["listing"]["record"]> | null; data: null };
  "listing.deleted": { record: Pick<MarketSquare["entities"]["listing"]["record"], "id"> & Partial<MarketSquare["entities"]["listing"]["record"]>; old: Partial<MarketSquare["entities"]["listing"]["record"]> | null; data: null };
  "listing.updated": { record: Pick<MarketSquare["entities"]["listing"]["record"], "id"> & Partial<MarketSquare["entities"]["listing"]["record"]>; old: Partial<MarketSquare["entities"]["listing"]["record"]> | null; data: null };
  /** Somebody signed up. */
  "user.created": { record: Pick<MarketSquare["user"], "id"> & Partial<MarketSquare["user"]>; old: Partial<MarketSquare["user"]> | null; data: null };
  /** The roles of a user were changed. */
  "user.roles_changed": { record: Pick<MarketSquare["user"], "id"> & Partial<MarketSquare["user"]>; old: Partial<MarketSquare["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } | null };
  /** The profile of a user was changed. */
  "user.updated": { record: Pick<MarketSquare["user"], "id"> & Partial<MarketSquare["user"]>; old: Partial<MarketSquare["user"]> | null; data: null };
  /** An endpoint was disabled: it answered 410 (`gone`), or failed for too long (`failing`). */
  "webhook.endpoint_disabled": { record: null; old: null; data: Partial<{ endpoint_id: string; reason: "gone" | "failing" }> };
}
