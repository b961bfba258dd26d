// Shared parts of the modules' schemas and examples. Out: plain data.
import { patterns } from "../field-types/patterns.ts";
import type { JsonObject, OperationReply } from "./description.ts";

export const exampleId = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
export const exampleTime = "2026-01-31T09:30:00.000000Z";
export const exampleAddress = "ana@example.com";

export const id: JsonObject = schemaNamed("Id");
export const time: JsonObject = { type: "string", format: "date-time", pattern: patterns.datetime };
export const textOrNull: JsonObject = { type: ["string", "null"] };
/** An address in a request; addresses in replies were checked before. */
export const sentAddress: JsonObject = { type: "string", format: "email", maxLength: 254, pattern: patterns.email };

export function schemaNamed(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** A body: no other members are allowed. */
export function bodySchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

/** A part of a reply: members can be added later. */
export function replySchema(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: "object", properties, required };
}

export function withoutBody(description: string): OperationReply {
  return { description, content: null };
}
