// A blueprint whose rules are hard to compare. In: the number of cases in a rule, and an edition. Out: its text, always
// the same.
const entities = 10;
/** Long names, so that a few rules are a long text. */
const variables = Array.from({ length: 10 }, (_, i) => `a_field_with_a_rather_long_name_${i}`);

/**
 * Ten entities with two rules each. Every rule is a list of cases over the same ten fields, as large as the language
 * allows. An edition changes the order of the cases. This changes no meaning, but it is expensive to prove.
 */
export function intricateBlueprint(casesPerRule: number, edition: number): string {
  const texts = Array.from({ length: entities }, (_, n) => {
    const fields = variables.map((name) => `      ${name}: int = 0`).join("\n");
    return `  thing_${n}:
    fields:
${fields}
    permissions:
      user:
        read: ${casesOf(casesPerRule, n, edition)}
      support:
        read: ${casesOf(casesPerRule, n + entities, edition)}
      admin: { all: true }`;
  });
  return `project: intricate
modules: [auth, users, roles, audit_logs]
roles:
  support: { inherits: user }
entities:
${texts.join("\n")}
`;
}

function casesOf(casesPerRule: number, seed: number, edition: number): string {
  const cases = Array.from({ length: casesPerRule }, (_, n) => {
    const terms = variables
      .filter((_, i) => (seed * 31 + n * 17 + i * 7) % 3 > 0)
      .map((name, i) => `${name} ${(n + i) % 2 === 0 ? ">" : "<="} ${(seed + n * 3 + i) % 50}`);
    return `(${terms.join(" && ")})`;
  });
  const first = edition % cases.length;
  return [...cases.slice(first), ...cases.slice(0, first)].join(" || ");
}
