// Answers providers that ask whether the address is ours before they send. In: a verified request, or a GET with a
// token. Out: the expected answer, or null if the request asks nothing. Without a secret, the answer is the same for
// all addresses.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Reply } from "../../http/contracts.ts";
import type { Provider } from "./providers.ts";
import { type ReadRequest, textAt } from "./request-value.ts";

/** @param signer The secret that signed the request. */
export function challengeReply({ challenge }: Provider, read: ReadRequest, signer: () => string): Reply | null {
  if (challenge === undefined || textAt(read, challenge.at) !== challenge.is) return null;
  const answerText = textAt(read, challenge.answer);
  if (answerText === null) return null;
  if (challenge.form === "text") return reply("text/plain; charset=utf-8", answerText);
  const encryptedToken = createHmac("sha256", signer()).update(answerText).digest("hex");
  return reply("application/json; charset=utf-8", JSON.stringify({ plainToken: answerText, encryptedToken }));
}

const CHALLENGE_MAX = 500;

/** https://www.w3.org/TR/websub/ section 5.3, with Meta's token. */
export function subscriptionReply(query: string, secrets: readonly string[]): Reply | null {
  const sent = new URLSearchParams(query);
  const [mode, token, challenge] = ["mode", "verify_token", "challenge"].map((name) => sent.get(`hub.${name}`));
  if (mode !== "subscribe" || !token || !challenge || challenge.length > CHALLENGE_MAX) return null;
  const fits = secrets.map((secret) => timingSafeEqual(digestOf(secret), digestOf(token)));
  return fits.includes(true) ? reply("text/plain; charset=utf-8", challenge) : null;
}

const ECHOED = /^[A-Za-z0-9_.~-]{1,200}$/;

/**
 * Some providers ask before there is a secret that they could prove: Trello by HEAD, Dropbox by GET with a text to send
 * back. Every address of the right form answers them, so that the answer says nothing about projects and sources.
 * https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks,
 * https://www.dropbox.com/developers/reference/webhooks
 */
export function openReply(method: string, query: string): Reply | null {
  if (method === "HEAD") return reply("text/plain; charset=utf-8", "");
  const challenge = method === "GET" ? new URLSearchParams(query).get("challenge") : null;
  return challenge !== null && ECHOED.test(challenge) ? reply("text/plain; charset=utf-8", challenge) : null;
}

/** Hides the length of the text. */
function digestOf(text: string): Buffer {
  return createHmac("sha256", "plinth token").update(text).digest();
}

function reply(type: string, body: string): Reply {
  return {
    status: 200,
    headers: { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" },
    body,
  };
}
