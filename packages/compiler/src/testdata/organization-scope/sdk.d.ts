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
}
