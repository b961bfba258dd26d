// Types of the project label-desk, for createClient<LabelDesk>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface LabelDesk {
  entities: {
    shipment: {
      record: {
        id: string;
        status: "draft" | "purchased";
        tracking_number: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        status?: "draft" | "purchased";
        tracking_number?: string | null;
      };
      update: {
        status?: "draft" | "purchased";
        tracking_number?: string | null;
      };
      where: {
        id?: string;
        status?: "draft" | "purchased";
        tracking_number?: string;
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

/** The data of each event, as far as its receiver can see it. */
export interface LabelDeskEvents {
  /** A run has failed, after all its retries. `code` is the code of its error. */
  "run.failed": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; code: string }> };
  /** A run waits for a person: the answer to a call was lost, or a step could not be undone. */
  "run.needs_attention": { record: null; old: null; data: Partial<{ run_id: string; workflow: string; kind: "workflow" | "worker" | "action"; status: "needs_attention" | "undo_failed"; code: string }> };
  "shipment.created": { record: Pick<LabelDesk["entities"]["shipment"]["record"], "id"> & Partial<LabelDesk["entities"]["shipment"]["record"]>; old: Partial<LabelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.deleted": { record: Pick<LabelDesk["entities"]["shipment"]["record"], "id"> & Partial<LabelDesk["entities"]["shipment"]["record"]>; old: Partial<LabelDesk["entities"]["shipment"]["record"]> | null; data: null };
  "shipment.label_created": { record: null; old: null; data: Partial<{ shipment_id: string; tracking_number: string }> };
  "shipment.updated": { record: Pick<LabelDesk["entities"]["shipment"]["record"], "id"> & Partial<LabelDesk["entities"]["shipment"]["record"]>; old: Partial<LabelDesk["entities"]["shipment"]["record"]> | null; data: null };
  /** Somebody signed up. */
  "user.created": { record: Pick<LabelDesk["user"], "id"> & Partial<LabelDesk["user"]>; old: Partial<LabelDesk["user"]> | null; data: null };
  /** The roles of a user were changed. */
  "user.roles_changed": { record: Pick<LabelDesk["user"], "id"> & Partial<LabelDesk["user"]>; old: Partial<LabelDesk["user"]> | null; data: { roles: (string)[]; roles_before: (string)[] } | null };
  /** The profile of a user was changed. */
  "user.updated": { record: Pick<LabelDesk["user"], "id"> & Partial<LabelDesk["user"]>; old: Partial<LabelDesk["user"]> | null; data: null };
}
