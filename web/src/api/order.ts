/** Keeping a vault in order: the review queue of proposed tags, and renaming tags. */
import { address, json, write } from "./gateway";

export interface Entry {
  readonly line: number;
  readonly path: string;
  /** None if there is no such note. */
  readonly title: string | null;
  readonly ticked: boolean;
  /** `known`: the taxonomy has it. */
  readonly tags: readonly { readonly name: string; readonly known: boolean }[];
  /** Whether the note is still there. */
  readonly exists: boolean;
}

export interface Problem {
  readonly line?: number | null;
  readonly path?: string | null;
  readonly message: string;
}

export interface Queue {
  /** The file that holds it, in the vault. */
  readonly file: string;
  /** Of the file as it was read; a write names it, so that nobody's edit is lost. */
  readonly hash: string;
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  readonly taxonomy: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly group: string | null;
  }[];
}

export interface Promoted {
  readonly applied: readonly {
    readonly path: string;
    readonly added: readonly string[];
    readonly diff: string;
  }[];
  readonly problems: readonly Problem[];
  readonly dry_run: boolean;
  /** Entries that stay in the queue. */
  readonly left: number;
  /** What `undo` takes back; none where nothing was written. */
  readonly journal: string | null;
  /** Changed by somebody meanwhile, and left as they are. */
  readonly conflicts: readonly Problem[];
}

export interface Rename {
  readonly from: string;
  readonly to: string;
}

export interface Renamed {
  readonly files: readonly { readonly path: string; readonly uses: number; readonly diff: string }[];
  readonly merges: readonly { readonly into: string; readonly from: readonly string[] }[];
  /** What keeps them from being renamed. */
  readonly problems: readonly Problem[];
  readonly applied: boolean;
  readonly journal: string | null;
  readonly conflicts: readonly Problem[];
}

/** The renaming that would be taken back next. */
export interface LastRename {
  readonly journal: string;
  /** Unix seconds. */
  readonly at: number | null;
  /** Old and new names; none where they were not kept. */
  readonly renames: readonly (readonly [string, string])[];
  readonly files: readonly string[];
}

export interface Undone {
  readonly restored: readonly string[];
  /** Changed since, and left as they are. */
  readonly conflicts: readonly Problem[];
  /** The change that was taken back; none if it was not. */
  readonly undone: string | null;
}

export const queue = (domain: string, signal?: AbortSignal): Promise<Queue> =>
  json(address("vault/review", { domain }), signal ? { signal } : {});

export const saveQueue = (
  domain: string,
  hash: string,
  entries: readonly { readonly path: string; readonly ticked: boolean; readonly tags: readonly string[] }[],
): Promise<Queue> => write("PUT", address("vault/review", { domain }), { hash, entries });

export const propose = (domain: string): Promise<Queue & { readonly proposed: number }> =>
  write("POST", address("vault/tag", { domain }), null);

export const promote = (domain: string, dry_run: boolean): Promise<Promoted> =>
  write("POST", address("vault/promote", { domain }), { dry_run });

export const rename = (domain: string, renames: readonly Rename[], dry_run: boolean): Promise<Renamed> =>
  write("POST", address("vault/apply-renames", { domain }), { renames, dry_run });

/** None where there is nothing to take back. */
export const lastRename = async (domain: string, signal: AbortSignal): Promise<LastRename | null> =>
  (await json<{ readonly last: LastRename | null }>(address("vault/undo-renames", { domain }), { signal }))
    .last;

/** The change of that name. Files that were changed since are in the way, or left. */
export const undo = (domain: string, journal: string, leave_changed: boolean): Promise<Undone> =>
  write("POST", address("vault/undo-renames", { domain }), { journal, leave_changed });
