// Pairs of blueprints that are expensive to compare, one for each way in which a small text causes much work. In:
// nothing. Out: texts, the same on each call. Only for tests.

export interface CostlyPair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Generated twice, before and after the change; `draw` gives the same numbers both times. */
type Make = (after: boolean, draw: (below: number) => number) => string;

const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const named = (count: number, prefix: string): string[] => times(count).map((i) => `${prefix}${i}`);
const operations = ["read", "create", "update", "delete"] as const;

interface Grant {
  readonly role: string;
  readonly operation: string;
  readonly rule: string;
}

function entityOf(number: number, fields: readonly string[], grants: readonly Grant[], more = ""): string {
  const permissions = [...Map.groupBy(grants, (one) => one.role)].map(
    ([role, own]) =>
      `      ${role}:\n${own.map(({ operation, rule }) => `        ${operation}: ${JSON.stringify(rule)}\n`).join("")}`,
  );
  const declared = fields.map((one) => `      ${one}\n`).join("");
  return `  thing_${number}x:\n    fields:\n${declared}${more}    permissions:\n${permissions.join("")}`;
}

function blueprintOf(entities: readonly string[], sections = ""): string {
  return `project: busy-desk\nmodules: [auth, users, roles]\n${sections}entities:\n${entities.join("")}`;
}

function rolesOf(names: readonly string[], inherits: (index: number) => readonly string[] = () => []): string {
  return `roles:\n${names.map((name, index) => `  ${name}: { inherits: [${inherits(index).join(", ")}] }\n`).join("")}`;
}

/** Rules with many clauses over one entity's fields. The change removes the last clause. */
function wide(
  fields: number,
  type: string,
  clauses: number,
  clause: (draw: (below: number) => number) => string,
): Make {
  return (after, draw) =>
    blueprintOf(
      times(10).map((number) => {
        const all = times(clauses).map(() => `(${clause(draw)})`);
        const rule = (after ? all.slice(1) : all).join(" && ");
        const declared = named(fields, "f").map((name) => `${name}: ${type}`);
        return entityOf(number, declared, [{ role: "public", operation: "read", rule }]);
      }),
    );
}

function pairwise(fields: number, operators: readonly string[]): (draw: (below: number) => number) => string {
  return (draw) =>
    times(3)
      .map(() => {
        const first = draw(fields);
        return `f${first} ${operators[draw(operators.length)]} f${(first + 1 + draw(fields - 1)) % fields}`;
      })
      .join(" || ");
}

