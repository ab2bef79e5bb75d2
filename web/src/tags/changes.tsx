/** What is about to be written, file by file, before it is written. */
import { line, visible } from "../note/display";
import { diffLines } from "./diff";

export interface Change {
  readonly path: string;
  /** What happens to it, in a few words. */
  readonly about: string;
  readonly diff: string;
}

/** Few files are shown whole; many begin folded, and each opens. */
const OPEN = 8;

export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <ul class="changes">
      {changes.map(({ path, about, diff }, i) => (
        <li key={path}>
          <details open={i < OPEN}>
            <summary>
              <b>
                <bdi>{line(path, 140)}</bdi>
              </b>{" "}
              <span class="faint small">{about}</span>
            </summary>
            <Diff diff={diff} of={path} />
          </details>
        </li>
      ))}
    </ul>
  );
}

const SIGNS = { added: "+", removed: "−", same: " ", gap: "⋯" } as const;
const SAID = { added: "added: ", removed: "removed: ", same: "", gap: "" } as const;

function Diff({ diff, of }: { diff: string; of: string }) {
  const lines = diffLines(diff);
  if (lines.length === 0) return <p class="faint small">Nothing changes in its text.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="diff" tabIndex={0} role="group" aria-label={`Changes to ${line(of, 120)}`}>
      {lines.map(({ kind, text, old, new: now }, i) => (
        <div key={i} class={kind}>
          <span class="at" aria-hidden="true">
            {now ?? old ?? ""}
          </span>
          <span class="sign" aria-hidden="true">
            {SIGNS[kind]}
          </span>
          <span class="hidden">{SAID[kind]}</span>
          <span class="text">{visible(text)}</span>
        </div>
      ))}
    </div>
  );
}
