// Turns any failure into one that the caller may see. In: the thrown error. Out: a fault whose text is public.
// Everything else is logged under the request's id.
import { asFault } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { Incoming } from "./contracts.ts";
import type { RefusalLog } from "./transport/refusal-log.ts";

export interface FaultLog {
  readonly logger: Logger;
  readonly refusals: RefusalLog;
}

export function publicFault(
  error: unknown,
  { logger, refusals }: FaultLog,
  { id, method }: Pick<Incoming, "id" | "method">,
): Fault {
  const fault = asFault(error);
  if (fault instanceof Fault && fault.code !== "internal") {
    const { status, code } = fault;
    if (status >= 500 && refusals.note({ status, code, source: "causes" })) {
      logger.warn({ request_id: id, cause: causes(fault) }, fault.message);
    }
    return fault;
  }
  logger.error({ request_id: id, method, cause: causes(error) }, "request failed");
  return new Fault("internal", { cause: error });
}

/** Not the error itself: Postgres's details and parameters contain tenants' values. */
function causes(error: unknown): readonly object[] {
  const chain: object[] = [];
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) {
    const { name, message, stack } = each;
    chain.push({ name, message, code: (each as { code?: unknown }).code, stack });
  }
  return chain;
}
