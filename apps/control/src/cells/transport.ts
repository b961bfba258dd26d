// How a call reaches a cell. In: a cell, method, path and body. Out: the answer, or why there is none.
// It never retries: the caller knows what may be asked twice.
import { createHash, randomUUID } from "node:crypto";
import type { ControlSigner } from "@plinth/bundle";
import {
  ASSERTION_ALGORITHM,
  ASSERTION_HEADER,
  ASSERTION_SECONDS_MAX,
  type AssertionClaims,
} from "@plinth/bundle/cell";
import { SignJWT } from "jose";
import type { z } from "zod";
import { CellUnavailable, refusal } from "./failures.ts";

/** Which project on which cell. */
export interface Placement {
  readonly id: string;
  readonly slug: string;
  readonly cellId: string;
  readonly cellUrl: string;
}

export interface Call {
  readonly method: string;
  /** Path and query string. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** On whose behalf, for what a cell does only where control has signed that. */
  readonly as?: OnBehalf | undefined;
  /** When to give up, in the place of the timeout. */
  readonly signal?: AbortSignal;
}

export interface OnBehalf {
  readonly subject: string;
  readonly role: AssertionClaims["role"];
}

export interface TransportOptions {
  readonly signer: ControlSigner;
  readonly secret: string;
  readonly timeoutMs: number;
}

export interface Transport {
  /** @throws CellRefused, CellUnavailable */
  send(project: Placement, call: Call): Promise<Response>;
  /** The answer's JSON; null where it is empty. @throws CellRefused, CellUnavailable */
  ask(project: Placement, call: Call): Promise<unknown>;
}

export function createTransport({ signer, secret, timeoutMs }: TransportOptions): Transport {
  /** Short-lived, and good for this one call: a cell accepts it with no other method, target or body, and not twice. */
  const assertion = (project: Placement, { subject, role }: OnBehalf, target: string, call: Call): Promise<string> => {
    const body = createHash("sha256")
      .update(call.body ?? "")
      .digest("hex");
    const claims: AssertionClaims = { role, prj: project.id, htm: call.method, target, body };
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ASSERTION_ALGORITHM, kid: signer.keyId })
      .setAudience(project.cellId)
      .setJti(randomUUID())
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(`${ASSERTION_SECONDS_MAX / 2}s`)
      .sign(signer.privateKey);
  };

  const send: Transport["send"] = async (project, call) => {
    const { method, body, as } = call;
    const target = targetOf(call.path);
    const response = await reached(
      fetch(project.cellUrl + target, {
        method,
        headers: {
          authorization: `Bearer ${secret}`,
          ...call.headers,
          ...(as === undefined ? {} : { [ASSERTION_HEADER]: await assertion(project, as, target, call) }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        redirect: "error",
        signal: call.signal ?? AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (response.ok) return response;
    const text = await reached(response.text());
    if (response.status >= 500 || response.status === 429) throw new CellUnavailable(new Error(`${response.status}`));
    throw refusal(response.status, text);
  };

  return {
    send,
    ask: async (project, call) => {
      const response = await send(project, call);
      const text = await reached(response.text());
      return text === "" ? null : parseJson(text);
    },
  };
}

/** A cell that speaks another version of the protocol is as good as absent. */
export function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer);
  if (!result.success) throw new CellUnavailable(result.error);
  return result.data;
}

/** @throws CellUnavailable where there is no answer. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new CellUnavailable(error);
  }
}

/** Written as a client writes it on the wire. */
function targetOf(path: string): string {
  const { pathname, search } = new URL(`http://cell${path}`);
  return pathname + search;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CellUnavailable(error);
  }
}
