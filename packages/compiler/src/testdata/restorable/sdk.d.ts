// Types of the project restorable, for createClient<Restorable>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface Restorable {
  entities: {
    page: {
      record: {
        id: string;
        path: string;
        title: string;
        body: string | null;
        parent_id: string | null;
        status: "draft" | "live";
        created_by: string | null;
        created_at: string;
        updated_at: string;
        deleted_at: string | null;
        version: number;
      };
      create: {
        path: string;
        title: string;
        body?: string | null;
        parent_id?: string | null;
        status?: "draft" | "live";
      };
      update: {
        path?: string;
        title?: string;
        body?: string | null;
        parent_id?: string | null;
        status?: "draft" | "live";
      };
      where: {
        id?: string;
        path?: string;
        title?: string;
        body?: string;
        parent_id?: string;
        status?: "draft" | "live";
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        deleted_at?: string;
        version?: number;
      };
      texts: "path" | "title" | "body";
      numbers: "version";
      times: "created_at" | "updated_at" | "deleted_at";
      relations: {
        created_by: { to: "user"; many: false; };
        pages: { to: "page"; many: true; by: "parent_id"; };
        parent: { to: "page"; many: false; };
        visits: { to: "visit"; many: true; by: "page_id"; };
      };
      keys: { path: string };
    };
    visit: {
      record: {
        id: string;
        page_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        page_id: string;
      };
      update: {
        page_id?: string;
      };
      where: {
        id?: string;
        page_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: never;
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        page: { to: "page"; many: false; };
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
