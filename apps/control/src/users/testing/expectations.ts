// Expectations for the test of all procedures, about end users. Imported by tests only.
import { type Expected, NOWHERE } from "../../testing/expected.ts";

export const userExpectations: Record<string, Expected> = {
  "users.list": { who: "member", call: (c, t) => c.users.list.query({ projectId: t.projectId }) },
  "users.get": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.users.get.query({ projectId: t.projectId, userId: NOWHERE }),
  },
  "users.record": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.users.record.query({ projectId: t.projectId, userId: NOWHERE }),
  },
  "users.create": {
    who: "admin",
    call: (c, t) => c.users.create.mutate({ projectId: t.projectId, email: "end-user@example.com", roles: ["user"] }),
  },
  "users.setRoles": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.users.setRoles.mutate({ projectId: t.projectId, userId: NOWHERE, roles: ["user"] }),
  },
  "users.setDisabled": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.users.setDisabled.mutate({ projectId: t.projectId, userId: NOWHERE, disabled: true }),
  },
  "users.endSessions": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.users.endSessions.mutate({ projectId: t.projectId, userId: NOWHERE }),
  },
  "users.mailReset": {
    who: "developer",
    allowed: "CONFLICT",
    call: (c, t) => c.users.mailReset.mutate({ projectId: t.projectId, userId: NOWHERE }),
  },
};
