// In: the text of a blueprint. Out: its syntax with spans, or with the YAML document (for `format.ts`), and what YAML makes
// of it that its author can't have meant. Never throws, whatever the text; never asks what a key means.
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import { readPlainYaml } from "./read-plain-yaml.ts";
import { createReport, DIAGNOSTICS_MAX, type Report } from "./report.ts";
import type { MapEntry, Node, Range, ScalarNode } from "./syntax.ts";
import { explainYamlError } from "./yaml-errors.ts";
import { blank, splitCalls, type Trap, trapBehind } from "./yaml-traps.ts";

/**
 * 256 KiB, in UTF-16 code units: a hundred entities of twenty fields with their rules take a quarter of it. Reading, checking
 * and comparing take about a microsecond a character, and they are done with every key that an author presses.
 */
export const BLUEPRINT_LENGTH_MAX = 262_144;
export const NESTING_MAX = 40;
/** Blanking traps can lay open others; each pass reads the whole text again. */
const PASSES_MAX = 5;
/** Characters that all passes over a text may read. */
const PASSES_LENGTH_MAX = 524_288;
const ERRORS_MAX = 200;
/** Marks, words, blanks and line ends. A text made of brackets alone would need a thousand times its size in memory. */
const LEXEMES_MAX = 150_000;

export interface ParsedBlueprint {
  /** Null where there is no syntax worth checking. */
  readonly root: Node | null;
  /** The YAML document; null where the text is not YAML. */
  readonly document: Document.Parsed | null;
}

/** The syntax alone: what checking needs, and what an editor asks for at each key. Null where there is none worth checking. */
export function parseSyntax(text: string, report: Report): Node | null {
  const plain = text.length > BLUEPRINT_LENGTH_MAX ? null : readPlainYaml(text);
  if (plain === null) return parseYaml(text, report).root;
  refuseDirections(text, report);
  return plain;
}

export function parseYaml(text: string, report: Report): ParsedBlueprint {
  const nothing: ParsedBlueprint = { root: null, document: null };
  if (text.length > BLUEPRINT_LENGTH_MAX) {
    report.add(
      "blueprint_too_large",
      { start: 0, end: 0 },
      `The blueprint has ${text.length} characters. The maximum is ${BLUEPRINT_LENGTH_MAX}.`,
    );
    return nothing;
  }
  const mark = text.indexOf("\ufeff", 1);
  if (mark !== -1) {
    report.add(
      "yaml_syntax",
      { start: mark, end: mark + 1 },
      "This is not YAML: there is a byte order mark, which is invisible, inside the text.",
      "Delete the invisible character.",
    );
    return nothing;
  }
  refuseDirections(text, report);
  const { documents, source, broken } = composeAroundTraps(text, report);
  const [document] = documents;
  if (document === undefined) return nothing;
  refuseDirectives(document, source, report);
  const second = documents[1];
  if (second !== undefined) {
    const at = second.range[0];
    report.add(
      "yaml_many_documents",
      { start: at, end: at + 1 },
      "A blueprint is one YAML document, but a second one starts here.",
      "Remove the line `---`.",
    );
    return nothing;
  }
  if (document.errors.length > 0) {
    for (const error of onePerLine(document.errors, source)) {
      const { range, message, hint, last } = explainYamlError(error, source);
      report.add("yaml_syntax", range, message, hint);
      if (last) break;
    }
    return nothing;
  }
  const converter = createConverter(source, broken, report);
  return {
    root: document.contents === null ? null : converter(document.contents),
    document: broken.length > 0 ? null : document,
  };
}

/** A text that is shown in another order than it is read would be approved as something else. */
function refuseDirections(text: string, report: Report): void {
  for (const { index } of [...text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)].slice(0, ERRORS_MAX)) {
    report.add(
      "yaml_direction",
      { start: index, end: index + 1 },
      "There is an invisible character here, which changes the direction of the text.",
      "Delete the invisible character.",
    );
  }
}

interface Composed {
  readonly documents: readonly Document.Parsed[];
  /** The text with each trap blanked, and where they were. */
  readonly source: string;
  readonly broken: readonly Range[];
}

