// Attacks that request the description of a large project. In: a target. Out: the answers. The author, the users, and
// everybody with the publishable key can do this.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { atRate, inParallel, Tally } from "../../pace.ts";
import { createSender } from "../../sender.ts";
import { type Attack, onlyStatuses } from "../attack.ts";
import { attackerAddress, bearer } from "../target.ts";

const paths = ["/v1/openapi.json", "/v1/sdk.d.ts"] as const;

export const selfDescriptions: readonly Attack[] = [
  {
    name: "descriptions",
    about: "4 simultaneous readers of a project's large OpenAPI document and of its types",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 4 });
      const tally = new Tally();
      let sent = 0;
      await inParallel(4, seconds, async () => {
        const path = paths[sent++ % 2] as string;
        tally.add(await send({ method: "GET", path, headers: bearer(target.wide) }));
      });
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(200, 429, 503),
  },
  {
    name: "packed-descriptions",
    about: "50 requests a second for the same documents, compressed",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 50 });
      const tally = new Tally();
      const headers = { ...bearer(target.wide), "accept-encoding": "gzip" };
      await atRate({ perSecond: 50, seconds }, async (index) =>
        tally.add(await send({ method: "GET", path: paths[index % 2] as string, headers })),
      );
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(200, 429, 503),
  },
  {
    name: "vanished-readers",
    about: "20 requests a second for the document, from callers who disconnect after 20 ms",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { hostname, port } = new URL(target.origin);
      const tally = new Tally();
      await atRate({ perSecond: 20, seconds }, async () => {
        const socket = connect({ host: hostname, port: Number(port), localAddress: attackerAddress });
        socket.on("error", () => {});
        socket.write(`GET ${paths[0]} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${target.wide}\r\n\r\n`);
        await pause(20);
        socket.destroy();
        tally.add(0);
      });
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(0),
  },
];
