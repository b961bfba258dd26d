// Types of the project organization-scope, for createClient<OrganizationScope>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface OrganizationScope {
  entities: {
    vehicle: {
      record: {
        id: string;
        org_id: string;
        plate: string;
        mileage: number;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        org_id?: string;
        plate: string;
        mileage?: number;
      };
      update: {
        plate?: string;
        mileage?: number | { add: number };
      };
      where: {
        id?: string;
        org_id?: string;
        plate?: string;
        mileage?: number;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "plate";
      numbers: "mileage" | "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        org: { to: "organization"; many: false; };
        trips: { to: "trip"; many: true; by: "vehicle_id"; };
      };
      keys: { plate: string };
    };
    trip: {
      record: {
        id: string;
        org_id: string;
        vehicle_id: string;
        started_at: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        org_id?: string;
        vehicle_id: string;
        started_at?: string;
      };
      update: {
        vehicle_id?: string;
        started_at?: string;
      };
      where: {
        id?: string;
        org_id?: string;
        vehicle_id?: string;
        started_at?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: never;
      numbers: "version";
      times: "started_at" | "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        org: { to: "organization"; many: false; };
        vehicle: { to: "vehicle"; many: false; };
      };
    };
    note: {
      record: {
        id: string;
        about: string | null;
        text: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        about?: string | null;
        text: string;
      };
      update: {
        about?: string | null;
        text?: string;
      };
      where: {
        id?: string;
        about?: string;
        text?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "text";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        about: { to: "organization"; many: false; };
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