/** A trap breaks the YAML around it: each is reported and blanked, so that the rest is still checked. */
function composeAroundTraps(text: string, report: Report): Composed {
  const broken: Range[] = [];
  let source = text;
  for (let pass = 1; ; pass++) {
    const documents = compose(source, report);
    const errors = documents[0]?.errors ?? [];
    const again = pass < PASSES_MAX && (pass + 1) * source.length <= PASSES_LENGTH_MAX;
    const traps = again ? trapsBehind(errors, source, broken) : [];
    if (traps.length === 0) return { documents, source, broken };
    for (const { code, range, message, hint } of traps) {
      report.add(code, range, message, hint);
      source = blank(source, range);
      broken.push(range);
    }
    // Enough to be told at once; a text made of traps is not read again and again.
    if (broken.length >= DIAGNOSTICS_MAX) return { documents: [], source, broken };
  }
}

/** At most one trap a line: what else fails there follows from it. */
function trapsBehind(errors: readonly YAMLParseError[], source: string, known: readonly Range[]): Trap[] {
  const traps: Trap[] = [];
  for (const error of onePerLine(errors, source)) {
    const trap = trapBehind(error, source);
    const isNew =
      trap !== null && ![...known, ...traps.map((one) => one.range)].some((one) => one.start === trap.range.start);
    if (isNew) traps.push(trap);
  }
  return traps;
}

/** Composing recurses as deep as the text nests, so the depth is watched while the tokens come. */
function compose(source: string, report: Report): Document.Parsed[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (++lexemes > LEXEMES_MAX) {
      const range = { start: parser.offset, end: parser.offset };
      report.add("blueprint_too_large", range, `The blueprint has more than ${LEXEMES_MAX} words and symbols.`);
      return [];
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The stack holds the document beneath the collections.
    if (parser.stack.length > NESTING_MAX + 1) {
      const range = { start: parser.offset - lexeme.length, end: parser.offset };
      report.add("blueprint_too_deep", range, `The blueprint is nested more than ${NESTING_MAX} levels deep.`);
      return [];
    }
  }
  tokens.push(...parser.end());
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  return [...composer.compose(tokens, true, source.length)] as Document.Parsed[];
}

function refuseDirectives(document: Document.Parsed, source: string, report: Report): void {
  const directive = /^%.*$/m.exec(source.slice(0, document.contents?.range[0] ?? source.length));
  if (directive === null) return;
  const range = { start: directive.index, end: directive.index + directive[0].length };
  report.add(
    "yaml_directive",
    range,
    "A YAML directive would change how the rest is read.",
    "Remove the line; a blueprint is YAML 1.2.",
  );
}

/** One bad character can make every later one an error: the first of each line, and of these not many, are worth telling. */
function onePerLine(errors: readonly YAMLParseError[], source: string): YAMLParseError[] {
  const lines = new Set<number>();
  return errors.slice(0, ERRORS_MAX).filter((error) => {
    const line = source.lastIndexOf("\n", error.pos[0] - 1);
    return !lines.has(line) && lines.add(line);
  });
}

/** The syntax of one node of a document that was parsed without traps. */
export function nodeSyntax(node: ParsedNode, source: string): Node {
  return createConverter(source, [], createReport(source))(node);
}

