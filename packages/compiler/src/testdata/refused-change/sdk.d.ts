// Types of the project refused-change, for createClient<RefusedChange>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface RefusedChange {
  entities: {
    listing: {
      record: {
        id: string;
        title: string;
        price: boolean;
        note: string;
        status: "draft";
        code: string;
        weight: number;
        category_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        price: boolean;
        note: string;
        status?: "draft";
        code: string;
        weight: number;
        category_id: string;
      };
      update: {
        title?: string;
        price?: boolean;
        note?: string;
        status?: "draft";
        code?: string;
        weight?: number | { add: number };
        category_id?: string;
      };
      where: {
        id?: string;
        title?: string;
        price?: boolean;
        note?: string;
        status?: "draft";
        code?: string;
        weight?: number;
        category_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title" | "note" | "code";
      numbers: "weight" | "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
      };
      keys: { code: string };
    };
    category: {
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
