// A refusal of one of several items in a request. In: the fault, and the place of the item in the body. Out: the same
// fault, whose errors contain this place.
import { Fault } from "@plinth/service";

/** @param at A JSON pointer: `/3`, `/operations/3/body`. An error without a field is about the whole item. */
export function itemFault(at: string, fault: Fault): Fault {
  const { code, detail, message, headers, cause } = fault;
  const own = fault.errors.length > 0 ? fault.errors : [{ path: "", code, message: detail ?? message }];
  const errors = own.map((error) => ({
    ...error,
    path: `${at}${error.path === "" || error.path.startsWith("/") ? "" : "/"}${error.path}`,
  }));
  return new Fault(code, { ...(detail !== null && { detail }), errors, headers, cause: cause ?? fault });
}
