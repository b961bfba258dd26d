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
      texts: "tracking_number";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        user: { to: "user"; many: false; };
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
      texts: "payment_ref";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        user: { to: "user"; many: false; };
      };
      keys: { payment_ref: string };
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

/** The data of each event, as far as its receiver can see it. */
export interface ParcelDeskEvents {
  /** An event could not be delivered to an endpoint, after all attempts. A delivery of this event emits none. */
  "delivery.failed": { record: null; old: null; data: Partial<{ delivery_id: string; endpoint_id: string; event: string; code: string }> };
  /** An organization was created. Its owner is its creator, unless a key created it. */
  "organization.created": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { owner_id?: string | null } | null };
  /** An organization was deleted. */
  "organization.deleted": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: null };
  /** An invitation was accepted. */
  "organization.invitation_accepted": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { invitation_id: string; email: string; role: "owner" | "admin" | "member"; user_id: string } | null };
  /** A user was invited. Only the reply to the inviter contains the token. */
  "organization.invitation_created": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { invitation_id: string; email: string; role: "owner" | "admin" | "member" } | null };
  /** An invitation was revoked. */
  "organization.invitation_revoked": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { invitation_id: string; email: string; role: "owner" | "admin" | "member" } | null };
  /** A user became a member. */
  "organization.member_added": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { user_id: string; role: "owner" | "admin" | "member" } | null };
  /** A member was removed, or left. */
  "organization.member_removed": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { user_id: string; role: "owner" | "admin" | "member" } | null };
  /** The role of a member was changed. */
  "organization.member_role_changed": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: { user_id: string; role: "owner" | "admin" | "member"; role_before: "owner" | "admin" | "member" } | null };
  /** An organization was changed. */
  "organization.updated": { record: Pick<ParcelDesk["organization"], "id"> & Partial<ParcelDesk["organization"]>; old: Partial<ParcelDesk["organization"]> | null; data: null };
  /** A run has failed, after all its retries. `code` is the code of its error. */
  "run.failed": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; code: string }> };
  /** A run waits for a person: the answer to a call was lost, or a step could not be undone. */
  "run.needs_attention": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; status: "needs_attention" | "undo_failed"; code: string }> };
  "shipment.created": { record: Pick<ParcelDesk["entities"]["shipment"]["record"], "id"> & Partial<ParcelDesk["entities"]["shipment"]["record"]>; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.deleted": { record: Pick<ParcelDesk["entities"]["shipment"]["record"], "id"> & Partial<ParcelDesk["entities"]["shipment"]["record"]>; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.label_created": { record: null; old: null; data: Partial<{ shipment_id: string }> };
  "shipment.updated": { record: Pick<ParcelDesk["entities"]["shipment"]["record"], "id"> & Partial<ParcelDesk["entities"]["shipment"]["record"]>; old: Partial<ParcelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "subscription.created": { record: Pick<ParcelDesk["entities"]["subscription"]["record"], "id"> & Partial<ParcelDesk["entities"]["subscription"]["record"]>; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
  "subscription.deleted": { record: Pick<ParcelDesk["entities"]["subscription"]["record"], "id"> & Partial<ParcelDesk["entities"]["subscription"]["record"]>; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
  "subscription.updated": { record: Pick<ParcelDesk["entities"]["subscription"]["record"], "id"> & Partial<ParcelDesk["entities"]["subscription"]["record"]>; old: Partial<ParcelDesk["entities"]["subscription"]["record"]> | null; data: null };
  /** Somebody signed up. */
  "user.created": { record: Pick<ParcelDesk["user"], "id"> & Partial<ParcelDesk["user"]>; old: Partial<ParcelDesk["user"]> | null; data: null };
  /** The roles of a user were changed. */
  "user.roles_changed": { record: Pick<ParcelDesk["user"], "id"> & Partial<ParcelDesk["user"]>; old: Partial<ParcelDesk["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } | null };
  /** The profile of a user was changed. */
  "user.updated": { record: Pick<ParcelDesk["user"], "id"> & Partial<ParcelDesk["user"]>; old: Partial<ParcelDesk["user"]> | null; data: null };
  /** An endpoint was disabled: it answered 410 (`gone`), or failed for too long (`failing`). */
  "webhook.endpoint_disabled": { record: null; old: null; data: Partial<{ endpoint_id: string; reason: "gone" | "failing" }> };
}
