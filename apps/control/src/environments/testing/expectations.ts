// Expectations for the test of all procedures, about environments. There is only production: calls that need a second environment
// are refused after the right is checked.
import type { Expected } from "../../testing/expected.ts";

let made = 0;

export const environmentExpectations: Readonly<Record<string, Expected>> = {
  "environments.list": { who: "member", call: (c, { projectId }) => c.environments.list.query({ projectId }) },
  "environments.create": {
    who: "developer",
    call: (c, { projectId }) =>
      c.environments.create.mutate({ projectId, kind: "preview", name: `walk-${++made}`, empty: true }),
  },
  "environments.delete": {
    who: "admin",
    allowed: "CONFLICT",
    call: (c, { projectId }) => c.environments.delete.mutate({ projectId }),
  },
  "environments.compare": {
    who: "member",
    end: "BAD_REQUEST",
    call: (c, { projectId }) => c.environments.compare.query({ projectId, fromProjectId: projectId }),
  },
  "environments.promote": {
    who: "developer",
    allowed: "BAD_REQUEST",
    silent: true,
    call: (c, { projectId }) => c.environments.promote.mutate({ projectId, fromProjectId: projectId }),
  },
};
