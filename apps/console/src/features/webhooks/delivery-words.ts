// Why an attempt or a delivery failed, in words that say what to look at. In: the reason that the cell keeps. Out: a sentence.

const reasons: Readonly<Record<string, string>> = {
  refused: "The address is not on the public internet, or its port is not allowed: nothing was sent.",
  unreachable: "The receiver could not be reached.",
  no_answer: "The receiver did not answer in time.",
  too_large: "The receiver's answer was too large.",
  revoked: "The endpoint may no longer be sent this event.",
  endpoint_disabled: "The endpoint was disabled before it could be sent. Enable it, then send it again.",
  unsent: "There was no free place to send it; it is tried again.",
};

/** @param error As `http_500`, or a word. */
export function reasonText(error: string): string {
  const status = /^http_(\d{3})$/.exec(error)?.[1];
  return status === undefined ? (reasons[error] ?? error) : statusText(Number(status));
}

function statusText(status: number): string {
  if (status === 410) return "The receiver answered 410: it wants nothing more.";
  if (status === 401 || status === 403) return `The receiver refused it (${status}): does it have the right secret?`;
  if (status === 404) return "The receiver has nothing at this address (404).";
  if (status === 429) return "The receiver asks for fewer requests (429).";
  if (status >= 500) return `The receiver failed (${status}).`;
  if (status >= 300 && status < 400) return `The receiver answered with a redirect (${status}), which is not followed.`;
  return `The receiver did not accept it (${status}).`;
}

const disabled: Readonly<Record<string, { readonly short: string; readonly next: string }>> = {
  gone: {
    short: "the receiver asked for nothing more",
    next: "The receiver answered 410. Ask whoever runs it whether the address has moved, then enable the endpoint or delete it.",
  },
  failing: {
    short: "it failed for days",
    next: "No delivery has arrived for days. Mend the receiver, enable the endpoint, send a test, then replay the failures.",
  },
  by_admin: { short: "by a person", next: "Somebody disabled it. Nothing is sent until it is enabled." },
};

export function disabledText(reason: string | null): { readonly short: string; readonly next: string } {
  return (
    disabled[reason ?? ""] ?? { short: reason ?? "no reason is kept", next: "Nothing is sent until it is enabled." }
  );
}
