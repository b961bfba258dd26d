// The secret with which a project's own services verify its calls. Out: the operations that read and rotate it.
import type { JsonObject, ModuleOperation } from "./description.ts";
import { bodySchema, replySchema } from "./schema-parts.ts";

const signingSecret: JsonObject = replySchema({
  secret: {
    type: "string",
    description: "The secret that signs calls to the project's own services: `whsec_` and base64.",
  },
  previous: {
    type: ["object", "null"],
    description: "The previous `secret`, and `until` when it is still used; null if there is none.",
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
        description: "The secret, and the previous one while receivers switch over",
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
    summary: "Read the secret that verifies calls to the project's own services (admin)",
  }),
  secretOperation("rotate_signing_secret", {
    method: "POST",
    path: "/v1/signing-secret/rotate",
    summary: "Create a new signing secret; the previous one is still used for a day (admin)",
  }),
];
