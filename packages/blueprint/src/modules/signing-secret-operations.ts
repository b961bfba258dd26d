// What a project's own services verify its calls with. Out: the operations that tell it and that make another one.
import type { JsonObject, ModuleOperation } from "./description.ts";
import { bodySchema, replySchema } from "./schema-parts.ts";

const signingSecret: JsonObject = replySchema({
  secret: {
    type: "string",
    description: "What calls to the project's own services are signed with: `whsec_` and base64.",
  },
  previous: {
    type: ["object", "null"],
    description: "`secret`, and `until` when it signs as well; null where there is none.",
  },
});

function secretOperation(
  name: string,
  { method, path, summary }: Pick<ModuleOperation, "method" | "path" | "summary">,
): ModuleOperation {
  const takesBody = method === "POST";
  return {
    id: `project.${name}`,
    method,
    path,
    summary,
    tag: "project",
    audience: "admin",
    query: null,
    body: takesBody ? { schema: bodySchema({}, []), example: {}, isOptional: true } : null,
    replies: {
      200: {
        description: "The secret, and the one before it while receivers change over",
        content: { kind: "data", schema: signingSecret, example: { secret: "whsec_c2VjcmV0", previous: null } },
      },
    },
    faults: takesBody ? [400, 401, 403, 413, 415, 422, 429, 503] : [400, 401, 403, 429, 503],
    sdk: null,
  };
}

export const signingSecretOperations: readonly ModuleOperation[] = [
  secretOperation("signing_secret", {
    method: "GET",
    path: "/v1/signing-secret",
    summary: "Read what the project's own services verify calls with (admin)",
  }),
  secretOperation("rotate_signing_secret", {
    method: "POST",
    path: "/v1/signing-secret/rotate",
    summary: "Sign with another secret from now on; the last one signs beside it for a day (admin)",
  }),
];
