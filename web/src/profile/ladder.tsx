/** Weights by position: an author's newest note first; the last step holds for all older ones. */
import { place } from "../why/words";

interface Props {
  readonly id: string;
  readonly steps: readonly number[];
  readonly set: (steps: readonly number[]) => void;
}

const MOST = 12;

export function Ladder({ id, steps, set }: Props) {
  const at = (i: number, value: number) => set(steps.map((step, j) => (i === j ? value : step)));
  return (
    <span class="ladder">
      {steps.map((step, i) => {
        const last = i === steps.length - 1;
        const name = i === 0 ? "newest" : last ? `${place(i + 1)} and older` : place(i + 1);
        return (
          <span class="number" key={i}>
            <span class="faint small">{name}</span>
            <input
              id={i === 0 ? id : undefined}
              type="range"
              min={0}
              max={1}
              step={0.01}
              value={step}
              aria-label={`Weight of the ${name}`}
              onInput={(event) => at(i, event.currentTarget.valueAsNumber)}
            />
            <output>{step.toFixed(2)}</output>
          </span>
        );
      })}
      <span class="buttons">
        <button
          type="button"
          class="quiet"
          disabled={steps.length >= MOST}
          onClick={() => set([...steps, steps.at(-1) ?? 1])}
        >
          Add a step
        </button>
        <button
          type="button"
          class="quiet"
          disabled={steps.length <= 1}
          onClick={() => set(steps.slice(0, -1))}
        >
          Remove one
        </button>
      </span>
    </span>
  );
}

interface PairProps {
  readonly id: string;
  readonly labels: readonly [string, string];
  readonly values: readonly number[];
  readonly set: (values: readonly number[]) => void;
}

export function Pair({ id, labels, values, set }: PairProps) {
  return (
    <span class="ladder">
      {labels.map((label, i) => (
        <span class="number" key={label}>
          <span class="faint small">{label}</span>
          <input
            id={i === 0 ? id : undefined}
            type="range"
            min={0}
            max={1}
            step={0.01}
            value={values[i] ?? 1}
            aria-label={`Weight: ${label}`}
            onInput={(event) =>
              set(values.map((one, j) => (i === j ? event.currentTarget.valueAsNumber : one)))
            }
          />
          <output>{(values[i] ?? 1).toFixed(2)}</output>
        </span>
      ))}
    </span>
  );
}
