// Checks that the content type of a body is JSON. In: a request's headers. Out: nothing, or a fault. All routes that
// take JSON use it.
import { Fault } from "@plinth/service";
import type { Incoming } from "./contracts.ts";

/** RFC 9110: a parameter's value is a token, or the same in quotes. Case doesn't matter. */
const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** @throws Fault unsupported_media_type. */
export function requireJsonType({ headers }: Pick<Incoming, "headers">): void {
  const type = headers["content-type"] ?? "";
  if (type === "application/json" || jsonType.test(type)) return;
  throw new Fault("unsupported_media_type", { detail: "Send the body as application/json in UTF-8." });
}
