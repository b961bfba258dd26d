// Calls of other services: a worker with `http`, the step `http.request`, and the hosts that receive data through them.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const head = `project: demo
modules: [auth, users, roles, workers, audit_logs]
entities:
  shipment:
    fields:
      status: enum[draft, purchased, delivered]
      tracking_number: string?
`;

function codesOf(sections: string): string[] {
  return checkBlueprint(`${head}${sections}\n`).diagnostics.map((one) => one.code);
}

const anyApi = {
  requestsPerSecond: 1_000,
  burst: 2_000,
  bodyBytesMax: 4_194_304,
  pageMax: 200,
  statementMsMax: 10_000,
};
const workflow = (step: string): string => `workflows:\n  flow:\n    on: shipment.created\n    steps:\n      ${step}`;

test("a worker with `http` is one signed call", () => {
  const url = '{ url: "https://example.com/jobs", method: PUT, headers: { a: b }, body: { id: "${{ record.id }}" } }';
  expect(codesOf(`workers:\n  call: { on: shipment.created, http: ${url} }`)).toEqual([]);
  const { model } = checkBlueprint(`${head}workers:\n  call: { on: shipment.created, http: ${url} }\n`);
  expect(model?.background.workers[0]).toMatchObject({
    steps: [{ id: "call", action: { kind: "http.request", method: "PUT", signed: true, repeat: "idempotent" } }],
    egress: [{ to: "http", entity: "shipment", host: "example.com" }],
  });
});

test("a step that passes a record to a worker sends it to the worker's host", () => {
  const { model } = checkBlueprint(`${head}workers:
  send: { timeout: 90s, http: { url: "https://a.example/jobs" } }
  relay: { steps: [{ action: send }] }
workflows:
  tell: { on: shipment.created, steps: [{ relay: { with: { code: "\${{ record.tracking_number }}" } } }] }
`);
  const { workers, workflows } = model?.background ?? { workers: [], workflows: [] };
  expect(workers.map(({ name, egress }) => [name, egress])).toEqual([
    ["relay", [{ to: "http", entity: null, host: "a.example" }]],
    ["send", [{ to: "http", entity: null, host: "a.example" }]],
  ]);
  expect(workflows[0]?.egress).toEqual([{ to: "http", entity: "shipment", host: "a.example" }]);
  expect(workers[1]).toMatchObject({ timeoutMs: null, steps: [{ timeoutMs: 90_000 }] });
});

test.each([
  ["https://a.example/jobs/${{ record.id }}", "a.example"],
  ["https://a.example:8443?id=${{ record.id }}", "a.example:8443"],
  ["http://localhost:3000/jobs", "localhost:3000"],
  ["http://[::1]:3000", "[::1]:3000"],
])("a call of %s names its host", (url, host) => {
  const { model } = checkBlueprint(`${head}${workflow(`- http.request: { with: { url: '${url}', method: GET } }`)}\n`);
  expect(model?.background.workflows[0]?.egress).toEqual([{ to: "http", entity: "shipment", host }]);
});

test.each([
  "https://${{ record.id }}.a.example/jobs",
  "https://a.example${{ record.id }}",
  "https://a.example:${{ 80 }}/jobs",
  "https://name:word@a.example/jobs",
  "http://a.example/jobs",
  "http://localhost.a.example/jobs",
  "https://a.example\\\\@b.example",
  "https://[::1/jobs",
  "//a.example",
])("refuses to call %s", (url) => {
  expect(codesOf(workflow(`- http.request: { with: { url: "${url}" } }`))).toEqual(["invalid_option"]);
});

test.each([
  ["{ x-source: shop, authorization: 'Bearer ${{ record.id }}' }", []],
  ["{ authorization: Bearer 1234 }", ["literal_credential"]],
  ["{ X-API-Key: abcd }", ["literal_credential"]],
  ["{ host: b.example }", ["invalid_option"]],
  ["{ Content-Length: '3' }", ["invalid_option"]],
  ["{ 'x y': '3' }", ["invalid_option"]],
  ["{ webhook-id: '3' }", []],
])("headers of a call: %s", (headers, codes) => {
  const step = `- http.request: { with: { url: 'https://a.example', headers: ${headers} } }`;
  expect(codesOf(workflow(step))).toEqual(codes);
});

test.each([
  ["workers:\n  call: { on: shipment.created, timeout: 91s, http: { url: 'https://a.example' } }", 9],
  [workflow("- http.request: { with: { url: 'https://a.example' }, timeout: 2m }"), 12],
])("a call that may take longer than the operator allows is refused at its position", (sections, line) => {
  const checked = (callMsMax: number) =>
    checkBlueprint(`${head}${sections}\n`, { api: anyApi, callMsMax }).diagnostics.map(({ code, hint, span }) => ({
      code,
      hint: hint?.split(".")[0],
      line: span.start.line,
    }));
  expect(checked(120_000)).toEqual([]);
  expect(checked(90_000)).toEqual([{ code: "invalid_limit", hint: "The operator allows at most `90s`", line }]);
  expect(codesOf(sections)).toEqual([]);
});

test("a limit for calls doesn't affect steps and workers without calls", () => {
  const sections = `workers:\n  note: { on: shipment.created, timeout: 1h, steps: [{ action: audit.write, timeout: 1h }] }\n`;
  expect(checkBlueprint(head + sections, { api: anyApi, callMsMax: 1_000 }).diagnostics).toEqual([]);
});
