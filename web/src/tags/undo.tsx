/** Taking back what was written, as long as nobody has changed the files since. */
import { useSignal } from "@preact/signals";
import * as order from "../api/order";
import { Fault, useTask } from "../shell/task";
import { domainName } from "../state/store";
import { Problems } from "./problems";

const files = (n: number): string => `${n} ${n === 1 ? "file is" : "files are"} as before.`;

/**
 * `journal` names the change; none where there is nothing to take back. `told` says what was done just
 * now, `last` what was done at some time.
 */
export function Undo({
  journal,
  told,
  last,
  onUndone,
}: {
  journal: string | null;
  told?: string;
  last?: string;
  onUndone: () => void;
}) {
  const task = useTask();
  const undone = useSignal<order.Undone | null>(null);
  const undo = async (leaveChanged: boolean) => {
    const domain = domainName.value;
    if (!domain || journal === null) return;
    const answer = await task.run(() => order.undo(domain, journal, leaveChanged));
    if (!answer) return;
    undone.value = answer;
    if (answer.undone !== null) onUndone();
  };
  const now = undone.value;
  if (now?.undone !== null && now !== null) {
    return (
      <>
        <div class="told-fault good-news" role="status">
          <p>
            <b>{files(now.restored.length)}</b>
          </p>
        </div>
        <Problems all={now.conflicts} of="changed since, and left as they are" />
      </>
    );
  }
  if (journal === null) return null;
  return (
    <>
      {told ? (
        <div class="told-fault good-news">
          <p role="status">
            <b>{told}</b>
          </p>
          <button type="button" disabled={task.busy.value} onClick={() => void undo(false)}>
            Undo
          </button>
        </div>
      ) : (
        <p class="later">
          <button type="button" class="quiet" disabled={task.busy.value} onClick={() => void undo(false)}>
            Undo the last rename
          </button>
          {last ? (
            <span class="faint">
              {" "}
              <bdi>{last}</bdi>
            </span>
          ) : null}
        </p>
      )}
      <Fault task={task} to="Undoing" />
      {now ? (
        <>
          <Problems all={now.conflicts} of="changed since, so nothing was taken back" />
          <p class="actions">
            <button type="button" disabled={task.busy.value} onClick={() => void undo(true)}>
              Take back the others
            </button>
          </p>
        </>
      ) : null}
    </>
  );
}
