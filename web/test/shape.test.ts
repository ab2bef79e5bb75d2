import { createRequire } from "node:module";
import { expect, test } from "vitest";
import type * as core from "../pkg/web/concord_wasm.js";
import { valueAt, withValue } from "../src/profile/patch";
import { groupsOf } from "../src/profile/shape";

const { complete_profile, default_profile } = createRequire(import.meta.url)(
  "../pkg/nodejs/concord_wasm.js",
) as typeof core;

const leaves = (value: unknown, path: string[] = []): string[] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, below]) => leaves(below, [...path, key]))
    : [path.join(".")];

test("every number of a profile has exactly one control", () => {
  for (const name of ["vault", "balanced"]) {
    const profile = default_profile(name, "finance");
    const keys = groupsOf(profile).flatMap(({ settings }) => settings.map(({ key }) => key));
    expect([...keys].sort()).toEqual(
      leaves(profile)
        .filter((key) => key !== "name")
        .sort(),
    );
  }
});

test("no known number is left to guessing", () => {
  const profile = default_profile("vault", "finance");
  expect(groupsOf(profile).map(({ name }) => name)).not.toContain("Other");
});

test("a number that the page has never heard of has a control all the same", () => {
  const profile = withValue(default_profile("vault", "finance"), ["brandNew", "some_number"], 3);
  const other = groupsOf(profile).find(({ name }) => name === "Other");
  expect(other?.settings).toMatchObject([
    { key: "brandNew.some_number", label: "Some number", control: { kind: "number" } },
  ]);
});

test("signals that only the notes know have a control", () => {
  const group = groupsOf(default_profile("balanced", "finance"), ["severity"]).find(
    ({ name }) => name === "Signals",
  );
  expect(group?.settings.map(({ key }) => key)).toEqual(["signals.severity"]);
});

test("the core takes whatever a slider or a choice can be set to", () => {
  const profile = default_profile("vault", "finance");
  for (const { path, key, control } of groupsOf(profile).flatMap(({ settings }) => settings)) {
    const values =
      control.kind === "number"
        ? [control.min, control.max, ...(control.optional ? [null] : [])]
        : control.kind === "choice"
          ? control.options.map(([value]) => value)
          : control.kind === "switch"
            ? [true, false]
            : [];
    for (const value of values) {
      const complete = complete_profile(withValue(profile, path, value), "finance");
      expect(valueAt(complete, path) ?? null, key).toEqual(value);
    }
    if (control.kind === "choice")
      expect(
        control.options.map(([value]) => value),
        key,
      ).toContain(valueAt(profile, path));
  }
});
