// A customer's service that receives webhooks, as a separate process. It verifies them with the `standardwebhooks`
// package, as its README describes. `PUT /fake/secrets` sets the secret of each path, `PUT /fake/status` the status of
// later answers, and `GET /fake/received` returns the received requests.
import { Webhook } from "standardwebhooks";
import { type Called, type Said, serveOutside } from "./process.ts";

const secrets = new Map<string, string>();
const received: object[] = [];
let status = 204;

function receive({ path, headers, body }: Called): Said {
  let verified = true;
  try {
    new Webhook(secrets.get(path) ?? "").verify(body, headers as Record<string, string>);
  } catch {
    verified = false;
  }
  received.push({ path, id: headers["webhook-id"], verified, status, event: JSON.parse(body) });
  return { status };
}

await serveOutside((called) => {
  switch (`${called.method} ${called.path}`) {
    case "PUT /fake/secrets":
      for (const [path, secret] of Object.entries(JSON.parse(called.body) as Record<string, string>))
        secrets.set(path, secret);
      return { status: 200 };
    case "PUT /fake/status":
      status = (JSON.parse(called.body) as { readonly status: number }).status;
      return { status: 200 };
    case "GET /fake/received":
      return { status: 200, body: received };
    default:
      return receive(called);
  }
});
