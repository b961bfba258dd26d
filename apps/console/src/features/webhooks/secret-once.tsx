// What a receiver verifies with. In: an endpoint that was just made, or has another secret. Out: the secret or the public key, to copy.
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { CopyField } from "../../ui/copy-field.tsx";

export function SecretOnce({ endpoint }: { endpoint: NewWebhookEndpoint }) {
  const text = endpoint.secret ?? endpoint.publicKey ?? "";
  const what = endpoint.secret === null ? "public key" : "secret";
  return <CopyField value={text} label={`Copy ${what}`} testId="webhook-secret" />;
}
