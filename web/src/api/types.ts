/** The gateway's documents, as it writes them. */
import type {
  Bundle,
  CitationReason,
  CitationsStatus,
  Profile,
  Ranking,
  Receipt,
  Traversal,
} from "../core/concord";

export interface Domain {
  readonly name: string;
  readonly up: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly notes: number;
  readonly chunks: number;
  readonly model: string | null;
  readonly dimension: number;
  readonly words_only: boolean;
  readonly indexed_at: number | null;
  /** None while it is down. */
  readonly profile: Profile | null;
  readonly authors: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly { readonly name: string; readonly notes: number }[];
  readonly folders: readonly string[];
}

export interface Domains {
  readonly version: string;
  readonly core: string;
  readonly vault: string;
  readonly domains: readonly Domain[];
}

export interface SearchAnswer {
  readonly query: string;
  readonly domain: string;
  readonly nothing_relevant: boolean;
  /** A sentence, where nothing is relevant or only words were compared. */
  readonly why: string | null;
  readonly words_only: boolean;
  readonly ranking: Ranking;
  readonly receipt?: Receipt;
  readonly timings: Readonly<Record<string, number>>;
}

export type LinkKind = "citation" | "wikilink";

export interface Linked {
  readonly path: string;
  /** None for a note of another domain. */
  readonly title: string | null;
  readonly kind: LinkKind;
}

export interface NoteAnswer {
  readonly path: string;
  readonly title: string;
  readonly author: string | null;
  readonly published_at: number | null;
  readonly modified_at: number | null;
  readonly kind: string | null;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly evergreen: boolean;
  readonly text: string;
  /** Offsets are in units of UTF-16 in `text`, or null where the passage was not found in it. */
  readonly chunks: readonly {
    readonly ordinal: number;
    readonly section: string;
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly links: readonly Linked[];
  readonly backlinks: readonly Linked[];
  readonly problems: readonly string[];
}

export interface Walked {
  readonly walk: Traversal;
  readonly embeddings_read: number;
}

export interface TraverseAnswer {
  readonly fast?: Walked;
  readonly deep?: Walked;
  readonly edges: readonly (readonly [string, string, LinkKind])[];
  readonly titles: Readonly<Record<string, string>>;
}

export interface Citation {
  readonly quote: string;
  readonly note: string | null;
  readonly chunk_text: string | null;
}

export interface CitationResult {
  readonly citation_verified: boolean;
  readonly citation_reason: CitationReason;
  /** In units of UTF-16, in `source`. */
  readonly spans: readonly (readonly [number, number])[];
  readonly note: string | null;
  readonly source: string | null;
  readonly found_in: {
    readonly note: string;
    readonly ordinal: number;
    readonly section: string;
    /** The passage; `spans` are in it. */
    readonly source: string;
    readonly spans: readonly (readonly [number, number])[];
    /** Not the same words, but nearly. */
    readonly near?: boolean;
    /** By how many characters it differs. */
    readonly distance?: number;
  } | null;
}

export interface VerifyAnswer {
  readonly status: CitationsStatus;
  readonly results: readonly CitationResult[];
}

export interface NamedProfile {
  readonly name: string;
  readonly built_in: boolean;
  readonly profile: Profile;
}

export type { Bundle };
