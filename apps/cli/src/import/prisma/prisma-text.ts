// Finds and prepares the texts of a Prisma schema. In: a file, or a folder with a schema in several files. Out: their texts.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../../failure.ts";
import { readText } from "../../read-blueprint.ts";

export interface PrismaText {
  readonly file: string;
  readonly text: string;
}

/** @throws CommandFailure where nothing can be read, or a folder holds no `.prisma` file. */
export async function readPrismaTexts(path: string): Promise<readonly PrismaText[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ file: path, text: await readText(path) }];
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".prisma")).sort();
  if (names.length === 0) throw new CommandFailure(`${path} holds no .prisma file.`, 2);
  const files = names.map((name) => join(path, name));
  return await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
}

/** A text or a line comment, which may hold the signs of a block comment, or a block comment itself. */
const comments = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Turns block comments into line comments, because the parser knows no others. Each line stays where it is, so that the
 * place of an error is still right. A block comment amid a line becomes a blank, because the line may go on behind it.
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
