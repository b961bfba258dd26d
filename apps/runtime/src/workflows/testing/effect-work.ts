// Generated background work, as data of a blueprint, and the entities that it works on. The names of both end with the
// name of their pair, so that many pairs fit into one project.

export interface Step {
  id: string;
  action: string;
  if?: string;
  approval?: { roles: string[]; by_self?: boolean; on_reject?: string };
  retry?: unknown;
  with?: Record<string, unknown>;
  as?: string;
}

export interface Workflow {
  on: string;
  when?: string;
  steps: Step[];
}

export interface Action {
  input: Record<string, unknown>;
  permissions: Record<string, string | boolean>;
  output?: Record<string, string>;
  steps: Step[];
}

export interface Work {
  readonly workflows: Record<string, Workflow>;
  readonly workers: Record<string, { http: { url: string; body?: Record<string, string> }; on: string }>;
  readonly actions: Record<string, Action>;
}

export const VALUES: readonly string[] = ["title", "note", "cost"];
export const MAILS: readonly string[] = ["desk@shop.example", "chief@shop.example"];
export const read = (field: string): string => `\${{ record.${field} }}`;

/** The entities of one pair: names end with its number. */
export function entitiesOf(name: string): Record<string, unknown> {
  const own = "user_id == current_user.id";
  return {
    [`ask${name}`]: {
      fields: {
        title: "string",
        note: "text?",
        cost: `text? = 'tok-cost-${name}'`,
        fee: "int = 0",
        user_id: "user_ref = current_user.id",
        gift_id: `ref(gift${name})? on_delete(set_null)`,
      },
      permissions: {
        user: { create: own, read: { allow: own, fields: ["title", "note", "fee"] }, update: own, delete: own },
        support: { read: { allow: true, fields: ["title", "fee"] } },
        lead: { read: true },
      },
    },
    [`gift${name}`]: {
      fields: { label: "string", level: "int = 0", user_id: "user_ref?" },
      permissions: {
        user: { read: true },
        support: { update: { allow: true, fields: ["level"] } },
        lead: { all: true },
      },
    },
    [`safe${name}`]: {
      fields: { text: "text", user_id: "user_ref?" },
      permissions: { lead: { read: true, create: true, update: true }, admin: { create: true } },
    },
    [`wall${name}`]: {
      fields: { text: "text?", user_id: "user_ref?" },
      permissions: { user: { read: true, create: true, update: true, delete: own } },
    },
  };
}
