/** Proposed tags, to be ticked, thinned out and written into the notes. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as order from "../api/order";
import { crumbs, line } from "../note/display";
import { NoteLink } from "../note/note-link";
import { Ghosts } from "../shell/ghosts";
import { Fault, useTask } from "../shell/task";
import { domainName, loadDomains } from "../state/store";
import { Changes } from "./changes";
import { Problems } from "./problems";
import { type Decided, type Decisions, decided, NONE, tick, toggleTag, toWrite } from "./queue";
import { Undo } from "./undo";

/** Kept while the page is open, by domain: looking at a note loses nothing. */
const kept = new Map<string, Decisions>();

export default function Review() {
  const domain = domainName.value;
  const queue = useSignal<order.Queue | null>(null);
  const decisions = useSignal<Decisions>(NONE);
  const preview = useSignal<order.Promoted | null>(null);
  const written = useSignal<order.Promoted | null>(null);
  const said = useSignal("");
  const task = useTask();
  const decide = (next: Decisions) => {
    if (domain) kept.set(domain, next);
    decisions.value = next;
    said.value = "";
    written.value = null;
  };
  const load = async (signal?: AbortSignal) => {
    if (!domain) return;
    const answer = await task.run(() => order.queue(domain, signal));
    if (answer) queue.value = answer;
  };
  useEffect(() => {
    const controller = new AbortController();
    queue.value = null;
    preview.value = null;
    written.value = null;
    said.value = "";
    decisions.value = (domain && kept.get(domain)) || NONE;
    void load(controller.signal);
    return () => controller.abort();
  }, [domain]);
  const now = queue.value;
  const rows = now ? decided(now, decisions.value) : [];
  const changed = rows.filter((row) => row.changed).length;
  const chosen = rows.filter(({ ticked, idle }) => ticked && !idle);

  /** The file as decided here; promoting reads the file. */
  const save = async (): Promise<boolean> => {
    if (!domain || !now) return false;
    if (changed === 0) return true;
    const saved = await task.run(() => order.saveQueue(domain, now.hash, toWrite(rows)));
    if (!saved) return false;
    queue.value = saved;
    decide(NONE);
    return true;
  };
  const look = async () => {
    if (!domain || !(await save())) return;
    preview.value = await task.run(() => order.promote(domain, true));
  };
  const apply = async () => {
    if (!domain) return;
    const done = await task.run(() => order.promote(domain, false));
    if (!done) return;
    preview.value = null;
    await load();
    written.value = done;
    void loadDomains();
  };
  const propose = async () => {
    if (!domain) return;
    const answer = await task.run(() => order.propose(domain));
    if (!answer) return;
    queue.value = answer;
    said.value =
      answer.proposed === 0
        ? "No note without tags was found that any tag of the taxonomy fits."
        : `Proposed tags for ${count(answer.proposed, "note")}.`;
  };

  if (preview.value) {
    return (
      <Preview
        of={preview.value}
        task={task}
        apply={() => void apply()}
        back={() => {
          preview.value = null;
          task.fault.value = null;
        }}
      />
    );
  }
  return (
    <section class="review pad" aria-label="Review queue">
      <h2>Review queue</h2>
      <p class="faint">
        Tags proposed for notes of {domain}. Tick what is right and take away single tags; applying writes
        them into the notes
        {now ? (
          <>
            . The queue is the file <bdi class="mono">{line(now.file, 120)}</bdi>
          </>
        ) : null}
        .
      </p>
      {written.value ? (
        <>
          <Problems all={written.value.conflicts} of="changed meanwhile, and left as they are" />
          {written.value.journal === null ? null : (
            <Undo
              key={written.value.journal}
              journal={written.value.journal}
              told={`Written to ${count(written.value.applied.length, "note")}; ${written.value.left === 0 ? "nothing is left to review" : `${written.value.left} left to review`}.`}
              onUndone={() => {
                void load();
                void loadDomains();
              }}
            />
          )}
        </>
      ) : null}
      {now ? <Problems all={now.problems} of="in the file could not be read" /> : null}
      {now === null ? (
        task.fault.value ? null : (
          <Ghosts />
        )
      ) : rows.length === 0 ? (
        <div class="empty">
          <p>
            <b>Nothing is waiting for review.</b>
          </p>
          <p class="faint">
            {now.taxonomy.length === 0
              ? "This domain has no taxonomy: a page that lists its tags. Without one, nothing can be proposed."
              : `Notes without tags can be given some of the ${now.taxonomy.length} that the taxonomy lists.`}
          </p>
        </div>
      ) : (
        <>
          <p class="controls-line">
            <span>
              {chosen.length} of {count(rows.length, "proposal")} ticked
            </span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                const all = rows.filter(({ idle }) => !idle);
                const to = chosen.length < all.length;
                decide(all.reduce((sum, { entry }) => tick(sum, entry.path, to), decisions.value));
              }}
            >
              {chosen.length < rows.filter(({ idle }) => !idle).length ? "Tick all" : "Untick all"}
            </button>
          </p>
          <ul class="queue" onKeyDown={walk}>
            {rows.map((row) => (
              <Proposal
                key={`${row.entry.line} ${row.entry.path}`}
                row={row}
                taxonomy={now.taxonomy}
                onTick={(to) => decide(tick(decisions.value, row.entry.path, to))}
                onTag={(tag) => decide(toggleTag(decisions.value, row.entry.path, tag))}
              />
            ))}
          </ul>
        </>
      )}
      {now ? (
        <div class="actions">
          {rows.length > 0 ? (
            <>
              <button
                type="button"
                class="first"
                disabled={task.busy.value || chosen.length === 0}
                onClick={() => void look()}
              >
                {chosen.length === 0 ? "Tick what to apply" : `Preview ${count(chosen.length, "note")} …`}
              </button>
              <button
                type="button"
                disabled={task.busy.value || changed === 0}
                onClick={async () => {
                  if (await save()) said.value = "Saved to the file.";
                }}
              >
                Save for later
              </button>
            </>
          ) : null}
          <button
            type="button"
            class={rows.length > 0 ? "quiet" : "first"}
            disabled={task.busy.value || now.taxonomy.length === 0}
            onClick={() => void propose()}
          >
            Propose tags for untagged notes
          </button>
          <span role="status">{task.busy.value ? "Working …" : said.value}</span>
        </div>
      ) : null}
      <Fault
        task={task}
        to="Changing the vault"
        again={() => {
          // What was decided here stays decided: it is laid over the file as it is now.
          preview.value = null;
          void load();
        }}
      />
    </section>
  );
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** Up and down go from proposal to proposal. */
function walk(event: KeyboardEvent): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const row = (event.target as HTMLElement).closest("li");
  const to = by > 0 ? row?.nextElementSibling : row?.previousElementSibling;
  const box = to?.querySelector<HTMLElement>("input, .tag");
  if (!box) return;
  event.preventDefault();
  box.focus();
}

