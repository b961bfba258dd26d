// Parses the text of a blueprint. In: the text. Out: its syntax with spans (or the YAML document, for `format.ts`), and
// common YAML mistakes. It never throws, and doesn't know the meaning of keys.
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
 * 256 KiB, in UTF-16 code units: a hundred entities with twenty fields and their rules need a quarter of it. Parsing,
 * checking and comparing take about a microsecond per character, and run at every key press.
 */
export const BLUEPRINT_LENGTH_MAX = 262_144;
export const NESTING_MAX = 40;
/** Removing mistakes can reveal others; each pass reads the whole text again. */
const PASSES_MAX = 5;
/** The maximum number of characters that all passes over a text can read. */
const PASSES_LENGTH_MAX = 524_288;
const ERRORS_MAX = 200;
/** Symbols, words, spaces and line ends. A text of only brackets would need a thousand times its size in memory. */
const LEXEMES_MAX = 150_000;

export interface ParsedBlueprint {
  /** Null if there is no syntax to check. */
  readonly root: Node | null;
  /** The YAML document; null if the text is not YAML. */
  readonly document: Document.Parsed | null;
}

/** Only the syntax: for checking, and for an editor at every key press. Null if there is none to check. */
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

/** If a text is displayed in another order than it is parsed, people would approve something else. */
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
  /** The text with each mistake blanked, and their positions. */
  readonly source: string;
  readonly broken: readonly Range[];
}

/** A YAML mistake breaks the text around it: each one is reported and blanked, so that the rest is still checked. */
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
    // Enough to report at once; a text full of mistakes is not read again and again.
    if (broken.length >= DIAGNOSTICS_MAX) return { documents: [], source, broken };
  }
}

/** At most one mistake per line: other errors there follow from it. */
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

/** Parsing recurses as deep as the text is nested, so the depth is checked while reading tokens. */
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
    // The stack has the document below the collections.
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

/**
 * One wrong character can make everything after it an error, so only the first error of each line, and only a few of
 * them, are reported.
 */
function onePerLine(errors: readonly YAMLParseError[], source: string): YAMLParseError[] {
  const lines = new Set<number>();
  return errors.slice(0, ERRORS_MAX).filter((error) => {
    const line = source.lastIndexOf("\n", error.pos[0] - 1);
    return !lines.has(line) && lines.add(line);
  });
}

/** The syntax of one node in a document without mistakes. */
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

  /** Anchors and tags are before a node's own range, on its line or the one above. */
  function markText(range: Range): string {
    return source.slice(markBefore(range, "!").start, range.start);
  }

  function markBefore(range: Range, mark: string): Range {
    const start = source.lastIndexOf(mark, range.start);
    return start === -1 ? range : { start, end: Math.max(start + 1, range.end) };
  }

  /** `{{ record.id }}`: in YAML, a map with a map as its key. */
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

/** A block ends with its content; YAML includes the empty lines and comments after it. */
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
