// The error of a request, and what to do next. In: the error of a query or mutation. Out: a notice for a person. It never shows a stack, and
// never blames the person for a fault of the service.
"use client";
import { RotateCw } from "lucide-react";
import { Button } from "./button.tsx";
import { errorText } from "./error-text.ts";
import { MarkedText } from "./marked-text.tsx";
import { Notice } from "./notice.tsx";

interface QueryErrorProps {
  error: unknown;
  /** What failed, such as "The keys could not be loaded". */
  what: string;
  onRetry?: () => void;
}

export function QueryError({ error, what, onRetry }: QueryErrorProps) {
  return (
    <Notice
      tone="bad"
      title={what}
      actions={
        onRetry ? (
          <Button size="small" onClick={onRetry} icon={<RotateCw />}>
            Try again
          </Button>
        ) : null
      }
    >
      <p className="break-words">
        <MarkedText text={errorText(error)} />
      </p>
    </Notice>
  );
}
