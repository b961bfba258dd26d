// The project's own OpenAPI document as a judge of replies. In: the document. Out: what a reply breaks of it.
// It never lets a reply pass that the document doesn't name: each status of each route has its schema.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

type Json = Readonly<Record<string, unknown>>;

export interface ReplyCheck {
  /** Null where the reply is as the document says. `template`: the path as the document has it. */
  readonly check: (
    template: string,
    method: string,
    status: number,
    contentType: string,
    body: unknown,
  ) => string | null;
}

export function replyCheckOf(document: Json): ReplyCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 });
  ajv.addSchema({ ...document, $id: "api" });
  const compiled = new Map<string, ValidateFunction | string>();
  const follow = (value: unknown): Json => {
    const pointer = (value as Json)["$ref"];
    if (typeof pointer !== "string") return value as Json;
    return follow(stepsOf(pointer).reduce<unknown>((at, step) => (at as Json)[step], document));
  };
  const compile = (
    template: string,
    method: string,
    status: number,
    contentType: string,
  ): ValidateFunction | string => {
    const path = (document["paths"] as Json)[template];
    if (path === undefined) return `no path ${template}`;
    const operation = follow(path)[method.toLowerCase()] as Json | undefined;
    if (operation === undefined) return `no ${method} ${template}`;
    const responses = operation["responses"] as Json;
    const named = responses[String(status)];
    if (named === undefined) return `${method} ${template} does not name ${status}`;
    const content = follow(named)["content"] as Json | undefined;
    if (content === undefined) return contentType === "" ? ajv.compile({}) : `${status} has a body`;
    const media = content[contentType.split(";")[0] ?? ""] as Json | undefined;
    if (media === undefined) return `${status} as ${contentType}`;
    // References lead into the document wherever the schema stands.
    return ajv.compile(JSON.parse(JSON.stringify(media["schema"]).replaceAll('"#/', '"api#/')));
  };
  return {
    check: (template, method, status, contentType, body) => {
      const key = `${template} ${method} ${status} ${contentType}`;
      const validate = compiled.get(key) ?? compile(template, method, status, contentType);
      compiled.set(key, validate);
      if (typeof validate === "string") return validate;
      return validate(body) ? null : `${key}: ${ajv.errorsText(validate.errors)}`;
    },
  };
}

function stepsOf(pointer: string): string[] {
  return pointer
    .slice(2)
    .split("/")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}
