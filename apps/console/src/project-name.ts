// The name of a project in the text of a blueprint. In: the text. Out: the name in it, or the text with another name. It only looks at the
// line `project: name`, and doesn't check the blueprint.

const projectLine = /^project:[ \t]*(["']?)([^\s"'#]*)\1/m;

/** Lower-case words joined by hyphens, as the control API requires. */
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

/** The text with `name` as the project's name. If no line has a name, one is added at the top. */
export function withProjectName(text: string, name: string): string {
  return projectLine.test(text) ? text.replace(projectLine, () => `project: ${name}`) : `project: ${name}\n${text}`;
}
