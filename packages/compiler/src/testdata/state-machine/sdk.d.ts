// Types of the project state-machine, for createClient<StateMachine>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface StateMachine {
  entities: {
    /** Shipment: What is on its way. */
    shipment: {
      record: {
        id: string;
        carrier: "ups" | "dhl" | null;
        status: "draft" | "purchased" | "in_transit" | "delivered";
        paid: boolean;
        user_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        carrier?: "ups" | "dhl" | null;
        status?: "draft";
        paid?: boolean;
        user_id?: string;
      };
      update: {
        carrier?: "ups" | "dhl" | null;
        status?: "draft" | "purchased" | "in_transit" | "delivered";
        paid?: boolean;
        user_id?: string;
      };
      where: {
        id?: string;
        carrier?: "ups" | "dhl";
        status?: "draft" | "purchased" | "in_transit" | "delivered";
        paid?: boolean;
        user_id?: string;
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
        user: { to: "user"; many: false; };
      };
      transitions: "purchase" | "collect" | "deliver";
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin" | "courier")[];
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
        roles: ("user" | "owner" | "admin" | "courier")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin" | "courier")[];
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
