// Types of the project parcel-desk, for createClient<ParcelDesk>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ParcelDesk {
  entities: {
    shipment: {
      record: {
        id: string;
        carrier: "ups" | "usps" | "fedex" | "dhl";
        status: "draft" | "purchased" | "in_transit" | "delivered";
        tracking_number: string | null;
        user_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        carrier: "ups" | "usps" | "fedex" | "dhl";
        status?: "draft" | "purchased" | "in_transit" | "delivered";
        tracking_number?: string | null;
        user_id?: string;
      };
      update: {
        carrier?: "ups" | "usps" | "fedex" | "dhl";
        status?: "draft" | "purchased" | "in_transit" | "delivered";
        tracking_number?: string | null;
        user_id?: string;
      };
      where: {
        id?: string;
        carrier?: "ups" | "usps" | "fedex" | "dhl";
        status?: "draft" | "purchased" | "in_transit" | "delivered";
        tracking_number?: string;
        user_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
    };
    subscription: {
      record: {
        id: string;
        user_id: string;
        plan: "basic" | "pro";
        status: "pending" | "active" | "cancelled";
        payment_ref: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        user_id: string;
        plan?: "basic" | "pro";
        status?: "pending" | "active" | "cancelled";
        payment_ref?: string | null;
      };
      update: {
        user_id?: string;
        plan?: "basic" | "pro";
        status?: "pending" | "active" | "cancelled";
        payment_ref?: string | null;
      };
      where: {
        id?: string;
        user_id?: string;
        plan?: "basic" | "pro";
        status?: "pending" | "active" | "cancelled";
        payment_ref?: string;
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

/** What each event carries. */
export interface ParcelDeskEvents {
  "shipment.created": { record: ParcelDesk["entities"]["shipment"]["record"]; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.deleted": { record: ParcelDesk["entities"]["shipment"]["record"]; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.label_created": { record: null; old: null; data: { shipment_id: string } };
  "shipment.updated": { record: ParcelDesk["entities"]["shipment"]["record"]; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "subscription.created": { record: ParcelDesk["entities"]["subscription"]["record"]; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
  "subscription.deleted": { record: ParcelDesk["entities"]["subscription"]["record"]; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
  "subscription.updated": { record: ParcelDesk["entities"]["subscription"]["record"]; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
}
