// The name of a project in a blueprint's text. In: text. Out: the name that stands in it, or the text with another.
// It works on the one line `project: name`; whether the text is a good blueprint is judged elsewhere.

const projectLine = /^project:[ \t]*(["']?)([^\s"'#]*)\1/m;

/** Lower-case words joined by hyphens, as the control API wants them. */
export function isProjectName(name: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 48;
}

export function projectNameIn(text: string): string | null {
  return projectLine.exec(text)?.[2] || null;
}

/** The name for a project whose file was chosen. A name that the person has typed stays; one from the previous file doesn't. */
export function nameForFile(text: string, name: string, previous: string | null): string {
  const isTyped = name !== "" && (previous === null || name !== projectNameIn(previous));
  return isTyped ? name : (projectNameIn(text) ?? name);
}

/** The same text, called `name`; where no line names the project, one is put on top. */
export function withProjectName(text: string, name: string): string {
  return projectLine.test(text) ? text.replace(projectLine, () => `project: ${name}`) : `project: ${name}\n${text}`;
}
