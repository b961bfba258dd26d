// A blueprint with a large description. In: the number of entities. Out: its text, always the same.
const fields = 46;

/** A hundred entities have an OpenAPI document of about 10 MB. */
export function wideBlueprint(entities: number): string {
  const each = Array.from({ length: fields }, (_, i) => `      f${i}: string?`).join("\n");
  const texts = Array.from(
    { length: entities },
    (_, n) => `  e${n}:
    fields:
${each}
    permissions:
      public: { read: true }
      admin: { all: true }`,
  );
  return `project: wide\nmodules: [auth, users]\nentities:\n${texts.join("\n")}\n`;
}
