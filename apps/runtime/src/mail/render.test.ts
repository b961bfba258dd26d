// What mails say: a value is text wherever it is written, in a subject, in HTML, in an address; and what a template leaves to it runs
// nothing.
import { checkBlueprint } from "@plinth/blueprint";
import type { BundleEmail } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineOf, renderEmail, sanitizeMail } from "./render.ts";

const templateOf = (subject: string, body: string): BundleEmail => {
  const { model, diagnostics } = checkBlueprint(
    JSON.stringify({
      project: "desk",
      modules: ["auth", "users", "workers"],
      emails: { one: { variables: { a: "string" }, subject, body } },
    }),
  );
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return compileModel(model).background.emails![0]!;
};
const rendered = (body: string, a: string) => renderEmail(templateOf("Hi ${{ a }}", body), { a }, null);

describe("a value in HTML", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</p></body><form action=https://evil.example>",
    "&lt;script&gt;",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "# heading",
    "**bold** _it_ `code`",
    "\ue0000\ue001",
    "<!-- ${{ a }} -->",
  ])("%s is shown as it is", (value) => {
    const { html, text, subject } = rendered("Dear ${{ a }}.", value);
    expect(subject).toBe(`Hi ${value}`);
    expect(text).toBe(`Dear ${value}.\n`);
    expect(html?.match(/<[^>]*>/g)).toEqual(["<p>", "</p>"]);
    const shown = html!
      .replace(/<\/?p>/g, "")
      .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"', amp: "&" })[name] ?? "");
    expect(shown).toBe(`Dear ${value}.\n`);
  });

  it("whatever it is, makes no element, no attribute and no other line of the subject", () => {
    const template = templateOf(
      "Hi ${{ a }}",
      "# ${{ a }}\n\n- [x](https://example.com/${{ a }}) **${{ a }}**\n\n> `${{ a }}`",
    );
    const tags = (html: string | null) => html?.replace(/href="[^"<>]*"/g, "href").match(/<[^>]*>/g);
    const usual = tags(renderEmail(template, { a: "x" }, null).html);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (a) => {
        const { html, subject } = renderEmail(template, { a }, null);
        expect(tags(html)).toEqual(usual);
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a value as an address", () => {
  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example",
  ])("%s leads nowhere", (value) => {
    expect(rendered("[x](${{ a }})", value).html).toBe("<p><a>x</a></p>\n");
  });
  it("may be of the web, of mail or of a telephone", () => {
    for (const value of ["https://example.com/?a=1&b=2", "mailto:ana@example.com", "tel:+491"])
      expect(rendered("[x](${{ a }})", value).html).toBe(`<p><a href="${value.replace("&", "&amp;")}">x</a></p>\n`);
  });
  it("within one stays within its part", () => {
    const { html } = rendered("[x](https://example.com/${{ a }}/end)", '../?q="><b>&x#y');
    expect(html).toBe('<p><a href="https://example.com/..%2F%3Fq%3D%22%3E%3Cb%3E%26x%23y/end">x</a></p>\n');
  });
});

describe("a subject", () => {
  it.each([
    ["a\r\nBcc: evil@example.com", "a Bcc: evil@example.com"],
    ["a\nb\rc\u0085d\u2028e\u2029f\0g\x0bh", "a b c d e f g h"],
    ["  a\t\tb  ", "a b"],
    ["x".repeat(5_000), "x".repeat(998)],
    [`${"x".repeat(997)}😀`, `${"x".repeat(997)}\ufffd`],
  ])("is one line: %j", (given, line) => expect(lineOf(given)).toBe(line));
});

describe("HTML that stands in a blueprint", () => {
  it.each([
    ["<p onclick='x()'>a</p>", "<p>a</p>"],
    ["<script>x()</script>a", "a"],
    ["<style>p{}</style>a", "a"],
    ["<iframe src='https://evil.example'></iframe>a", "a"],
    ["<form action='/x'><input name=a></form>a", "a"],
    ["<base href='https://evil.example'>a", "a"],
    ["<meta http-equiv=refresh content='0;url=https://evil.example'>a", "a"],
    ["<img src='http://evil.example/x.png' alt='a'>", '<img alt="a" />'],
    ["<img src='data:image/png;base64,AAAA'>", "<img />"],
    ["<p style='background-image:url(https://evil.example)'>a</p>", "<p>a</p>"],
    ["<p style='color:red;position:fixed'>a</p>", '<p style="color:red">a</p>'],
    ["<svg><a href='javascript:x()'>a</a></svg>", "<a>a</a>"],
    ["<a href='&#106;avascript:x()'>a</a>", "<a>a</a>"],
    ["<p>a", "<p>a</p>"],
  ])("%s becomes %s", (html, safe) => expect(sanitizeMail(html)).toBe(safe));

  it("however large or deep, is read to its end", () => {
    expect(sanitizeMail("<p>a</p>".repeat(50_000))).toHaveLength(400_000);
    expect(sanitizeMail("<div>".repeat(20_000)).match(/<div>/g)).toHaveLength(20_000);
    expect(sanitizeMail("<".repeat(200_000)).length).toBeGreaterThan(0);
  });
});
