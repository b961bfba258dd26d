// Types of the project news-desk, for createClient<NewsDesk>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface NewsDesk {
  entities: {
    writer: {
      record: {
        id: string;
        name: string;
        account_id: string;
        followers: string[];
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
        account_id: string;
        followers?: string[];
      };
      update: {
        name?: string;
        account_id?: string;
        followers?: string[];
      };
      where: {
        id?: string;
        name?: string;
        account_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        account: { to: "user"; many: false; };
        articles: { to: "article"; many: true; by: "writer_id"; };
        created_by: { to: "user"; many: false; };
        followed: { to: "writer"; many: true; };
        followers: { to: "writer"; many: true; };
      };
      keys: { account_id: string };
    };
    article: {
      record: {
        id: string;
        title: string;
        writer_id: string;
        published_at: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        deleted_at: string | null;
        version: number;
      };
      create: {
        title: string;
        writer_id: string;
        published_at?: string | null;
      };
      update: {
        title?: string;
        writer_id?: string;
        published_at?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        writer_id?: string;
        published_at?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        deleted_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "version";
      times: "published_at" | "created_at" | "updated_at" | "deleted_at";
      relations: {
        created_by: { to: "user"; many: false; };
        writer: { to: "writer"; many: false; };
      };
      views: "feed" | "newest";
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
  organization: {
    id: string;
    name: string;
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
    organization: {
      record: {
        id: string;
        name: string;
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        name?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
    };
  };
  profile: Record<string, never>;
}
