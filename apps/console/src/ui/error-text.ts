// Turns the error of a request into a sentence that says what to do next. In: the thrown value. Out: text for a person.
import { TRPCClientError } from "@trpc/client";

/** The code of a tRPC error ("NOT_FOUND"), or null if the control API sent no response. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof TRPCClientError)) return null;
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("code" in data)) return null;
  return typeof data.code === "string" ? data.code : null;
}

export function errorText(error: unknown): string {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : "";
  switch (code) {
    case null:
      return "The control API can't be reached. Check that it is running (npm start shows its state), then try again.";
    case "UNAUTHORIZED":
      return "Your session has ended. Sign in again to continue.";
    case "FORBIDDEN":
      return (
        message || "Your role in this organization doesn't allow this. Ask an owner to do it or to change your role."
      );
    case "NOT_FOUND":
      return (
        message || "It doesn't exist, or you have no access to it. Check the address, or ask an owner to invite you."
      );
    case "TOO_MANY_REQUESTS":
      return message || "Too many requests in a short time. Wait a minute, then try again.";
    case "INTERNAL_SERVER_ERROR":
      return "Something failed on our side. Nothing was changed; try again in a moment.";
    default:
      return message || "The request was refused. Check what you entered, then try again.";
  }
}

/** Field > why the project's API refused its value. Empty for any other error. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof TRPCClientError)) return {};
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("fields" in data) || !Array.isArray(data.fields)) return {};
  const fields = data.fields as readonly { readonly path: string; readonly message: string }[];
  return Object.fromEntries(fields.map(({ path, message }) => [path.split("/")[1] ?? "", message]));
}
