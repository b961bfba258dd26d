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
        mileage?: number;
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