function Proposal({
  row: { entry, ticked, tags, idle },
  taxonomy,
  onTick,
  onTag,
}: {
  row: Decided;
  taxonomy: order.Queue["taxonomy"];
  onTick: (to: boolean) => void;
  onTag: (tag: string) => void;
}) {
  const title = line(entry.title || crumbs(entry.path).at(-1) || entry.path, 120);
  return (
    <li class={`${ticked && !idle ? "ticked" : ""} ${idle ? "idle" : ""}`} data-proposal={entry.path}>
      <input
        type="checkbox"
        checked={ticked && !idle}
        disabled={idle}
        aria-label={`Give the note “${title}” its proposed tags`}
        onChange={(event) => onTick(event.currentTarget.checked)}
      />
      <div>
        <p>
          {entry.exists ? (
            <NoteLink class="title" path={entry.path}>
              <bdi>{title}</bdi>
            </NoteLink>
          ) : (
            <>
              <b>
                <bdi>{title}</bdi>
              </b>{" "}
              <span class="bad small">There is no such note any more.</span>
            </>
          )}
        </p>
        <p class="meta">
          <span class="crumbs">
            {crumbs(entry.path)
              .filter((part) => part !== entry.title)
              .map((part, i) => (
                <span key={i}>
                  <bdi>{line(part, 80)}</bdi>
                </span>
              ))}
          </span>
        </p>
      </div>
      <p class="proposed">
        {tags.map(({ name, known, out }) => {
          const about = taxonomy.find((tag) => tag.name === name)?.description ?? "";
          const shown = line(name, 60);
          return (
            <button
              type="button"
              key={name}
              class={`tag ${out ? "out" : ""} ${known ? "" : "unknown"}`}
              title={[known ? about : "Not in the taxonomy", out ? "Taken away" : ""]
                .filter(Boolean)
                .join("\n")}
              aria-label={`${out ? "Put back" : "Take away"} the tag ${shown}${known ? "" : ", which is not in the taxonomy"}`}
              onClick={() => onTag(name)}
            >
              <span>
                #<bdi>{shown}</bdi>
              </span>
              {known ? null : <span aria-hidden="true">?</span>}
              <span aria-hidden="true">{out ? "↺" : "×"}</span>
            </button>
          );
        })}
        {tags.length > 0 && tags.every(({ out }) => out) ? (
          <span class="faint small">no tag is left</span>
        ) : null}
      </p>
    </li>
  );
}

function Preview({
  of: { applied, problems, left },
  task,
  apply,
  back,
}: {
  of: order.Promoted;
  task: ReturnType<typeof useTask>;
  apply: () => void;
  back: () => void;
}) {
  return (
    <section class="review pad" aria-label="Preview">
      <h2>
        {applied.length === 0 ? "Nothing would change" : `${count(applied.length, "note")} would change`}
      </h2>
      <p class="faint">
        {left === 0
          ? "Then nothing is left in the queue."
          : `Then ${left} ${left === 1 ? "is" : "are"} left in the queue.`}{" "}
        Nothing is written yet.
      </p>
      <Problems all={problems} of="that will stay in the queue" />
      <Changes
        changes={applied.map(({ path, added, diff }) => ({
          path,
          about: added.length === 0 ? "has them already" : added.map((tag) => `#${line(tag, 40)}`).join(" "),
          diff,
        }))}
      />
      <Fault task={task} to="Changing the vault" again={apply} />
      <div class="actions">
        <button
          type="button"
          class="first"
          disabled={task.busy.value || applied.length === 0}
          onClick={apply}
        >
          Write the tags into {count(applied.length, "note")}
        </button>
        <button type="button" class="quiet" onClick={back}>
          Back to the queue
        </button>
        <span role="status">{task.busy.value ? "Writing …" : ""}</span>
      </div>
    </section>
  );
}
