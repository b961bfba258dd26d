// Types of the project print-shop, for createClient<PrintShop>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface PrintShop {
  entities: {
    order: {
      record: {
        id: string;
        status: "draft" | "paid" | "printing" | "shipped" | "refused";
        total: string;
        pages: number;
        note: string | null;
        customer_id: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        deleted_at: string | null;
        version: number;
      };
      create: {
        status?: "draft";
        total: string;
        pages: number;
        note?: string | null;
        customer_id?: string | null;
      };
      update: {
        status?: "draft" | "paid" | "printing" | "shipped" | "refused";
        total?: string | { add: string };
        pages?: number | { add: number };
        note?: string | null;
        customer_id?: string | null;
      };
      where: {
        id?: string;
        status?: "draft" | "paid" | "printing" | "shipped" | "refused";
        total?: string;
        pages?: number;
        note?: string;
        customer_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        deleted_at?: string;
        version?: number;
      };
      texts: "note";
      numbers: "total" | "pages" | "version";
      times: "created_at" | "updated_at" | "deleted_at";
      relations: {
        created_by: { to: "user"; many: false; };
        customer: { to: "user"; many: false; };
        parcels: { to: "parcel"; many: true; by: "order_id"; };
      };
      transitions: "pay" | "print" | "ship" | "refuse";
    };
    parcel: {
      record: {
        id: string;
        order_id: string;
        code: string;
        weight: string | null;
        labels: (string)[] | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        order_id: string;
        code: string;
        weight?: string | null;
        labels?: (string)[] | null;
      };
      update: {
        order_id?: string;
        code?: string;
        weight?: string | null | { add: string };
        labels?: (string)[] | null;
      };
      where: {
        id?: string;
        order_id?: string;
        code?: string;
        weight?: string;
        labels?: (string)[];
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "code";
      numbers: "weight" | "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        order: { to: "order"; many: false; };
      };
      keys: { code: string };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin" | "clerk")[];
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
        roles: ("user" | "owner" | "admin" | "clerk")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin" | "clerk")[];
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
  actions: {
    "pack-again": { input: { order: string }; result: { id: string; status: string }; output: null };
    "quick-order": { input: { pages: number; note?: string | null }; result: { id: string | null; pages: number | null } };
  };
}

/** The data of each event, as far as its receiver can see it. */
export interface PrintShopEvents {
  "order.created": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.deleted": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.pay": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.print": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  /** An order has been packed. */
  "order.ready": { record: null; old: null; data: Partial<{ order_id: string; total: string; codes: (string)[]; urgent?: boolean | null }> };
  "order.refuse": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.restored": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.sent": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "order.updated": { record: Pick<PrintShop["entities"]["order"]["record"], "id"> & Partial<PrintShop["entities"]["order"]["record"]>; old: Partial<PrintShop["entities"]["order"]["record"]> | null; data: null };
  "parcel.created": { record: Pick<PrintShop["entities"]["parcel"]["record"], "id"> & Partial<PrintShop["entities"]["parcel"]["record"]>; old: Partial<PrintShop["entities"]["parcel"]["record"]> | null; data: null };
  "parcel.deleted": { record: Pick<PrintShop["entities"]["parcel"]["record"], "id"> & Partial<PrintShop["entities"]["parcel"]["record"]>; old: Partial<PrintShop["entities"]["parcel"]["record"]> | null; data: null };
  "parcel.updated": { record: Pick<PrintShop["entities"]["parcel"]["record"], "id"> & Partial<PrintShop["entities"]["parcel"]["record"]>; old: Partial<PrintShop["entities"]["parcel"]["record"]> | null; data: null };
  /** A run has failed, after all its retries. `code` is the code of its error. */
  "run.failed": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; code: string }> };
  /** A run waits for a person: the answer to a call was lost, or a step could not be undone. */
  "run.needs_attention": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; status: "needs_attention" | "undo_failed"; code: string }> };
  /** Somebody signed up. */
  "user.created": { record: Pick<PrintShop["user"], "id"> & Partial<PrintShop["user"]>; old: Partial<PrintShop["user"]> | null; data: null };
  /** The roles of a user were changed. */
  "user.roles_changed": { record: Pick<PrintShop["user"], "id"> & Partial<PrintShop["user"]>; old: Partial<PrintShop["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } | null };
  /** The profile of a user was changed. */
  "user.updated": { record: Pick<PrintShop["user"], "id"> & Partial<PrintShop["user"]>; old: Partial<PrintShop["user"]> | null; data: null };
}
