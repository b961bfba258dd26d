// All failures that a caller can get: code, HTTP status, public title. In: nothing. Out: the only table for replies and
// docs. It never contains details of one request.

export type FaultCode =
  | "bad_request"
  | "malformed_json"
  | "unknown_parameter"
  | "invalid_cursor"
  | "unauthenticated"
  | "user_required"
  | "invalid_credentials"
  | "forbidden"
  | "project_mismatch"
  | "organization_forbidden"
  | "organization_required"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "conflict"
  | "unique_violation"
  | "reference_restricted"
  | "cascade_too_large"
  | "transition_not_allowed"
  | "deployment_required"
  | "idempotency_in_flight"
  | "precondition_failed"
  | "precondition_required"
  | "payload_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "validation_failed"
  | "idempotency_key_reused"
  | "rate_limited"
  | "headers_too_large"
  | "internal"
  | "unavailable"
  | "timeout";

export const faultCatalogue: { readonly [Code in FaultCode]: { readonly status: number; readonly title: string } } = {
  bad_request: { status: 400, title: "The request cannot be understood" },
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  unknown_parameter: { status: 400, title: "A query parameter is not known" },
  invalid_cursor: { status: 400, title: "The cursor is not from this list" },
  unauthenticated: { status: 401, title: "No valid key or token was given" },
  user_required: { status: 401, title: "A signed-in user is required" },
  invalid_credentials: { status: 401, title: "The credentials are not valid" },
  forbidden: { status: 403, title: "This is not allowed" },
  project_mismatch: { status: 403, title: "The request names more than one project" },
  organization_forbidden: { status: 403, title: "You do not belong to this organization" },
  organization_required: { status: 403, title: "The request names no organization" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "The request conflicts with the current state" },
  unique_violation: { status: 409, title: "The value is already taken" },
  reference_restricted: { status: 409, title: "Other records still refer to this one" },
  cascade_too_large: { status: 409, title: "Too many other records would be deleted or changed" },
  transition_not_allowed: { status: 409, title: "The record's state does not allow this" },
  deployment_required: { status: 409, title: "The project must be deployed again first" },
  idempotency_in_flight: { status: 409, title: "A request with this Idempotency-Key is still running" },
  precondition_failed: { status: 412, title: "The record is not in the expected state" },
  precondition_required: { status: 428, title: "The request must name the version that it changes" },
  payload_too_large: { status: 413, title: "The body is too large" },
  uri_too_long: { status: 414, title: "The address is too long" },
  unsupported_media_type: { status: 415, title: "The body's media type is not supported" },
  validation_failed: { status: 422, title: "The input is not valid" },
  idempotency_key_reused: { status: 422, title: "This Idempotency-Key was used for another request" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "An error occurred on the server" },
  unavailable: { status: 503, title: "The service is not available now" },
  timeout: { status: 503, title: "The request took too long to process" },
};
