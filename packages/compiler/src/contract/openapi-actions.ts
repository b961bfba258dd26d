// Describes actions in the OpenAPI document. In: the model. Out: a path for each action, and shared components. The
// module describes their runs. Projects without background work have none.
import type { Action, Model } from "@plinth/blueprint";
import { exampleId, exampleOf } from "../requests/example-values.ts";
import { createSchemaOf, writableFields } from "../requests/schemas.ts";
import { isServed } from "../sql/column-type.ts";
import { outputExample, outputSchema, outputTypeOf } from "../work/action-output.ts";
import { described } from "./described-schema.ts";
import { body, dataOf, errors, moduleTag, type OpenapiObject, reference, reply } from "./openapi-shared.ts";
import { idempotencyHeader, idempotencyKey } from "./openapi-writing.ts";

export function actionPaths(model: Model, scoped: boolean): OpenapiObject {
  if (!model.modules.includes("workers")) return {};
  const actions = model.background.actions.map((action) => [
    `/v1/actions/${action.name}`,
    { post: actionOperation(action, model, scoped) },
  ]);
  return Object.fromEntries(actions);
}

function actionOperation(action: Action, model: Model, scoped: boolean): OpenapiObject {
  const { name, mode } = action;
  const tag = moduleTag("project", model);
  const fields = writableFields(action.input.filter(isServed));
  const schema = createSchemaOf(fields, null);
  const needsBody = Array.isArray(schema["required"]);
  const sent = body(described(schema, fields), exampleOf(fields));
  return {
    operationId: `${tag}.call.${name}`,
    summary: `Call ${name}`,
    tags: [tag],
    parameters: [idempotencyKey, ...(scoped ? [reference("parameters", "organization")] : [])],
    requestBody: { ...sent, required: needsBody },
    responses: {
      ...(mode === "sync" ? { 200: answer(action, model) } : { 202: begun(name) }),
      ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    },
  };
}

function answer(action: Action, model: Model): OpenapiObject {
  const type = outputTypeOf(action, model);
  return reply(
    "The result of the action",
    dataOf(outputSchema(type)),
    { data: outputExample(type) },
    idempotencyHeader,
  );
}

function begun(name: string): OpenapiObject {
  const properties = {
    id: reference("schemas", "Id"),
    workflow: { const: name },
    kind: { const: "action" },
    status: { type: "string" },
  };
  const schema = { type: "object", properties, required: Object.keys(properties) };
  const location = { description: "The URL of the run.", schema: { type: "string" } };
  const example = { id: exampleId, workflow: name, kind: "action", status: "queued" };
  return reply(
    "Accepted: a run was started",
    dataOf(schema),
    { data: example },
    { Location: location, ...idempotencyHeader },
  );
}
