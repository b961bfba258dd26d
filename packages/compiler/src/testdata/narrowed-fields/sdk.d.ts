// Types of the project narrowed-fields, for createClient<NarrowedFields>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface NarrowedFields {
  entities: {
    ticket: {
      record: {
        id: string;
        subject: string;
        body?: string;
        priority?: "low" | "high";
        note?: string | null;
        customer_id?: string | null;
        closed_at?: string | null;
        created_by?: string | null;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      create: {
        subject: string;
        body: string;
        priority?: "low" | "high";
        note?: string | null;
        customer_id?: string | null;
        closed_at?: string | null;
      };
      update: {
        subject?: string;
        body?: string;
        priority?: "low" | "high";
        note?: string | null;
        customer_id?: string | null;
        closed_at?: string | null;
      };
      where: {
        id?: string;
        subject?: string;
        body?: string;
        priority?: "low" | "high";
        note?: string;
        customer_id?: string;
        closed_at?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "subject" | "body" | "note";
      numbers: "version";
      times: "closed_at" | "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        customer: { to: "user"; many: false; };
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin" | "support")[];
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
        roles: ("user" | "owner" | "admin" | "support")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin" | "support")[];
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
