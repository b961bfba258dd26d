// Finds and prepares the texts of a Prisma schema. In: a file, or a folder with a schema in several files. Out: their texts.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../../failure.ts";
import { readText } from "../../read-blueprint.ts";

export interface PrismaText {
  readonly file: string;
  readonly text: string;
}

/** @throws CommandFailure if nothing can be read, or a folder has no `.prisma` file. */
export async function readPrismaTexts(path: string): Promise<readonly PrismaText[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ file: path, text: await readText(path) }];
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".prisma")).sort();
  if (names.length === 0) throw new CommandFailure(`${path} has no .prisma file.`, 2);
  const files = names.map((name) => join(path, name));
  return await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
}

/** A text, a line comment, or a block comment. The first two can contain the characters of a block comment. */
const comments = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Turns block comments into line comments, because the parser doesn't know others. The lines keep their numbers, so that the
 * positions of errors are right. A block comment inside a line becomes spaces, because the line may continue after it.
 */
export function withoutBlockComments(text: string): string {
  return text.replace(comments, (found, at: number) => {
    if (!found.startsWith("/*")) return found;
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const behind = text.slice(at + found.length, `${text}\n`.indexOf("\n", at + found.length));
    if (text.slice(start, at).trim() !== "" || behind.trim() !== "") return found.replace(/[^\n]+/g, " ");
    return found
      .split("\n")
      .map((line) =>
        `// ${line
          .replace(/^\s*(?:\/\*+|\*(?!\/))?/, "")
          .replace(/\*+\/\s*$/, "")
          .trim()}`.trimEnd(),
      )
      .join("\n");
  });
}
