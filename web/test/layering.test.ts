import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = new URL("../src", import.meta.url).pathname;
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(join(SRC, path), "utf8")] as const);

const having = (pattern: RegExp) => sources.filter(([, text]) => pattern.test(text)).map(([path]) => path);

test("one file imports the wasm package, and only what runs in the worker uses its functions", () => {
  expect(having(/from\s+["'][^"']*pkg\//)).toEqual(["core/concord.ts"]);
  expect(having(/import\s+(?:\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+["'][^"']*\/concord["']/).sort()).toEqual([
    "core/parity.ts",
    "core/worker.ts",
  ]);
  expect(having(/(?<!type.*)from\s+["'][^"']*core\/(?:parity|worker)["']/)).toEqual([]);
});

test("no text becomes markup", () => {
  expect(
    having(/innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(/),
  ).toEqual([]);
});

test("nothing is compared by the browser's Unicode tables", () => {
  expect(having(/\.normalize\(|localeCompare|Intl\.Collator/)).toEqual([]);
});
