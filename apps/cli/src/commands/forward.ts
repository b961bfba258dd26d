// Forwards a delivery to an address on this machine. In: the signed delivery. Out: the response, or the reason why there is none.
import type { PulledDelivery } from "@plinth/control/router";
import { CommandFailure, messageOf } from "../failure.ts";

export interface Forwarded {
  /** Null without a response. */
  readonly status: number | null;
  /** The beginning of the response. */
  readonly body: string;
  /** Ignored if there is a response. */
  readonly error: "unreachable" | "no_answer";
  readonly ms: number;
}

/** As long as a cell waits for an endpoint. */
const CALL_MS_MAX = 15_000;
const ANSWER_BYTES_MAX = 4_096;

export async function forward(url: string, { headers, body }: PulledDelivery): Promise<Forwarded> {
  const startedMs = performance.now();
  const msSince = (): number => Math.round(performance.now() - startedMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    return { status: response.status, body: await beginningOf(response), error: "no_answer", ms: msSince() };
  } catch (error) {
    const { code, message } =
      (error as { readonly cause?: { readonly code?: string; readonly message?: string } }).cause ?? {};
    // `fetch` itself refuses the ports of other protocols.
    const isUnreachable = /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH)$/.test(code ?? "") || message === "bad port";
    return { status: null, body: messageOf(error), error: isUnreachable ? "unreachable" : "no_answer", ms: msSince() };
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop cancels the rest of the response.
    if (size >= ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8").slice(0, ANSWER_BYTES_MAX).toWellFormed().replaceAll("\0", "");
}

/**
 * @param text A URL, `localhost:3000/hooks`, or only a port.
 * @throws CommandFailure (usage).
 */
export function forwardTarget(text: string): string {
  const written = /^\d+$/.test(text) ? `http://localhost:${text}` : text;
  const url = URL.parse(/^[a-z]+:\/\//i.test(written) ? written : `http://${written}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.hash !== "") {
    throw new CommandFailure(`--forward-to must be an address such as http://localhost:3000/hooks, not ${text}`, 2);
  }
  return url.href;
}
