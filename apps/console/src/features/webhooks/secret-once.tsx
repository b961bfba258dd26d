// What a receiver verifies with. In: an endpoint that was just made, or has another secret. Out: the secret or the public key, to copy.
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { CopyButton } from "../../ui/copy-button.tsx";

export function SecretOnce({ endpoint }: { endpoint: NewWebhookEndpoint }) {
  const text = endpoint.secret ?? endpoint.publicKey ?? "";
  const what = endpoint.secret === null ? "public key" : "secret";
  return (
    <div className="flex items-start gap-2">
      <code
        data-testid="webhook-secret"
        className="min-w-0 flex-1 rounded-md border bg-sunken px-3 py-[0.3125rem] font-mono text-[0.8125rem] break-all"
      >
        {text}
      </code>
      <CopyButton text={text} label={`Copy ${what}`} withText />
    </div>
  );
}
