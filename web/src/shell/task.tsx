/** One thing at a time that is asked of the server, and what is said when it fails. */
import { type Signal, useSignal } from "@preact/signals";
import { asFailed, dropToken, type Failed, isAbort } from "../api/gateway";
import { Told } from "../note/told";
import { Token } from "./token";

export interface Task {
  readonly busy: Signal<boolean>;
  readonly fault: Signal<Failed | null>;
  /** The result, or null where it failed: then `fault` says why. */
  run<T>(work: () => Promise<T>): Promise<T | null>;
}

export function useTask(): Task {
  const busy = useSignal(false);
  const fault = useSignal<Failed | null>(null);
  return {
    busy,
    fault,
    async run(work) {
      busy.value = true;
      try {
        const result = await work();
        fault.value = null;
        return result;
      } catch (error) {
        if (isAbort(error)) return null;
        fault.value = asFailed(error);
        if (fault.value.code === "unauthorised") dropToken();
        return null;
      } finally {
        busy.value = false;
      }
    },
  };
}

/** What went wrong and what to do; `to` says what needs the token, `again` does it once more. */
export function Fault({ task, to, again }: { task: Task; to: string; again?: (() => void) | undefined }) {
  const told = task.fault.value;
  if (!told) return null;
  if (told.code === "unauthorised") return <Token to={to} onKept={again} />;
  return (
    <div class={`told-fault ${told.code === "offline" ? "warn" : "bad"}`} role="alert">
      <p>
        <b>{told.code === "offline" ? "The server is not running." : <Told message={told.message} />}</b>{" "}
        {told.code === "offline" ? (
          "Start it with concord serve; nothing here is lost."
        ) : told.code === "conflict" ? (
          "What was decided here is kept."
        ) : told.hint ? (
          <Told message={told.hint} />
        ) : null}
      </p>
      {again ? (
        <button type="button" disabled={task.busy.value} onClick={again}>
          {told.code === "conflict" ? "Load it again" : "Try again"}
        </button>
      ) : null}
    </div>
  );
}
