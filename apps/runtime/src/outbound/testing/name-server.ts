// For tests: a name server on its own port. In: its answers, in turn. Out: its address, and the questions that it
// received. It speaks DNS over UDP, so that tests use the product's own resolver.
import { createSocket } from "node:dgram";
import { decode, encode, type StringAnswer } from "dns-packet";

/** `silent`: no answer. Otherwise addresses, optionally after aliases (CNAME). */
export type NameAnswer = "silent" | readonly string[];

export interface NameServer {
  readonly server: string;
  /** Questions for IPv4 addresses, by name. */
  asked(name: string): number;
  close(): void;
}

/** @param answerOf Addresses of a name; null if it has none. The count begins at 1. */
export async function startNameServer(answerOf: (name: string, at: number) => NameAnswer | null): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    if (question.type === "A") asked.set(name, (asked.get(name) ?? 0) + 1);
    const answer = answerOf(name, Math.max(1, asked.get(name) ?? 1));
    if (answer === "silent") return;
    const answers = answer === null ? [] : recordsOf(name, question.type, answer);
    const NAME_UNKNOWN = 3;
    const flags = answer === null ? NAME_UNKNOWN : 0;
    socket.send(encode({ type: "response", id: id ?? 0, flags, questions: [question], answers }), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: (name) => asked.get(name) ?? 0,
    close: () => void socket.close(),
  };
}

function recordsOf(name: string, type: string, answer: readonly string[]): StringAnswer[] {
  let owner = name;
  return answer.flatMap((data): StringAnswer[] => {
    const kind = data.includes(":") ? "AAAA" : /^[\d.]+$/.test(data) ? "A" : "CNAME";
    if (kind !== "CNAME" && kind !== type) return [];
    const record: StringAnswer = { type: kind, name: owner, ttl: 0, data };
    if (kind === "CNAME") owner = data;
    return [record];
  });
}
