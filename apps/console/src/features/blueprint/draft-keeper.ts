// Saves a draft on the server while it is written. In: every change of the text. Out: a state to show. It sends one save at a time. Each
// save names the version that it replaces, so that it never overwrites a save of another tab or device. Unsaved text is stored in this
// browser.
import type { Draft, LiveBlueprint } from "@plinth/control/router";
import { clearUnsaved, type DraftPlace, keepUnsaved, readUnsaved } from "../../draft.ts";
import { errorCode, errorText } from "../../ui/error-text.ts";

export type Live = Pick<LiveBlueprint, "versionId" | "text"> | null;

export type DraftStatus =
  | { readonly kind: "saved" }
  | { readonly kind: "saving" }
  /** Stored in this browser; saving is retried. */
  | { readonly kind: "waiting"; readonly why: string }
  /** Stored in this browser; saving is not retried before the text changes. */
  | { readonly kind: "refused"; readonly why: string; readonly isSignedOut: boolean }
  /** `common`: the text before both changes. `theirs` is null if the draft was ended elsewhere. */
  | { readonly kind: "conflict"; readonly common: string; readonly theirs: Draft | null };

export interface DraftState {
  readonly text: string;
  /** The live version on which the text is based. */
  readonly baseVersionId: string | null;
  readonly status: DraftStatus;
}

/** The control API, for one project. */
export interface DraftPort {
  get(): Promise<Draft | null>;
  save(draft: { text: string; after: number | null; baseVersionId: string | null }): Promise<{ version: number }>;
  discard(version: number): Promise<unknown>;
}

export interface DraftKeeper {
  readonly state: () => DraftState;
  readonly subscribe: (onChange: () => void) => () => void;
  /** @param baseVersionId Given if the text is now based on another live version. */
  readonly change: (text: string, baseVersionId?: string | null) => void;
  /** Ends a conflict with this text. */
  readonly resolve: (text: string) => void;
  readonly setLive: (live: Live) => void;
  /** Fetches saves from elsewhere, and saves unsaved text. */
  readonly refresh: () => Promise<void>;
  /** A stopped keeper can be started again. */
  readonly start: () => void;
  readonly stop: () => void;
}

interface KeeperOptions {
  readonly place: DraftPlace;
  readonly port: DraftPort;
  readonly stored: Draft | null;
  readonly live: Live;
}

const saveMs = 700;
const retryMs = { first: 2_000, max: 30_000 };
/** Errors that a retry with the same text would get again. */
const lasting = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "PAYLOAD_TOO_LARGE"];

export function createDraftKeeper({ place, port, stored, live: liveAtFirst }: KeeperOptions): DraftKeeper {
  let live = liveAtFirst;
  /** The draft on the server, as far as is known. */
  let known = stored;
  let state: DraftState = {
    text: stored?.text ?? live?.text ?? "",
    baseVersionId: stored === null ? (live?.versionId ?? null) : stored.baseVersionId,
    status: { kind: "saved" },
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let saving = false;
  let stopped = true;
  const listeners = new Set<() => void>();

  const set = (changed: Partial<DraftState>): void => {
    state = { ...state, ...changed };
    for (const listener of listeners) listener();
  };
  const textOfServer = (): string => known?.text ?? live?.text ?? "";
  const isSaved = (): boolean =>
    state.text === textOfServer() && (known === null || known.baseVersionId === state.baseVersionId);
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void push(), ms);
  };

  const push = async (): Promise<void> => {
    if (saving || state.status.kind === "conflict") return;
    saving = true;
    try {
      while (!stopped && !isSaved()) {
        set({ status: { kind: "saving" } });
        const { text, baseVersionId } = state;
        if (text === (live?.text ?? "")) {
          // A text that equals the live version is not a draft.
          if (known !== null) await port.discard(known.version);
          known = null;
          set({ baseVersionId: live?.versionId ?? null });
        } else {
          const { version } = await port.save({ text, after: known?.version ?? null, baseVersionId });
          known = { version, text, baseVersionId, savedAt: "" };
        }
        failures = 0;
        clearUnsaved(place, text);
      }
      if (!stopped) set({ status: { kind: "saved" } });
    } catch (error) {
      await failed(error);
    } finally {
      saving = false;
    }
  };

  const failed = async (error: unknown): Promise<void> => {
    const code = errorCode(error);
    if (code !== null && lasting.includes(code)) {
      return set({ status: { kind: "refused", why: errorText(error), isSignedOut: code === "UNAUTHORIZED" } });
    }
    if (code === "CONFLICT") {
      try {
        return reconcile(await port.get());
      } catch {
        // The retry below meets the conflict again.
      }
    }
    set({ status: { kind: "waiting", why: errorText(error) } });
    schedule(Math.min(retryMs.first * 2 ** failures++, retryMs.max));
  };

  /** The draft on the server is not the one that this text replaces. */
  const reconcile = (theirs: Draft | null): void => {
    const common = textOfServer();
    const mine = state.text;
    known = theirs;
    const isMineUnchanged = mine === common;
    const isTheirsUnchanged = textOfServer() === common || textOfServer() === mine;
    if (isMineUnchanged) {
      clearUnsaved(place, mine);
      const baseVersionId = theirs === null ? (live?.versionId ?? null) : theirs.baseVersionId;
      set({ text: textOfServer(), baseVersionId, status: { kind: "saved" } });
    } else if (isTheirsUnchanged) {
      schedule(0);
    } else set({ status: { kind: "conflict", common, theirs } });
  };

  const keeper: DraftKeeper = {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change: (text, baseVersionId = state.baseVersionId) => {
      if (text === state.text && baseVersionId === state.baseVersionId) return;
      const { kind } = state.status;
      set({ text, baseVersionId, ...(kind === "refused" ? { status: { kind: "saving" } as const } : {}) });
      keepUnsaved(place, { text, after: known?.version ?? null, baseVersionId });
      schedule(saveMs);
    },
    resolve: (text) => {
      set({ text, status: { kind: "saving" } });
      keepUnsaved(place, { text, after: known?.version ?? null, baseVersionId: state.baseVersionId });
      schedule(0);
    },
    setLive: (now) => {
      if (now?.versionId === live?.versionId) return;
      const untouched = known === null && state.text === (live?.text ?? "");
      live = now;
      if (untouched) set({ text: live?.text ?? "", baseVersionId: live?.versionId ?? null });
      else schedule(0);
    },
    refresh: async () => {
      if (saving || state.status.kind === "conflict") return;
      if (!isSaved()) return push();
      const found = await port.get().catch(() => known);
      if (saving || found?.version === known?.version || stopped) return;
      reconcile(found);
    },
    start: () => {
      stopped = false;
      if (!isSaved()) schedule(0);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };

  const unsaved = readUnsaved(place);
  if (unsaved !== null && unsaved.text !== state.text) {
    const common = state.text;
    state = { ...state, text: unsaved.text, baseVersionId: unsaved.baseVersionId };
    if (unsaved.after === (known?.version ?? null)) schedule(0);
    // The common text is unknown; the live text is the closest replacement.
    else if (known !== null)
      state = { ...state, status: { kind: "conflict", common: live?.text ?? "", theirs: known } };
    else if (common === (live?.text ?? "")) schedule(0);
  }
  return keeper;
}
