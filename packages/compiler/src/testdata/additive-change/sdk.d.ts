// Types of the project additive-change, for createClient<AdditiveChange>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface AdditiveChange {
  entities: {
    listing: {
      record: {
        id: string;
        title: string;
        status: "draft" | "active" | "sold";
        note: string | null;
        sold_to: string | null;
        featured: boolean;
        kind: "offer" | "request";
        category_id: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        status?: "draft" | "active" | "sold";
        note?: string | null;
        sold_to?: string | null;
        featured?: boolean;
        kind?: "offer" | "request";
        category_id?: string | null;
      };
      update: {
        title?: string;
        status?: "draft" | "active" | "sold";
        note?: string | null;
        sold_to?: string | null;
        featured?: boolean;
        kind?: "offer" | "request";
        category_id?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        status?: "draft" | "active" | "sold";
        note?: string;
        sold_to?: string;
        featured?: boolean;
        kind?: "offer" | "request";
        category_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title" | "note" | "sold_to";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        category: { to: "category"; many: false; };
        created_by: { to: "user"; many: false; };
      };
      keys: { sold_to: string };
    };
    category: {
      record: {
        id: string;
        name: string;
        parent_id: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
        parent_id?: string | null;
      };
      update: {
        name?: string;
        parent_id?: string | null;
      };
      where: {
        id?: string;
        name?: string;
        parent_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        categories: { to: "category"; many: true; by: "parent_id"; };
        created_by: { to: "user"; many: false; };
        listings: { to: "listing"; many: true; by: "category_id"; };
        parent: { to: "category"; many: false; };
      };
      keys: { name: string };
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
