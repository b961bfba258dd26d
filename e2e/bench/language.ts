// Measures the language on a large project (`node e2e/bench/language.ts`). In: nothing. Out: medians in milliseconds
// after a warm-up: the work of an editor at each key (check, complete) and of a review (compile, diff, plan).
import { checkBlueprint, completeAt, diffModels, formatBlueprint } from "@plinth/blueprint";
import { compileModel, planMigration } from "@plinth/compiler";
import { largeBlueprint } from "./large-blueprint.ts";

export interface LanguageFigure {
  readonly name: string;
  readonly medianMs: number;
  readonly maxMs: number;
}

const rounds = 25;
const warmUpRounds = 10;

export function measureLanguage(): readonly LanguageFigure[] {
  const text = largeBlueprint({ entities: 100, fields: 15 });
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics.slice(0, 5), null, 2));
  const before = checkBlueprint(text.replaceAll("quantity", "amount_held")).model;
  const bundle = compileModel(model);
  const tables = before === null ? [] : compileModel(before).tables;
  const inTheMiddle = text.indexOf("    permissions:", text.length / 2);
  const plan = {
    before: tables,
    after: bundle.tables,
    renames: { tables: {}, columns: {} },
    setAside: [],
    tag: "bench",
  };
  return [
    figure("check (validate)", () => checkBlueprint(text)),
    figure("complete", () => completeAt(text, inTheMiddle)),
    figure("compile", () => compileModel(model)),
    figure("check and compile", () => compileModel(checkBlueprint(text).model ?? model)),
    figure("diff", () => diffModels(before, model)),
    figure("plan", () => planMigration(plan)),
    figure("format", () => formatBlueprint(text)),
  ];
}

function figure(name: string, work: () => unknown): LanguageFigure {
  for (let i = 0; i < warmUpRounds; i++) work();
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  return { name, medianMs: times[Math.floor(rounds / 2)] ?? 0, maxMs: times[rounds - 1] ?? 0 };
}

export function languageTable(figures: readonly LanguageFigure[]): string {
  const rows = figures.map(({ name, medianMs, maxMs }) => `| ${name} | ${medianMs.toFixed(1)} | ${maxMs.toFixed(1)} |`);
  return [
    "A blueprint of 100 entities with 15 fields each, on one core, after a warm-up:",
    "",
    "| work | ms (median) | ms (longest) |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

if (import.meta.main) console.log(languageTable(measureLanguage()));
