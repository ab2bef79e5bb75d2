/** One result. What does not change while a slider moves is rendered once. */

import type { Bundle, Chunk, Item, Note, Profile } from "../core/concord";
import { crumbs, day, line, visible } from "../note/display";
import { NoteLink } from "../note/note-link";
import { here, openNote } from "../state/store";
import { Bar } from "../why/bar";
import { inBrief } from "../why/words";
import { fragments } from "./excerpt";
import { memo } from "./memo";
import type { Change } from "./moves";

interface Props {
  readonly item: Item;
  readonly chunk: Chunk;
  readonly note: Note | undefined;
  readonly top: number;
  readonly change: Change | undefined;
  readonly profile: Profile;
  readonly bundle: Bundle;
}

export function Row({ item, chunk, note, top, change, profile, bundle }: Props) {
  const open = here.note.value === item.note && (here.at.value ?? chunk.ordinal) === chunk.ordinal;
  return (
    <li
      class={`row ${open ? "open" : ""}`}
      data-row={item.chunk}
      data-note={item.note}
      data-at={chunk.ordinal}
    >
      <div class="rank">
        <b>{item.rank}</b>
        <Moved change={change} />
      </div>
      <div class="body">
        <Passage
          item={item}
          chunk={chunk}
          note={note}
          marked={item.excerpt.map(({ sentence }) => sentence).join()}
        />
        <div class="because">
          <Bar item={item} top={top} />
          <span class="brief">{inBrief(item, profile, bundle)}</span>
          <button
            type="button"
            class="quiet why"
            onClick={() => openNote(item.note, chunk.ordinal, "why")}
            aria-label={`Why is “${line(note?.title ?? item.note, 60)}” at ${item.rank}?`}
          >
            Why
          </button>
        </div>
      </div>
      <output class="score" aria-label="Score">
        {item.score.toFixed(4)}
      </output>
    </li>
  );
}

function Moved({ change }: { change: Change | undefined }) {
  if (!change || change.kind === "same") return <span class="moved" />;
  if (change.kind === "new")
    return (
      <span class="moved up" title="Not in the list before">
        new
      </span>
    );
  const up = change.kind === "up";
  return (
    <span class={`moved ${change.kind}`}>
      <span aria-hidden="true">{up ? "▲" : "▼"}</span>
      <span class="hidden">{up ? "up " : "down "}</span>
      {change.by}
    </span>
  );
}

interface PassageProps {
  readonly item: Item;
  readonly chunk: Chunk;
  readonly note: Note | undefined;
  /** The excerpt's sentences, as one comparable value. */
  readonly marked: string;
}

const Passage = memo(
  ({ item, chunk, note }: PassageProps) => {
    const title = note?.title || crumbs(item.note).at(-1) || item.note;
    // Where it stands, without what the title says already.
    const where = [...crumbs(item.note), chunk.section].filter((part) => part !== "" && part !== title);
    const date = note?.published_at ?? note?.modified_at ?? null;
    return (
      <>
        <h2>
          <NoteLink class="title" path={item.note} at={chunk.ordinal}>
            <bdi>{line(title)}</bdi>
          </NoteLink>
        </h2>
        <p class="meta">
          <span class="crumbs">
            {where.map((part, i) => (
              <span key={i}>
                <bdi>{line(part, 80)}</bdi>
              </span>
            ))}
          </span>
          {note?.author ? (
            <span>
              <bdi>{line(note.author, 60)}</bdi>
            </span>
          ) : null}
          {date === null ? null : <span>{day(date)}</span>}
          {note && note.tags.length > 0 ? (
            <span class="tags">
              {note.tags.slice(0, 6).map((tag) => (
                <span key={tag}>
                  #<bdi>{line(tag, 40)}</bdi>
                </span>
              ))}
            </span>
          ) : null}
        </p>
        <p class="excerpt" dir="auto">
          {fragments(chunk, item.excerpt).map(({ text, marked }, i) =>
            marked ? <mark key={i}>{visible(text)}</mark> : <span key={i}>{visible(text)}</span>,
          )}
        </p>
      </>
    );
  },
  (a, b) => a.chunk === b.chunk && a.marked === b.marked && a.note === b.note,
);
