// Instructions to set up webhooks at a provider. In: a source. Out: where to paste the address, where to find the secret, and a command
// that sends a test request, if a shell can sign like the provider. The command never contains a secret.
import type { InboundSource } from "@plinth/control/router";

interface Guide {
  readonly label: string;
  /** The place to paste the address. */
  readonly place: string;
  /** The name of the secret at the provider. */
  readonly secret: string;
}

const guides: Readonly<Record<string, Guide>> = {
  easypost: {
    label: "EasyPost",
    place: "Account Settings > Webhooks, or POST /v2/webhooks",
    secret: "the webhook_secret that you choose at EasyPost",
  },
  github: {
    label: "GitHub",
    place: "the repository's or organization's Settings > Webhooks, with the content type application/json",
    secret: "the Secret that you choose at GitHub",
  },
  meta: {
    label: "Meta",
    place: "your app's Webhooks > Callback URL (add the secrets first: Meta sends a request to it at once)",
    secret: "the App Secret; add the Verify Token that you choose there as a second secret",
  },
  paypal: {
    label: "PayPal",
    place: "Developer Dashboard > Apps & Credentials > your app > Webhooks",
    secret: "the Webhook ID that PayPal shows there",
  },
  resend: {
    label: "Resend",
    place: "Webhooks > Add webhook",
    secret: "the endpoint's Signing secret, which begins with whsec_",
  },
  sendgrid: {
    label: "SendGrid",
    place: "Settings > Mail Settings > Event Webhooks",
    secret: "the Verification Key, when Signed Event Webhook is on",
  },
  shopify: {
    label: "Shopify",
    place: "Settings > Notifications > Webhooks, or your app's configuration",
    secret: "the signing key under the list of webhooks; for an app its client secret",
  },
  slack: {
    label: "Slack",
    place: "your app's Event Subscriptions > Request URL (add the secret first: Slack sends a request to it at once)",
    secret: "the Signing Secret under Basic Information",
  },
  standard: {
    label: "Standard Webhooks",
    place: "the webhook settings of the service",
    secret: "the signing secret, which usually begins with whsec_",
  },
  stripe: {
    label: "Stripe",
    place: "Developers > Webhooks > Add endpoint",
    secret: "the endpoint's Signing secret, which begins with whsec_",
  },
  twilio: {
    label: "Twilio",
    place: "the phone number's or messaging service's webhook field",
    secret: "the account's Auth Token",
  },
  twitch: {
    label: "Twitch",
    place: "the callback of an EventSub subscription",
    secret: "the secret with which you create the subscription",
  },
  zoom: {
    label: "Zoom",
    place: "your app's Event Subscriptions > Event notification endpoint URL (add the secret first)",
    secret: "the Secret Token of the app's features page",
  },
};

export function guideOf({ verify }: Pick<InboundSource, "verify">): Guide {
  return (
    guides[verify] ?? {
      label: "Own scheme",
      place: "the webhook settings of the service",
      secret: "the key with which the service signs, or the token that it sends",
    }
  );
}

/** Null if a shell can't sign like the provider, or if the provider has a better tool. */
export function testCommand({ verify, url, events }: Pick<InboundSource, "verify" | "url" | "events">): string | null {
  const [type = "ping"] = Object.keys(events);
  if (verify === "github") {
    return command('{"zen":"Keep it logically awesome."}', '"$BODY"', "", url, [
      `x-github-event: ${type}`,
      "x-hub-signature-256: sha256=$SIGNATURE",
    ]);
  }
  if (verify === "stripe") {
    const body = JSON.stringify({ id: "evt_test_$TIME", type, data: { object: {} } });
    return command(body, '"$TIME.$BODY"', "TIME=$(date +%s)\n", url, ["stripe-signature: t=$TIME,v1=$SIGNATURE"]);
  }
  if (verify === "slack") {
    const body = JSON.stringify({ event_id: "Ev_test_$TIME", event: { type } });
    return command(body, '"v0:$TIME:$BODY"', "TIME=$(date +%s)\n", url, [
      "x-slack-request-timestamp: $TIME",
      "x-slack-signature: v0=$SIGNATURE",
    ]);
  }
  return null;
}

/** Body and headers are in double quotes, so that the shell inserts variables. */
function command(body: string, signed: string, before: string, url: string, headers: readonly string[]): string {
  return `${before}BODY="${body.replaceAll('"', '\\"')}"
SIGNATURE=$(printf %s ${signed} | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl -i ${url} -H 'content-type: application/json' --data "$BODY" \\
${headers.map((header) => `  -H "${header}"`).join(" \\\n")}`;
}

/** Whether only this machine can reach the address. */
export function isLocal(url: string): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/.test(url);
}
