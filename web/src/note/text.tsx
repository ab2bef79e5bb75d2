/** A note's text with light structure: elements made one by one, never markup from the note. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { NoteAnswer } from "../api/types";
import { visible, webAddress } from "./display";
import { noteOf } from "./link";
import { NoteLink } from "./note-link";
import type { Span } from "./offsets";
import { type Block, blocksOf, cut, type Piece, piecesOf } from "./structure";

interface Props {
  readonly text: string;
  /** The passage, which is brought into view. */
  readonly passage: Span | null;
  /** Sentences or quotations to mark, sorted. */
  readonly marks: readonly Span[];
  readonly links: NoteAnswer["links"];
}

/** A note longer than this is cut for display; its passages are not. */
const MOST_BLOCKS = 3000;

export function NoteText({ text, passage, marks, links }: Props) {
  const article = useRef<HTMLElement>(null);
  const blocks = useMemo(() => blocksOf(text), [text]);
  useLayoutEffect(() => {
    const first = article.current?.querySelector("mark") ?? article.current?.querySelector(".in");
    const box = article.current?.closest<HTMLElement>(".scroll");
    if (!first || !box) return;
    // Only this box is scrolled, never the page.
    box.scrollTop +=
      first.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }, [text, passage?.[0], marks.length]);
  const firstShown = passage
    ? Math.max(0, blocks.findIndex(({ end }) => end > passage[0]) - MOST_BLOCKS / 2)
    : 0;
  const some = blocks.slice(firstShown, firstShown + MOST_BLOCKS);
  return (
    <article class="note" dir="auto" ref={article}>
      {firstShown > 0 ? <p class="faint">… {firstShown} blocks before</p> : null}
      {some.map((block) => (
        <Shown
          key={block.start}
          block={block}
          inside={passage !== null && block.start < passage[1] && block.end > passage[0]}
        >
          {piecesOf(text, block).map((piece) => (
            <OnePiece key={piece.start} piece={piece} marks={marks} links={links} />
          ))}
        </Shown>
      ))}
      {firstShown + some.length < blocks.length ? (
        <p class="faint">… {blocks.length - firstShown - some.length} blocks more</p>
      ) : null}
    </article>
  );
}

function Shown({ block, inside, children }: { block: Block; inside: boolean; children: ComponentChildren }) {
  const kind = inside ? "in" : "";
  switch (block.kind) {
    case "heading":
      // The panel's own heading is an h2; a note's headings lie below it.
      return block.level === 1 ? (
        <h3 class={kind}>{children}</h3>
      ) : block.level === 2 ? (
        <h4 class={kind}>{children}</h4>
      ) : (
        <h5 class={kind}>{children}</h5>
      );
    case "item":
      return (
        <p class={`item d${block.level} ${kind}`}>
          <span class="sign" aria-hidden="true">
            {/^\d|\[/.test(block.sign) ? block.sign : "•"}
          </span>
          <span>{children}</span>
        </p>
      );
    case "quote":
      return <blockquote class={kind}>{children}</blockquote>;
    case "code":
      return <pre class={kind}>{children}</pre>;
    case "facts":
      return (
        <details class="facts">
          <summary>Frontmatter</summary>
          <pre>{children}</pre>
        </details>
      );
    case "rule":
      return <hr />;
    case "text":
      return <p class={kind}>{children}</p>;
  }
}

function OnePiece({
  piece,
  marks,
  links,
}: {
  piece: Piece;
  marks: readonly Span[];
  links: NoteAnswer["links"];
}) {
  const end = piece.at + piece.text.length;
  const inner = cut(piece.at, end, marks).map(({ start, end, marked }) => {
    const part = visible(piece.text.slice(start - piece.at, end - piece.at));
    return marked ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>;
  });
  switch (piece.kind) {
    case "code":
      return <code>{inner}</code>;
    case "strong":
      return <strong>{inner}</strong>;
    case "text":
      return <>{inner}</>;
    case "note":
    case "web": {
      const path = noteOf(piece.target, links);
      if (path) return <NoteLink path={path}>{inner}</NoteLink>;
      const web = webAddress(piece.target);
      if (web)
        return (
          <a href={web} target="_blank" rel="noopener noreferrer">
            {inner}
          </a>
        );
      return (
        <span class="dead" title="Leads to no note">
          {inner}
        </span>
      );
    }
  }
}
