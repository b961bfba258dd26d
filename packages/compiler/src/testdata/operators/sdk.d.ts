// Types of the project operators, for createClient<Operators>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface Operators {
  entities: {
    shop: {
      record: {
        id: string;
        name: string;
        keeper_id: string;
        open: boolean;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
        keeper_id: string;
        open?: boolean;
      };
      update: {
        name?: string;
        keeper_id?: string;
        open?: boolean;
      };
      where: {
        id?: string;
        name?: string;
        keeper_id?: string;
        open?: boolean;
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
        keeper: { to: "user"; many: false; };
        offers: { to: "offer"; many: true; by: "shop_id"; };
      };
    };
    offer: {
      record: {
        id: string;
        title: string;
        price: number;
        limit_price: number | null;
        visible: boolean;
        status: "draft" | "active" | "sold";
        contact: string | null;
        due_at: string | null;
        shop_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        price: number;
        limit_price?: number | null;
        visible?: boolean;
        status?: "draft" | "active" | "sold";
        contact?: string | null;
        due_at?: string | null;
        shop_id: string;
        created_by?: string | null;
      };
      update: {
        title?: string;
        price?: number | { add: number };
        limit_price?: number | null | { add: number };
        visible?: boolean;
        status?: "draft" | "active" | "sold";
        contact?: string | null;
        due_at?: string | null;
        shop_id?: string;
        created_by?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        price?: number;
        limit_price?: number;
        visible?: boolean;
        status?: "draft" | "active" | "sold";
        contact?: string;
        due_at?: string;
        shop_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title" | "contact";
      numbers: "price" | "limit_price" | "version";
      times: "due_at" | "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        shop: { to: "shop"; many: false; };
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin" | "editor" | "reviewer")[];
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
        roles: ("user" | "owner" | "admin" | "editor" | "reviewer")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin" | "editor" | "reviewer")[];
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
