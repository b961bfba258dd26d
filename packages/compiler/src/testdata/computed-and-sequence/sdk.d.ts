// Types of the project computed-and-sequence, for createClient<ComputedAndSequence>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ComputedAndSequence {
  entities: {
    invoice: {
      record: {
        id: string;
        number: string;
        net: string;
        tax: number;
        pieces: number;
        due_at: string;
        paid_at: string | null;
        gross: string | null;
        each: string | null;
        label: string | null;
        currency: "EUR" | "USD";
        open: boolean | null;
        overdue_by: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        net: string;
        tax?: number;
        pieces?: number;
        due_at: string;
        paid_at?: string | null;
        currency?: "EUR" | "USD";
      };
      update: {
        net?: string | { add: string };
        tax?: number | { add: number };
        pieces?: number | { add: number };
        due_at?: string;
        paid_at?: string | null;
        currency?: "EUR" | "USD";
      };
      where: {
        id?: string;
        number?: string;
        net?: string;
        tax?: number;
        pieces?: number;
        due_at?: string;
        paid_at?: string;
        gross?: string;
        each?: string;
        label?: string;
        currency?: "EUR" | "USD";
        open?: boolean;
        overdue_by?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "number";
      numbers: "net" | "tax" | "pieces" | "version";
      times: "due_at" | "paid_at" | "created_at" | "updated_at";
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
