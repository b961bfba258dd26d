// A live blueprint that the present language refuses. In: the problems of the live text. Out: a notice, or nothing without errors. The
// problems themselves are listed below the editor.
import type { Diagnostic } from "@plinth/blueprint";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";

export function OutdatedNotice({ problems }: { problems: readonly Diagnostic[] }) {
  const [first] = problems.filter(({ severity }) => severity === "error");
  if (first === undefined) return null;
  return (
    <Notice tone="warn" title="This blueprint is live, but it is no longer valid">
      <p>
        The language has changed since it was deployed. It is still served without a change. Correct it before the next
        change; the review then compares the correction with the live version.
      </p>
      <p>
        Line {first.span.start.line}: <MarkedText text={first.message} />
      </p>
    </Notice>
  );
}
