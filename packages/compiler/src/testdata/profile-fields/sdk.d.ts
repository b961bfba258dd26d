// Types of the project profile-fields, for createClient<ProfileFields>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ProfileFields {
  entities: {
    report: {
      record: {
        id: string;
        title: string;
        level: number;
        owner_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        level?: number;
        owner_id?: string;
      };
      update: {
        title?: string;
        level?: number | { add: number };
        owner_id?: string;
      };
      where: {
        id?: string;
        title?: string;
        level?: number;
        owner_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "level" | "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        owner: { to: "user"; many: false; };
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    display_name: string | null;
    team: "north" | "south";
    clearance: number;
    manager_id: string | null;
    phone: string | null;
    username: string | null;
    desk: number | null;
    floor: number | null;
    created_at: string;
    updated_at: string;
    version: number;
  };
  related: {
    user: {
      record: {
        id: string;
        email?: string;
        name: string | null;
        roles?: ("user" | "owner" | "admin")[];
        display_name?: string | null;
        team?: "north" | "south";
        clearance?: number;
        manager_id?: string | null;
        phone?: string | null;
        username: string | null;
        desk?: number | null;
        floor?: number | null;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        display_name?: string;
        team?: "north" | "south";
        clearance?: number;
        manager_id?: string;
        phone?: string;
        username?: string;
        desk?: number;
        floor?: number;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "email" | "name" | "display_name" | "phone" | "username";
      numbers: "clearance" | "desk" | "floor" | "version";
      times: "created_at" | "updated_at";
      relations: {
        manager: { to: "user"; many: false; };
      };
    };
  };
  profile: {
    display_name?: string | null;
    team?: "north" | "south";
    manager_id?: string | null;
    phone?: string | null;
    username?: string | null;
    desk?: number | null;
    floor?: number | null;
  };
}
