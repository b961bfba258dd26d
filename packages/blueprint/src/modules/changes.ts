// Live changes of records. In: the project. Out: the route, if it has an entity that can be followed.
import type { DescribedProject, ModuleDescription } from "./description.ts";
import { id, replySchema, schemaNamed } from "./schema-parts.ts";

/** OpenAPI 3.1 can't describe events, so their schema is next to the text. */
const STREAM = { type: "string", contentMediaType: "application/json", contentSchema: schemaNamed("Change") };

const EVENTS = `Server-sent events. \`ready\`: the stream has begun here; what is read from now on holds all that was before. \`created\`
and \`updated\`: \`id\`, and the record as the caller may read it. \`gone\`: the \`id\` of a record that the caller no longer sees,
whether it was deleted or changed. \`resync\`: what the caller sees may be other records now; read them again, the stream goes on.
\`beat\`: nothing has changed that the caller sees, and the stream has come to this id. \`closed\`: why the stream ends.`;

export function describeChanges({ entities = [] }: DescribedProject): readonly ModuleDescription[] {
  const followed = entities.filter(({ realtime }) => realtime).map(({ plural }) => plural);
  if (followed.length === 0) return [];
  const description: ModuleDescription = {
    module: null,
    entity: null,
    events: [],
    schemas: {
      Change: {
        ...replySchema({ id, record: { type: "object", description: "The record, for `created` and `updated`." } }, []),
        description: "The data of one event.",
      },
    },
    operations: [
      {
        id: "project.changes",
        method: "GET",
        path: "/v1/events/stream",
        summary: "Follow the changes of records",
        tag: "project",
        audience: "caller",
        query: { followed },
        body: null,
        replies: {
          200: {
            description: EVENTS.replaceAll("\n", " "),
            content: { kind: "plain", mediaType: "text/event-stream", schema: STREAM },
          },
        },
        faults: [400, 401, 403, 429, 503],
        sdk: null,
      },
    ],
  };
  return [description];
}
