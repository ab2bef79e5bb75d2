/** A link to a note: opens it beside the list, or in a tab of its own like any other link. */
import type { ComponentChildren } from "preact";
import { encode, type Tab } from "../state/address";
import { address, openNote } from "../state/store";

interface Props {
  readonly path: string;
  /** Which of its passages; none for the note as a whole. */
  readonly at?: number | null;
  readonly tab?: Tab;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function NoteLink({ path, at = null, tab = "note", class: kind = "", children }: Props) {
  const here = () => encode({ ...address.peek(), note: path, at, tab });
  return (
    <a
      class={kind}
      href={here()}
      // Numbers may have changed since this was drawn; a new tab is to have those of now.
      onPointerDown={(event) => {
        event.currentTarget.href = here();
      }}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        openNote(path, at, tab);
      }}
    >
      {children}
    </a>
  );
}
