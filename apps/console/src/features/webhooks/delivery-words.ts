// The reason why an attempt or a delivery failed, as text. In: the reason that the cell stores. Out: a sentence that says what to check.

const reasons: Readonly<Record<string, string>> = {
  refused: "The address is not on the public internet, or its port is not allowed: nothing was sent.",
  unreachable: "The receiver could not be reached.",
  no_answer: "The receiver did not respond in time.",
  too_large: "The receiver's response was too large.",
  revoked: "The endpoint no longer has the right to receive this event.",
  endpoint_disabled: "The endpoint was disabled before the delivery was sent. Enable it, then replay the delivery.",
  unsent: "Too many deliveries were being sent at that time; it is retried.",
};

/** @param error `http_500`, or another reason such as `unreachable`. */
export function reasonText(error: string): string {
  const status = /^http_(\d{3})$/.exec(error)?.[1];
  return status === undefined ? (reasons[error] ?? error) : statusText(Number(status));
}

function statusText(status: number): string {
  if (status === 410) return "The receiver responded with 410: it wants no more deliveries.";
  if (status === 401 || status === 403) return `The receiver refused it (${status}). Does it have the right secret?`;
  if (status === 404) return "The receiver has nothing at this address (404).";
  if (status === 429) return "The receiver asks for fewer requests (429).";
  if (status >= 500) return `The receiver failed (${status}).`;
  if (status >= 300 && status < 400)
    return `The receiver responded with a redirect (${status}). Redirects are not followed.`;
  return `The receiver did not accept it (${status}).`;
}

const disabled: Readonly<Record<string, { readonly short: string; readonly next: string }>> = {
  gone: {
    short: "the receiver wants no more deliveries",
    next: "The receiver responded with 410. Ask its operator whether the address has moved, then enable or delete the endpoint.",
  },
  failing: {
    short: "it has failed for days",
    next: "No delivery has arrived for days. Fix the receiver, enable the endpoint, send a test, then replay the failed deliveries.",
  },
  by_admin: {
    short: "by hand",
    next: "It was disabled here or with the API. Nothing is sent until it is enabled.",
  },
};

export function disabledText(reason: string | null): { readonly short: string; readonly next: string } {
  return disabled[reason ?? ""] ?? { short: reason ?? "unknown reason", next: "Nothing is sent until it is enabled." };
}
