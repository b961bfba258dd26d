// Faults for a list whose parameters are wrong. In: the parameter and the problem. Out: faults.
import { Fault } from "@plinth/service";

const SHOWN_MAX = 64;
/** A position within `where` consists of several names. */
const PATH_MAX = 200;

/** 400. @param parameter Empty if the fault is about all of them. */
export function bad(parameter: string, code: string, message: string): Fault {
  const path = parameter.slice(0, PATH_MAX);
  return new Fault("bad_request", {
    detail: path === "" ? message : `${path}: ${message}`,
    errors: [{ path, code, message }],
  });
}

/** 400: the name is unknown. */
export function unknown(parameter: string, detail: string, message: string): Fault {
  const path = parameter.slice(0, PATH_MAX);
  return new Fault("unknown_parameter", { detail, errors: [{ path, code: "unknown_parameter", message }] });
}

/** 403: the reply would reveal values that the caller can't read. */
export function unreadable(parameter: string, field: string, verb: string): Fault {
  const message = `Your role does not allow you to ${verb} ${field.slice(0, SHOWN_MAX)}.`;
  const errors = [{ path: parameter.slice(0, PATH_MAX), code: "not_readable", message }];
  return new Fault("forbidden", { detail: message, errors });
}
