/** Tags renamed throughout a domain: seen first, then done, and taken back where that is wanted. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as order from "../api/order";
import { line } from "../note/display";
import { Fault, useTask } from "../shell/task";
import { domain, domainName, loadDomains } from "../state/store";
import { Changes } from "./changes";
import { Problems } from "./problems";
import { EMPTY, faults, inWords, type Row, renamesOf } from "./renames";
import { Undo } from "./undo";

/** Kept while the page is open. */
let kept: readonly Row[] = [EMPTY];

const files = (n: number): string => `${n} ${n === 1 ? "file" : "files"}`;

export default function RenameTags() {
  const rows = useSignal<readonly Row[]>(kept);
  const preview = useSignal<order.Renamed | null>(null);
  const done = useSignal<order.Renamed | null>(null);
  const last = useSignal<order.LastRename | null>(null);
  /** Moves on with every change, and what could be undone is asked anew. */
  const changed = useSignal(0);
  const task = useTask();
  const name = domainName.value;
  const wrong = faults(rows.value);
  const renames = renamesOf(rows.value);
  const tags = domain.value?.tags ?? [];

  useEffect(() => {
    last.value = null;
    if (!name) return;
    const controller = new AbortController();
    const told = (answer: order.LastRename | null) => {
      if (!controller.signal.aborted) last.value = answer;
    };
    // Where it cannot be known, nothing is offered; whoever renames is told what is wrong.
    order.lastRename(name, controller.signal).then(told, () => told(null));
    return () => controller.abort();
  }, [name, changed.value]);
  const hasChanged = () => {
    changed.value++;
    void loadDomains();
  };
  const set = (next: readonly Row[]) => {
    kept = next;
    rows.value = next;
    preview.value = null;
    done.value = null;
    task.fault.value = null;
  };
  const edit = (i: number, change: Partial<Row>) =>
    set(rows.value.map((row, j) => (i === j ? { ...row, ...change } : row)));
  const look = async () => {
    if (!name || renames.length === 0 || wrong.size > 0) return;
    done.value = null;
    preview.value = await task.run(() => order.rename(name, renames, true));
  };
  const apply = async () => {
    if (!name) return;
    const answer = await task.run(() => order.rename(name, renames, false));
    if (!answer) return;
    if (answer.applied) {
      set([EMPTY]);
      done.value = answer;
      hasChanged();
    } else preview.value = answer;
  };
  return (
    <section class="rename pad" aria-label="Rename tags">
      <h2>Rename tags</h2>
      <p class="faint">
        In every note of {name}: its frontmatter and its text, and the taxonomy. All files are changed or
        none, and it can be undone.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <datalist id="tags-here">
          {tags.slice(0, 1000).map((tag) => (
            <option key={tag.name} value={line(tag.name, 80)}>
              {tag.notes} {tag.notes === 1 ? "note" : "notes"}
            </option>
          ))}
        </datalist>
        <ol class="renames">
          {rows.value.map((row, i) => (
            <li key={i}>
              <label>
                <span class="hidden">Tag {i + 1}</span>
                <input
                  type="text"
                  list="tags-here"
                  placeholder="tag"
                  autocomplete="off"
                  spellcheck={false}
                  value={row.from}
                  onInput={(event) => edit(i, { from: event.currentTarget.value })}
                />
              </label>
              <span aria-hidden="true">→</span>
              <label>
                <span class="hidden">New name of tag {i + 1}</span>
                <input
                  type="text"
                  list="tags-here"
                  placeholder="new name"
                  autocomplete="off"
                  spellcheck={false}
                  value={row.to}
                  onInput={(event) => edit(i, { to: event.currentTarget.value })}
                />
              </label>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove row ${i + 1}`}
                title="Remove this row"
                disabled={rows.value.length === 1 && row.from === "" && row.to === ""}
                onClick={() => set(rows.value.length === 1 ? [EMPTY] : rows.value.filter((_, j) => j !== i))}
              >
                <span aria-hidden="true">×</span>
              </button>
              {wrong.has(i) && row.from.trim() !== "" && row.to.trim() !== "" ? (
                <p class="fault" role="alert">
                  {wrong.get(i)}
                </p>
              ) : null}
            </li>
          ))}
        </ol>
        <div class="actions">
          <button
            type="submit"
            class={preview.value ? "" : "first"}
            disabled={task.busy.value || renames.length === 0 || wrong.size > 0}
          >
            Preview
          </button>
          <button type="button" class="quiet" onClick={() => set([...rows.value, EMPTY])}>
            Add a row
          </button>
          <span role="status">{task.busy.value ? "Working …" : ""}</span>
        </div>
      </form>
      <Fault task={task} to="Renaming" again={renames.length > 0 ? () => void look() : undefined} />
      {preview.value ? (
        <Preview of={preview.value} busy={task.busy.value} apply={() => void apply()} />
      ) : null}
      {done.value ? (
        <>
          <Problems all={done.value.conflicts} of="changed meanwhile, and left as they are" />
          {done.value.journal === null ? (
            <p role="status">Nothing had to be changed.</p>
          ) : (
            <Undo
              key={done.value.journal}
              journal={done.value.journal}
              told={`Renamed in ${files(done.value.files.length)}.`}
              onUndone={hasChanged}
            />
          )}
        </>
      ) : preview.value ? null : (
        <Undo
          key={name}
          journal={last.value?.journal ?? null}
          last={last.value ? inWords(last.value) : ""}
          onUndone={hasChanged}
        />
      )}
    </section>
  );
}

function Preview({ of, busy, apply }: { of: order.Renamed; busy: boolean; apply: () => void }) {
  return (
    <>
      <h3>{of.files.length === 0 ? "No file uses it" : `${files(of.files.length)} would change`}</h3>
      {of.merges.map(({ into, from }) => (
        <p class="notice" key={into}>
          {from.map((tag) => `#${line(tag, 60)}`).join(" and ")} {from.length === 1 ? "is" : "are"} merged
          into #{line(into, 60)}: afterwards nobody can tell which note had which.
        </p>
      ))}
      <Problems all={of.problems} of={`${of.problems.length === 1 ? "stands" : "stand"} in the way`} />
      <Changes
        changes={of.files.map(({ path, uses, diff }) => ({
          path,
          about: `${uses} ${uses === 1 ? "use" : "uses"}`,
          diff,
        }))}
      />
      {of.files.length > 0 ? (
        <div class="actions">
          <button type="button" class="first" disabled={busy || of.problems.length > 0} onClick={apply}>
            Rename in {files(of.files.length)}
          </button>
          <span class="faint">Nothing is written yet.</span>
        </div>
      ) : null}
    </>
  );
}