function createConverter(source: string, broken: readonly Range[], report: Report): (node: ParsedNode) => Node {
  const isBroken = (range: Range): boolean => broken.some((one) => one.start < range.end && range.start < one.end);

  function convert(node: ParsedNode): Node {
    const range = { start: node.range[0], end: node.range[1] };
    if (isAlias(node)) {
      report.add("yaml_alias", range, "In YAML, `*` at the start of a value is an alias.", "Put the value in quotes.");
      return brokenScalar(range);
    }
    const marked = refuseMarks(node, range);
    if (isMap(node)) {
      if (isTemplate(node as YAMLMap.Parsed)) {
        const text = source
          .slice(range.start, range.end)
          .replace(/^\{\s*\{\s*|\s*\}\s*\}$/g, "")
          .slice(0, 60);
        const hint = `Write a computed value in quotes: \`"\${{ ${text} }}"\`.`;
        report.add("yaml_key", range, "YAML reads these braces as a map.", hint);
        return brokenScalar(range);
      }
      const entries = entriesOf(node as YAMLMap.Parsed);
      const last = entries.at(-1);
      return { kind: "map", entries, range: node.flow === true ? range : upTo(last?.value.range, range) };
    }
    if (isSeq(node)) {
      const items = (node.items as ParsedNode[]).map((item) => convert(item));
      return { kind: "list", items, range: node.flow === true ? range : upTo(items.at(-1)?.range, range) };
    }
    return scalarOf(node as Scalar.Parsed, range, marked);
  }

  function refuseMarks(node: ParsedNode, range: Range): boolean {
    if ("anchor" in node && node.anchor !== undefined) {
      report.add(
        "yaml_anchor",
        markBefore(range, "&"),
        "In YAML, `&` at the start of a value is an anchor.",
        "Put the value in quotes.",
      );
      return true;
    }
    if (node.tag !== undefined && /^[ \t]*!/.test(markText(range))) {
      report.add(
        "yaml_tag",
        markBefore(range, "!"),
        "In YAML, `!` at the start of a value is a tag, and the text after it is lost.",
        "Put the value in quotes.",
      );
      return true;
    }
    return false;
  }

  /** Anchors and tags stand before a node's own range, on its line or the one above. */
  function markText(range: Range): string {
    return source.slice(markBefore(range, "!").start, range.start);
  }

  function markBefore(range: Range, mark: string): Range {
    const start = source.lastIndexOf(mark, range.start);
    return start === -1 ? range : { start, end: Math.max(start + 1, range.end) };
  }

  /** `{{ record.id }}`: for YAML, a map with a map as its key. */
  function isTemplate({ items, range: [start] }: YAMLMap.Parsed): boolean {
    const [only, second] = items;
    return only !== undefined && second === undefined && isMap(only.key) && source.startsWith("{{", start);
  }

  function entriesOf(map: YAMLMap.Parsed): MapEntry[] {
    const entries: MapEntry[] = [];
    const split = splitCalls(map, source);
    const seen = new Map<string, Range>();
    for (const pair of map.items) {
      const keyRange = { start: pair.key.range[0], end: pair.key.range[1] };
      const call = split.get(pair);
      if (call === "rest") continue;
      if (call !== undefined) {
        const message = `Inside \`{ }\`, the commas of \`${source.slice(call.start, call.end)}\` split it into several entries.`;
        report.add("yaml_flow_split", call, message, "Put the value in quotes, or write the map on several lines.");
      }
      if (!isScalar(pair.key)) {
        report.add("yaml_key", keyRange, "A key must be a plain word.");
        continue;
      }
      const key = scalarOf(pair.key as Scalar.Parsed, keyRange, refuseMarks(pair.key, keyRange));
      if (seen.has(key.text)) {
        report.add(
          "yaml_duplicate_key",
          keyRange,
          `\`${key.text}\` is used twice in this map, but only one of them can count.`,
          "Remove or rename one of them.",
        );
      }
      seen.set(key.text, keyRange);
      const value =
        call !== undefined
          ? brokenScalar(call)
          : pair.value === null
            ? absent(keyRange)
            : convert(pair.value as ParsedNode);
      entries.push({ key, value });
    }
    return entries;
  }

  function scalarOf(node: Scalar.Parsed, range: Range, marked: boolean): ScalarNode {
    const style =
      node.type === "PLAIN"
        ? "plain"
        : node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED"
          ? "block"
          : "quoted";
    const value = scalarValue(node.value);
    const text = style === "plain" && typeof value !== "string" ? source.slice(range.start, range.end) : String(value);
    return { kind: "scalar", value, text, style, broken: marked || isBroken(range), range };
  }

  return convert;
}

/** A block ends with what stands in it; for YAML, empty lines and comments behind it belong to it. */
function upTo(last: Range | undefined, { start, end }: Range): Range {
  return { start, end: last?.end ?? end };
}

function scalarValue(value: unknown): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return value;
  return typeof value === "bigint" ? Number(value) : String(value);
}

function absent(key: Range): ScalarNode {
  return { kind: "scalar", value: null, text: "", style: "plain", broken: false, range: key };
}

function brokenScalar(range: Range): ScalarNode {
  return { kind: "scalar", value: null, text: "", style: "plain", broken: true, range };
}
