/**
 * The rows, moving to their new places. First the places as they are (in the middle of a motion,
 * too), then the new order, then each row set off from where it was: a transform only, which the
 * compositor plays and no layout follows from.
 */
import { Component, createRef } from "preact";
import type { Chunk, Note, Profile, Ranking } from "../core/concord";
import type { Opened } from "../core/protocol";
import { step } from "../shell/keys";
import { baseline } from "../state/store";
import { moves, type Place, rankChanges } from "./moves";
import { Row } from "./row";

interface Props {
  readonly answer: Opened;
  readonly ranking: Ranking;
  readonly profile: Profile;
}

const MOTION = { duration: 180, easing: "cubic-bezier(.2,.7,.3,1)" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** By id, made once an answer: a slider must not look for chunks in a list. */
const indexes = new WeakMap<Opened, { chunks: Map<number, Chunk>; notes: Map<string, Note> }>();
export function indexOf(answer: Opened): { chunks: Map<number, Chunk>; notes: Map<string, Note> } {
  let index = indexes.get(answer);
  if (!index) {
    const { chunks, notes } = answer.bundle;
    index = {
      chunks: new Map(chunks.map((chunk) => [chunk.id, chunk])),
      notes: new Map(notes.map((note) => [note.path, note])),
    };
    indexes.set(answer, index);
  }
  return index;
}

export class List extends Component<Props> {
  private readonly list = createRef<HTMLOListElement>();
  private motions: Animation[] = [];

  private places(): Map<number, Place> {
    const places = new Map<number, Place>();
    for (const row of this.list.current?.children ?? []) {
      const { top, height } = row.getBoundingClientRect();
      places.set(Number((row as HTMLElement).dataset["row"]), { top, height });
    }
    return places;
  }

  override getSnapshotBeforeUpdate(before: Props): Map<number, Place> | null {
    // Another answer is another list: nothing moves from one question to the next.
    if (still.matches || before.answer !== this.props.answer) return null;
    // Most steps of a slider change scores and no order, and then nothing needs to be measured.
    const [was, is] = [before.ranking.items, this.props.ranking.items];
    if (was.length === is.length && was.every(({ chunk }, i) => chunk === is[i]?.chunk)) return null;
    return this.places();
  }

  override componentDidUpdate(_: Props, __: unknown, before: Map<number, Place> | null): void {
    if (!before || !this.list.current) return;
    for (const motion of this.motions) motion.cancel();
    this.motions = [];
    const after = this.places();
    const rows = new Map(
      [...this.list.current.children].map((row) => [Number((row as HTMLElement).dataset["row"]), row]),
    );
    for (const { id, from } of moves(before, after, [0, innerHeight])) {
      const frames = from === null ? { opacity: [0, 1] } : { transform: [`translateY(${from}px)`, "none"] };
      const motion = rows.get(id)?.animate(frames, MOTION);
      if (motion) this.motions.push(motion);
    }
  }

  override render({ answer, ranking, profile }: Props) {
    const { chunks, notes } = indexOf(answer);
    const ids = ranking.items.map(({ chunk }) => chunk);
    const was = baseline.value?.items.map(({ chunk }) => chunk);
    const changed = was ? rankChanges(was, ids) : null;
    const top = Math.max(...ranking.items.map(({ score }) => score), 0);
    return (
      <ol class="rows" ref={this.list} onKeyDown={step}>
        {ranking.items.map((item) => (
          <Row
            key={item.chunk}
            item={item}
            chunk={chunks.get(item.chunk) as Chunk}
            note={notes.get(item.note)}
            top={top}
            change={changed?.get(item.chunk)}
            profile={profile}
            bundle={answer.bundle}
          />
        ))}
      </ol>
    );
  }
}
