// Expectations for the test of all procedures, about mail.
import type { Expected } from "../../testing/expected.ts";

export const mailExpectations: Readonly<Record<string, Expected>> = {
  "mail.connections": { who: "member", call: (c, t) => c.mail.connections.query({ projectId: t.projectId }) },
  "mail.setConnection": {
    who: "admin",
    allowed: "BAD_REQUEST",
    call: (c, t) =>
      c.mail.setConnection.mutate({ projectId: t.projectId, name: "mail", provider: "none", settings: {} }),
  },
  "mail.removeConnection": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.mail.removeConnection.mutate({ projectId: t.projectId, name: "none" }),
  },
  "mail.testConnection": {
    who: "admin",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.testConnection.mutate({ projectId: t.projectId, name: "none" }),
  },
  "mail.templates": { who: "member", call: (c, t) => c.mail.templates.query({ projectId: t.projectId }) },
  "mail.preview": {
    who: "developer",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.preview.query({ projectId: t.projectId, template: "none" }),
  },
  "mail.suppressions": {
    who: "developer",
    silent: true,
    call: (c, t) => c.mail.suppressions.query({ projectId: t.projectId }),
  },
  "mail.suppress": {
    who: "developer",
    call: (c, t) => c.mail.suppress.mutate({ projectId: t.projectId, address: "ana@example.com" }),
  },
  "mail.unsuppress": {
    who: "developer",
    call: (c, t) => c.mail.unsuppress.mutate({ projectId: t.projectId, address: "ana@example.com" }),
  },
  "mail.list": { who: "developer", silent: true, call: (c, t) => c.mail.list.query({ projectId: t.projectId }) },
  "mail.read": {
    who: "admin",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.mail.read.query({ projectId: t.projectId, emailId: "00000000-0000-4000-8000-000000000000" }),
  },
};
