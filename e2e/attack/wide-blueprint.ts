// A blueprint with much to tell of itself. In: how many entities it has. Out: its text, the same each time.
const fields = 46;

/** A hundred entities make an OpenAPI document of about 10 MB. */
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