const makers: Readonly<Record<string, Make>> = {
  "ten rules of ten numbers": wide(10, "int?", 20, pairwise(10, ["<", "<=", "==", "!="])),
  "ten rules of ten references": wide(10, "user_ref?", 20, pairwise(10, ["==", "!="])),
  "ten rules of twenty texts": wide(20, "string?", 20, pairwise(20, ["<", "=="])),
  "ten rules of forty booleans": wide(40, "bool?", 40, (draw) =>
    times(3)
      .map(() => `${draw(2) === 0 ? "!" : ""}f${draw(40)}`)
      .join(" || "),
  ),
  arithmetic: wide(30, "int?", 25, (draw) => `f${draw(30)} + f${draw(30)} > f${draw(30)} || f${draw(30)} > 3`),
  "members of lists": wide(10, "enum_set[a, b, c, d, e]?", 25, (draw) =>
    times(3)
      .map(() => `'${"abcde"[draw(5)]}' in f${draw(10)}`)
      .join(" || "),
  ),
  "enums of 200 values": wide(
    12,
    `enum[${named(200, "v").join(", ")}]?`,
    25,
    (draw) => `f${draw(12)} != f${draw(12)} || f${draw(12)} == v${draw(200)}`,
  ),
  "long lists of numbers": wide(
    10,
    "int?",
    9,
    (draw) =>
      `f${draw(9)} < f9 && f0 in [${times(20)
        .map(() => draw(1_000_000))
        .join(", ")}]`,
  ),
  "sixty roles of four operations": (after, draw) => {
    const roles = named(60, "r");
    const clause = pairwise(8, ["<", "==", "!="]);
    const grants = roles.flatMap((role) =>
      operations.map((operation): Grant => {
        const all = times(16).map(() => `(${clause(draw)})`);
        return { role, operation, rule: (after ? all.slice(1) : all).join(" && ") };
      }),
    );
    return blueprintOf(
      [
        entityOf(
          0,
          named(8, "f").map((name) => `${name}: int?`),
          grants,
        ),
      ],
      rolesOf(roles),
    );
  },
  "roles that inherit all before them": (after) => {
    const roles = named(150, "r");
    const grants = roles.map((role, i): Grant => ({ role, operation: "read", rule: `a == ${i}` }));
    return blueprintOf(
      times(15).map((number) => entityOf(number, ["a: int?"], grants)),
      rolesOf(roles, (index) => roles.slice(0, after ? index : Math.max(0, index - 1))),
    );
  },
  "a chain of roles": (after) => {
    const roles = named(150, "r");
    const grants = roles.map((role, i): Grant => ({ role, operation: "update", rule: `a == ${i}` }));
    return blueprintOf(
      times(15).map((number) => entityOf(number, ["a: int?"], grants)),
      rolesOf(roles, (index) => (after && index > 0 ? [roles[index - 1] ?? ""] : [])),
    );
  },
  "named rules, written out": (after) =>
    blueprintOf(
      times(8).map((number) =>
        entityOf(
          number,
          ["a: int?", "b: int?"],
          operations.map((operation) => ({ role: "public", operation, rule: "w6" })),
        ),
      ),
      `rules:\n  w0: "a == 1 || b == 2 || a == b"\n${times(6)
        .map((i) => `  w${i + 1}: "w${i} && (b != ${i + (after ? 1 : 0)} || w${i})"\n`)
        .join("")}`,
    ),
  "lists of fields": (after, draw) => {
    const [fields, roles] = [named(250, "f"), named(60, "r")];
    const permissions = roles.map((role, i) => {
      const shown = fields.filter(() => draw(2) === 0);
      return `      ${role}:\n        read: { allow: "f0 == ${i + (after ? 1 : 0)}", fields: [${shown.join(", ")}] }\n`;
    });
    const entity = `  thing:\n    fields:\n${fields.map((one) => `      ${one}: int?\n`).join("")}    permissions:\n`;
    return blueprintOf([entity, ...permissions], rolesOf(roles));
  },
  "`all` over a hundred transitions": (after) => {
    const [states, roles] = [named(60, "s"), named(30, "r")];
    const edges = times(100).map(
      (i) => `        e${i}: { from: s${i % 60}, to: s${(i * 7 + 1) % 60}, when: "a == ${i + (after ? 1 : 0)}" }\n`,
    );
    const machine = `    transitions:\n      st:\n        initial: s0\n${edges.join("")}`;
    const grants = roles.map((role, i): Grant => ({ role, operation: "all", rule: `a == ${i}` }));
    return blueprintOf(
      [entityOf(0, [`st: enum[${states.join(", ")}] = s0`, "a: int?"], grants, machine)],
      rolesOf(roles),
    );
  },
  "five hundred entities": (after) =>
    blueprintOf(
      times(500).map((number) =>
        entityOf(
          number,
          named(10, "f").map((name) => `${name}: int?`),
          [{ role: "public", operation: "read", rule: `f0 == ${number + (after ? 1 : 0)}` }],
        ),
      ),
    ),
  "checks of ten numbers": (after, draw) => {
    const clause = pairwise(10, ["<", "=="]);
    return blueprintOf(
      times(15).map((number) => {
        const checks = times(10).map((i) => {
          const all = times(15).map(() => `(${clause(draw)})`);
          return `      c${i}: ${JSON.stringify((after ? all.slice(1) : all).join(" && "))}\n`;
        });
        const fields = named(10, "f").map((name) => `      ${name}: int?\n`);
        return `  thing_${number}x:\n    fields:\n${fields.join("")}    checks:\n${checks.join("")}`;
      }),
    );
  },
  "a default that two thousand rules read": (after) => {
    const roles = named(100, "r");
    const grants = roles.flatMap((role, i) =>
      operations.map((operation): Grant => ({ role, operation, rule: `f${i % 10} == a || f0 == b` })),
    );
    const fields = named(10, "f").map((name) => `${name}: enum[a, b, c] readonly = ${after ? "a" : "c"}`);
    return blueprintOf(
      times(5).map((number) => entityOf(number, fields, grants)),
      rolesOf(roles),
    );
  },
  "six hundred workflows with guards": (after, draw) => {
    const clause = pairwise(10, ["<", "=="]);
    const flows = times(600).map((number) => {
      const all = times(3).map(() => `(${clause(draw).replaceAll(/\bf(\d)/g, "record.f$1")})`);
      const when = JSON.stringify((after ? all.slice(1) : all).join(" && "));
      const step = `record.delete: { with: { entity: thing_${number % 5}x, id: "\${{ record.id }}" } }`;
      return `  w${number}: { on: thing_0x.created, when: ${when}, steps: [{ ${step} }] }\n`;
    });
    return withWork(10, `workflows:\n${flows.join("")}`);
  },
  "workers that send events of three hundred fields": (after) => {
    const url = (number: number): string => `https://receiver.example/${number}`;
    const workers = times(400).map(
      (number) => `  w${number}: { on: thing_0x.updated, http: { url: "${url(number)}" } }\n`,
    );
    return withWork(after ? 300 : 1, `workers:\n${workers.join("")}`);
  },
  "a chain of work": (after) => {
    const flows = times(400).map((number) => {
      const next = number === 0 && after ? "true" : "record.f0 > 1";
      return `  w${number}: { on: thing_${number}x.created, steps: [{ record.create: { if: "${next}", with: { entity: thing_${number + 1}x, f0: 1 } } }] }\n`;
    });
    return withWork(1, `workflows:\n${flows.join("")}`, 401);
  },
};

/** Entities with the same number of fields, and work on them. */
function withWork(fields: number, work: string, entities = 5): string {
  const declared = named(fields, "f").map((name) => `${name}: int?`);
  const grants: readonly Grant[] = [{ role: "user", operation: "create", rule: "f0 == 1" }];
  const all = times(entities).map((number) => entityOf(number, declared, grants));
  return `${blueprintOf(all).replace("roles]", "roles, workers]")}${work}`;
}

export function costlyPairs(): readonly CostlyPair[] {
  return Object.entries(makers).map(([name, make]) => ({
    name,
    before: make(false, createDraw()),
    after: make(true, createDraw()),
  }));
}

function createDraw(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}
