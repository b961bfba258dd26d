// Reads the text after `?`. In: a query string. Out: its parameters, decoded. It never ignores a part that it can't
// read.
import { Fault } from "@plinth/service";
import { bad } from "./refusals.ts";

const PARAMETERS_MAX = 50;

/**
 * Name > value, decoded. The whole text is read: its length is limited by the request line, and ignoring a filter would
 * show unwanted records. @throws Fault `bad_request` if it is malformed, names something twice, or names too much.
 */
export function parseQueryString(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const parts = text.split("&").filter((part) => part !== "");
  if (parts.length > PARAMETERS_MAX) throw bad("", "too_many", `At most ${PARAMETERS_MAX} parameters can be given.`);
  for (const part of parts) {
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (parameters.has(name)) throw bad(name, "repeated", "The parameter is given more than once.");
    parameters.set(name, equals === -1 ? "" : decode(part.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new Fault("bad_request", { detail: "The query string is not valid percent-encoded UTF-8." });
  }
  if (decoded.includes("\0")) throw new Fault("bad_request", { detail: "The query string contains a NUL character." });
  return decoded;
}
