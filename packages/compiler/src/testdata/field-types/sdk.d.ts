// Types of the project field-types, for createClient<FieldTypes>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface FieldTypes {
  entities: {
    box: {
      record: {
        id: string;
        label: string;
        note: string | null;
        short: string;
        body: string;
        remark: string | null;
        contact: string;
        copy_to: string | null;
        amount: number;
        weight: number | null;
        open: boolean;
        sealed: boolean | null;
        due_at: string;
        opened_at: string | null;
        noted_at: string;
        token: string;
        batch: string | null;
        size: "small" | "large";
        color: "red" | "green" | null;
        owner_id: string;
        packer_id: string | null;
        parent_id: string | null;
        shelf_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        label: string;
        note?: string | null;
        short?: string;
        body: string;
        remark?: string | null;
        contact: string;
        copy_to?: string | null;
        amount?: number;
        weight?: number | null;
        open?: boolean;
        sealed?: boolean | null;
        due_at: string;
        opened_at?: string | null;
        noted_at?: string;
        token: string;
        batch?: string | null;
        size?: "small" | "large";
        color?: "red" | "green" | null;
        owner_id?: string;
        packer_id?: string | null;
        parent_id?: string | null;
        shelf_id: string;
      };
      update: {
        label?: string;
        note?: string | null;
        short?: string;
        body?: string;
        remark?: string | null;
        contact?: string;
        copy_to?: string | null;
        amount?: number | { add: number };
        weight?: number | null | { add: number };
        open?: boolean;
        sealed?: boolean | null;
        due_at?: string;
        opened_at?: string | null;
        noted_at?: string;
        token?: string;
        batch?: string | null;
        size?: "small" | "large";
        color?: "red" | "green" | null;
        owner_id?: string;
        packer_id?: string | null;
        parent_id?: string | null;
        shelf_id?: string;
      };
      where: {
        id?: string;
        label?: string;
        note?: string;
        short?: string;
        body?: string;
        remark?: string;
        contact?: string;
        copy_to?: string;
        amount?: number;
        weight?: number;
        open?: boolean;
        sealed?: boolean;
        due_at?: string;
        opened_at?: string;
        noted_at?: string;
        token?: string;
        batch?: string;
        size?: "small" | "large";
        color?: "red" | "green";
        owner_id?: string;
        packer_id?: string;
        parent_id?: string;
        shelf_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "label" | "note" | "short" | "body" | "remark" | "contact" | "copy_to";
      numbers: "amount" | "weight" | "version";
      times: "due_at" | "opened_at" | "noted_at" | "created_at" | "updated_at";
      relations: {
        boxes: { to: "box"; many: true; by: "parent_id"; };
        created_by: { to: "user"; many: false; };
        owner: { to: "user"; many: false; };
        packer: { to: "user"; many: false; };
        parent: { to: "box"; many: false; };
        shelf: { to: "shelf"; many: false; };
      };
      keys: { label: string };
    };
    shelf: {
      record: {
        id: string;
        code: string;
        created_at: string;
        created_by: string | null;
        updated_at: string;
        version: number;
      };
      create: {
        code: string;
      };
      update: {
        code?: string;
      };
      where: {
        id?: string;
        code?: string;
        created_at?: string;
        created_by?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "code";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        boxes: { to: "box"; many: true; by: "shelf_id"; };
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
