// The secret or public key with which a receiver verifies deliveries. In: an endpoint that was created or got a new secret. Out: the value
// to copy.
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { CopyField } from "../../ui/copy-field.tsx";

export function EndpointSecret({ endpoint }: { endpoint: NewWebhookEndpoint }) {
  const text = endpoint.secret ?? endpoint.publicKey ?? "";
  const kind = endpoint.secret === null ? "public key" : "secret";
  return <CopyField value={text} label={`Copy ${kind}`} testId="webhook-secret" />;
}
