// What the query string of a write says: whether it is only tried, and what of the record the reply is to show. In: the query string.
// Out: both, and the mark of a reply to what was tried.
import { Fault } from "@plinth/service";
import { isExpandOption, selectionParameters } from "../../query/reading/parse-selection.ts";
import type { Incoming, Reply } from "../contracts.ts";

export interface WriteQuery {
  /** All is judged, nothing is kept. */
  readonly isTried: boolean;
  /** `fields` and `expand`, as a query string of their own; empty where all of the record is shown. */
  readonly shown: string;
}

const nothing: WriteQuery = { isTried: false, shown: "" };

/** @param answers Whether the reply shows a record. @throws Fault `unknown_parameter`, `bad_request`. */
export function writeQueryOf({ query }: Pick<Incoming, "query">, answers: boolean): WriteQuery {
  if (query === "") return nothing;
  const shown: string[] = [];
  const tried: string[] = [];
  for (const part of query.split("&").filter((each) => each !== "")) {
    const [[name, value] = ["", ""]] = [...new URLSearchParams(part)];
    if (name === "dry_run") tried.push(value);
    else if (answers && (isExpandOption(name) || selectionParameters.some((each) => each === name))) shown.push(part);
    else throw unknown(name.slice(0, 64), answers);
  }
  const [value = "false", more] = tried;
  if (more === undefined && (value === "true" || value === "false"))
    return { isTried: value === "true", shown: shown.join("&") };
  throw new Fault("bad_request", {
    detail: "dry_run is true or false.",
    errors: [{ path: "dry_run", code: "invalid", message: "It must be true or false, once." }],
  });
}

function unknown(name: string, answers: boolean): Fault {
  const message = answers ? "This route takes dry_run, fields and expand." : "This route takes dry_run alone.";
  return new Fault("unknown_parameter", {
    detail: message,
    errors: [{ path: name, code: "unknown_parameter", message }],
  });
}

/** Nothing stands at the location of what was not created. */
export function asDryRun(reply: Reply): Reply {
  const { location: _, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, "plinth-dry-run": "true" } };
}
