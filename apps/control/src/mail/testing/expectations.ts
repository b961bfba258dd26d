// For the walk over all procedures: who gets past the authorization of those about mail.
import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "../../api.ts";

interface MailExpectation {
  readonly who: "member" | "owner";
  readonly owner?: string;
  readonly silent?: true;
  readonly call: (client: TRPCClient<AppRouter>, things: { readonly projectId: string }) => Promise<unknown>;
}

export const mailExpectations: Readonly<Record<string, MailExpectation>> = {
  "mail.connections": { who: "member", call: (c, t) => c.mail.connections.query({ projectId: t.projectId }) },
  "mail.setConnection": {
    who: "owner",
    owner: "BAD_REQUEST",
    call: (c, t) =>
      c.mail.setConnection.mutate({ projectId: t.projectId, name: "mail", provider: "none", settings: {} }),
  },
  "mail.removeConnection": {
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) => c.mail.removeConnection.mutate({ projectId: t.projectId, name: "none" }),
  },
  "mail.testConnection": {
    who: "owner",
    owner: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.testConnection.mutate({ projectId: t.projectId, name: "none" }),
  },
  "mail.templates": { who: "member", call: (c, t) => c.mail.templates.query({ projectId: t.projectId }) },
  "mail.preview": {
    who: "owner",
    owner: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.preview.query({ projectId: t.projectId, template: "none" }),
  },
  "mail.suppressions": {
    who: "owner",
    silent: true,
    call: (c, t) => c.mail.suppressions.query({ projectId: t.projectId }),
  },
  "mail.suppress": {
    who: "owner",
    call: (c, t) => c.mail.suppress.mutate({ projectId: t.projectId, address: "ana@example.com" }),
  },
  "mail.unsuppress": {
    who: "owner",
    call: (c, t) => c.mail.unsuppress.mutate({ projectId: t.projectId, address: "ana@example.com" }),
  },
  "mail.list": { who: "owner", silent: true, call: (c, t) => c.mail.list.query({ projectId: t.projectId }) },
  "mail.read": {
    who: "owner",
    owner: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.read.query({ projectId: t.projectId, emailId: "00000000-0000-4000-8000-000000000000" }),
  },
};
