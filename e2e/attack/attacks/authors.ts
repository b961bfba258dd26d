// Attacks by what authors write. In: a target. Out: how the author was answered; the neighbour is somebody else at the console.
import { largeBlueprint } from "../../bench/large-blueprint.ts";
import { type Attack, type Outcome, onlyStatuses } from "../attack.ts";
import { atRate, Tally } from "../pace.ts";
import { createSender } from "../sender.ts";
import { attackerAddress, type Target } from "../target.ts";

export const authors: readonly Attack[] = [
  {
    name: "author-large",
    about: "an author has a blueprint of 500 entities checked twice a second",
    kind: "author",
    run: (target, seconds) => validate(target, 2, seconds, largeBlueprint({ entities: 500, fields: 20 })),
    problems: onlyStatuses(200, 400, 413, 429, 503),
  },
  {
    name: "author-rules",
    about: "an author has a blueprint of 80 kB checked twice a second: ten rules, each over ten variables",
    kind: "author",
    run: (target, seconds) => validate(target, 2, seconds, intricateBlueprint()),
    problems: onlyStatuses(200, 400, 413, 429, 503),
  },
];

async function validate({ console }: Target, perSecond: number, seconds: number, text: string): Promise<Outcome> {
  const sender = createSender({ origin: console.origin, from: attackerAddress, socketsMax: 20 });
  const tally = new Tally();
  const body = JSON.stringify({ text });
  await atRate({ perSecond, seconds }, async () => {
    tally.add(await sender.send({ method: "POST", path: "/trpc/blueprints.validate", headers: console.author, body }));
  });
  sender.close();
  return { statuses: tally.statuses, facts: {} };
}

const variables = Array.from({ length: 10 }, (_, i) => `v${i}`);
const rules = 10;
const ruleChars = 3_900;

/** Each rule is a long list of cases over the same ten fields, as long as the language takes; two roles hold one each. */
export function intricateBlueprint(): string {
  const entities = Array.from({ length: rules }, (_, n) => {
    const fields = variables.map((name) => `      ${name}: int = 0`).join("\n");
    return `  thing_${n}:
    fields:
${fields}
    permissions:
      user:
        read: ${casesOf(n, ruleChars)}
      support:
        read: ${casesOf(n + rules, ruleChars)}
      admin: { all: true }`;
  });
  return `project: intricate
modules: [auth, users, roles, audit_logs]
roles:
  support: { inherits: user }
entities:
${entities.join("\n")}
`;
}

function casesOf(seed: number, chars: number): string {
  const cases: string[] = [];
  for (let n = 0, length = 0; length < chars - 90; n++) {
    const terms = variables
      .filter((_, i) => (seed * 31 + n * 17 + i * 7) % 3 > 0)
      .map((name, i) => `${name} ${(n + i) % 2 === 0 ? ">" : "<="} ${(seed + n * 3 + i) % 50}`);
    const one = `(${terms.join(" && ")})`;
    cases.push(one);
    length += one.length + 4;
  }
  return cases.join(" || ");
}
