// Reads the query string of a write: whether it is a dry run, and which fields of the record the reply shows. In: the
// query string. Out: both, and the mark of a dry run's reply.
import { Fault } from "@plinth/service";
import { isExpandOption, selectionParameters } from "../../query/reading/parse-selection.ts";
import type { Incoming, Reply } from "../contracts.ts";

export interface WriteQuery {
  /** The request is judged, and nothing is stored. */
  readonly isTried: boolean;
  /** `fields` and `expand` as a separate query string; empty if the whole record is shown. */
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
    detail: "dry_run must be true or false.",
    errors: [{ path: "dry_run", code: "invalid", message: "It must be true or false, and given once." }],
  });
}

function unknown(name: string, answers: boolean): Fault {
  const message = answers ? "This route takes dry_run, fields and expand." : "This route only takes dry_run.";
  return new Fault("unknown_parameter", {
    detail: message,
    errors: [{ path: name, code: "unknown_parameter", message }],
  });
}

/** A dry run creates nothing, so its reply has no location. */
export function asDryRun(reply: Reply): Reply {
  const { location: _, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, "plinth-dry-run": "true" } };
}
