// Blueprints that are expensive to read, as a hostile author would write them. In: nothing. Out: texts. For tests only.

const VARIABLES = 10;
const RULES = 10;

/** Two texts of about 6 kB. Each has ten rules with ten variables that take long to compare. */
export function slowToCompare(project = "slow"): readonly [string, string] {
  return [withRules(project, 3), withRules(project, 5)];
}

function withRules(project: string, bound: number): string {
  const names = Array.from({ length: VARIABLES }, (_, index) => `f${index}`);
  const rule = names.map(
    (name, index) => `(${name} > ${index} || ${name} < ${-bound} || ${name} != ${names[(index + 1) % VARIABLES]})`,
  );
  const entities = Array.from({ length: RULES }, (_, index) => {
    const fields = names.map((name) => `      ${name}: int?\n`).join("");
    return `  thing${index}:\n    fields:\n${fields}    permissions:\n      user:\n        read: ${rule.join(" && ")}\n`;
  });
  return `project: ${project}\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}`;
}

/** A text of about 250 kB without mistakes, close to the largest size that the language accepts. */
export function longText(project = "long"): string {
  const entities = Array.from({ length: 78 }, (_, index) => {
    const fields = Array.from(
      { length: 60 },
      (_each, field) => `      field_number_${field}: { type: string?, max: ${100 + field} }\n`,
    );
    return `  thing${index}:\n    fields:\n${fields.join("")}    permissions:\n      user:\n        read: field_number_1 == "a"\n`;
  });
  return `project: ${project}\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}`;
}
