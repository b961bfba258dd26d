// An admin's requests as a listener. In: the results of the deliveries of the last pull. Out: the due deliveries. A
// pull writes no line in the audit log; creating and changing an endpoint does.
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { PulledOutcome } from "../../webhooks/listeners.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { idOf, refuseViewer, type WebhookRoutesOptions } from "./endpoints.ts";

const outcome = z
  .strictObject({
    id: z.uuid(),
    attempt: z.int().min(1).max(1_000_000),
    status: z.int().min(100).max(599).optional(),
    body: z.string().max(10_000).optional(),
    error: z.enum(["unreachable", "no_answer"]).optional(),
  })
  .refine(({ status, error }) => (status === undefined) !== (error === undefined), {
    message: "It must have either a status or an error.",
  });
const pullBody = z.strictObject({ outcomes: z.array(outcome).max(100).optional() });

export async function pullDeliveries({ listeners }: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { outcomes = [] } = readBody(context.incoming, pullBody);
  refuseViewer(context);
  const deliveries = await listeners.pull(context.projectId, idOf(context), outcomes.map(outcomeOf));
  if (deliveries === null) throw new Fault("not_found");
  return jsonReply(200, { deliveries });
}

const messages = {
  unreachable: "The listener could not connect.",
  no_answer: "The listener got no answer.",
} as const;

function outcomeOf({ status, body = "", error = "no_answer", ...which }: z.infer<typeof outcome>): PulledOutcome {
  if (status !== undefined) return { ...which, result: { kind: "answered", status, body } };
  return { ...which, result: { kind: "failed", code: error, message: messages[error] } };
}
