// What the walk over all procedures expects of those about environments. Only production is there: what needs a second
// environment is refused after the right was judged.
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
