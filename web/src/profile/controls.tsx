/** Every number of the profile, to be moved while the list follows. */
import { useComputed } from "@preact/signals";
import { line } from "../note/display";
import { address, base, domain, opened, profile, refused, resetNumber, setNumber } from "../state/store";
import { Ladder, Pair } from "./ladder";
import { same, valueAt } from "./patch";
import { Presets } from "./presets";
import { groupsOf, type Setting } from "./shape";

export function Controls() {
  const numbers = base.value;
  const signals = useComputed(() => {
    const names = (opened.value?.bundle.notes ?? []).flatMap(({ signals }) => Object.keys(signals));
    return [...new Set(names)].sort().join("\n");
  }).value;
  if (!numbers) return null;
  // A link may bring a kind's override or a signal that the preset does not have.
  const patched = profile.peek() ?? numbers;
  const named = [...new Set([...signals.split("\n"), ...Object.keys(patched.signals)])].filter(Boolean);
  return (
    <details class="drawer controls" open={matchMedia("(min-width: 60rem)").matches}>
      <summary>
        Ranking <Changed />
      </summary>
      <Presets />
      {groupsOf(numbers, named).map(({ name, help, open, settings }) => (
        <details class="group" key={`${domain.value?.name} ${name}`} open={open}>
          <summary>
            {name} <span class="faint">{help}</span>
          </summary>
          {settings.map((setting) => (
            <One key={setting.key} setting={setting} />
          ))}
        </details>
      ))}
    </details>
  );
}

function Changed() {
  const changed = useComputed(() => Object.keys(address.value.patch).length > 0).value;
  return changed ? (
    <span class="dot" title="Numbers are changed">
      ●
    </span>
  ) : null;
}

function One({ setting }: { setting: Setting }) {
  const { path, key, label, help, control } = setting;
  const value = useComputed(() => valueAt(profile.value, path)).value;
  const changed = useComputed(() => !same(valueAt(profile.value, path), valueAt(base.value, path))).value;
  const idle = useComputed(() => (profile.value ? !setting.only(profile.value) : false)).value;
  const fault = useComputed(() => (refused.value?.key.startsWith(key) ? refused.value.message : null)).value;
  const id = `n-${key}`;
  const set = (to: Parameters<typeof setNumber>[1]) => setNumber(path, to);
  return (
    <div class={`setting is-${control.kind} ${idle ? "idle" : ""} ${changed ? "changed" : ""}`}>
      <label for={id} title={key}>
        <bdi>{line(label, 60)}</bdi>
      </label>
      <Input setting={setting} id={id} value={value} set={set} />
      <button
        type="button"
        class="reset"
        disabled={!changed}
        onClick={() => resetNumber(path)}
        aria-label={`Reset ${label}`}
        title="Reset"
      >
        <span aria-hidden="true">↺</span>
      </button>
      {help || idle ? (
        <p id={`${id}-help`} class="help">
          {idle ? `${help ? `${help}; ` : ""}not in use` : help}
        </p>
      ) : null}
      {fault ? (
        <p class="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </div>
  );
}

interface InputProps {
  readonly setting: Setting;
  readonly id: string;
  readonly value: ReturnType<typeof valueAt>;
  readonly set: (to: Parameters<typeof setNumber>[1]) => void;
}

function Input({ setting: { control, label, help }, id, value, set }: InputProps) {
  const described = help ? `${id}-help` : undefined;
  switch (control.kind) {
    case "switch":
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          aria-describedby={described}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <select
          id={id}
          value={String(value)}
          aria-describedby={described}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {control.options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      );
    case "ladder":
      return <Ladder id={id} steps={(value ?? []) as readonly number[]} set={set} />;
    case "pair":
      return (
        <Pair id={id} labels={control.labels} values={(value ?? [1, 1]) as readonly number[]} set={set} />
      );
    case "text":
      return (
        <input
          id={id}
          type="text"
          value={String(value ?? "")}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    case "number": {
      const { min, max, step, optional } = control;
      const none = value === null || value === undefined;
      const number = none ? max : (value as number);
      return (
        <span class="number">
          <input
            type="range"
            min={min}
            max={max}
            step={step}
            value={number}
            aria-label={label}
            aria-describedby={described}
            disabled={none}
            data-number={id}
            onInput={(event) => set(event.currentTarget.valueAsNumber)}
          />
          <input
            id={id}
            type="number"
            step="any"
            value={none ? "" : number}
            class={step < 0.001 ? "fine" : ""}
            placeholder={none ? "none" : ""}
            onChange={(event) => {
              const { valueAsNumber } = event.currentTarget;
              if (Number.isFinite(valueAsNumber)) set(valueAsNumber);
              else if (optional) set(null);
              else event.currentTarget.value = String(number);
            }}
          />
          {optional ? (
            <input
              type="checkbox"
              checked={!none}
              aria-label={`Limit ${label}`}
              title="Limit"
              onChange={(event) => set(event.currentTarget.checked ? min * 2 : null)}
            />
          ) : null}
        </span>
      );
    }
  }
}
