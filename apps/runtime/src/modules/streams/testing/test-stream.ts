// For tests: a client of server-sent events that keeps everything it received.
export interface TestEvent {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  readonly data: any;
}

export interface TestStream {
  readonly status: number;
  /** Without `ready` and `beat`. */
  readonly events: TestEvent[];
  /** From the last event or `beat`. */
  readonly lastId: () => string | null;
  readonly isEnded: () => boolean;
  /** Resolves once this many events have arrived. @throws after `msMax`, with the received events. */
  until(count: number, msMax?: number): Promise<readonly TestEvent[]>;
  /** Resolves at the first such event. */
  untilEvent(name: string, msMax?: number): Promise<TestEvent>;
  leave(): void;
}

export interface StreamBeginning {
  readonly lastId?: string | null;
  /** Named in the request. */
  readonly organization?: string;
}

/** Resolves once the stream has started, or was refused. */
export async function openStream(
  url: string,
  token: string,
  { lastId = null, organization }: StreamBeginning = {},
): Promise<TestStream> {
  const cut = new AbortController();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId === null ? {} : { "last-event-id": lastId }),
    ...(organization === undefined ? {} : { "plinth-organization": organization }),
  };
  const reply = await fetch(url, { headers, signal: cut.signal });
  const events: TestEvent[] = [];
  let last = lastId;
  let ended = false;
  let begun = false;
  const take = (block: string): void => {
    // Like libraries that ignore an id without data.
    if (!/^data: /m.test(block)) return;
    const fields = new Map(block.split("\n").map((line) => [line.split(": ")[0] ?? "", line.replace(/^\w+: /, "")]));
    last = fields.get("id") ?? last;
    const event = fields.get("event");
    if (event === undefined) return;
    begun = true;
    if (event === "ready" || event === "beat") return;
    events.push({ id: fields.get("id") ?? null, event, data: JSON.parse(fields.get("data") ?? "null") });
  };
  const read = async (): Promise<void> => {
    let text = "";
    for await (const part of (reply.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  };
  const soon = async (what: string, msMax: number, isThere: () => boolean): Promise<void> => {
    const deadline = performance.now() + msMax;
    while (!isThere()) {
      if (performance.now() > deadline) throw new Error(`no ${what}: ${JSON.stringify(events)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  if (reply.status === 200) {
    void read()
      .catch(() => {})
      .finally(() => {
        ended = true;
      });
    await soon("beginning", 5_000, () => begun || ended);
  } else {
    await reply.body?.cancel();
  }
  return {
    status: reply.status,
    events,
    lastId: () => last,
    isEnded: () => ended,
    async until(count, msMax = 3_000) {
      await soon(`${count} events`, msMax, () => events.length >= count);
      return events;
    },
    async untilEvent(name, msMax = 3_000) {
      await soon(name, msMax, () => events.some(({ event }) => event === name));
      return events.find(({ event }) => event === name) as TestEvent;
    },
    leave: () => cut.abort(),
  };
}
