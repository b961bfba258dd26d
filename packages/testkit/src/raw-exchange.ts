// A connection on which a test writes what no HTTP client would send. In: bytes. Out: the answer, and when the peer
// closed it.
import { connect } from "node:net";

export interface Exchanged {
  readonly received: string;
  /** False where the connection was still open at the end of the wait. */
  readonly closed: boolean;
}

/** Sends the text, then waits until the peer closes the connection, at most for this time. */
export function exchangeRaw(url: string, text: string, waitMsMax = 3_000): Promise<Exchanged> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = "";
    const end = (closed: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve({ received, closed });
    };
    const late = setTimeout(() => end(false), waitMsMax);
    socket
      .on("data", (chunk) => {
        received += chunk.toString("latin1");
      })
      .on("error", () => {})
      .once("close", () => end(true))
      .write(text);
  });
}
