// Types of the project functions, for createClient<Functions>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface Functions {
  entities: {
    place: {
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
        visits: { to: "visit"; many: true; by: "place_id"; };
      };
    };
    visit: {
      record: {
        id: string;
        place_id: string;
        address: string;
        paid: string;
        at: string;
        length: number | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        place_id: string;
        address: string;
        paid: string;
        at: string;
        length?: number | null;
      };
      update: {
        place_id?: string;
        address?: string;
        paid?: string | { add: string };
        at?: string;
        length?: number | null | { add: number };
      };
      where: {
        id?: string;
        place_id?: string;
        address?: string;
        paid?: string;
        at?: string;
        length?: number;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "address";
      numbers: "paid" | "length" | "version";
      times: "at" | "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        place: { to: "place"; many: false; };
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
