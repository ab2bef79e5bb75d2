import type { Page, Response } from "playwright-core";
import { expect, inject, test } from "vitest";
import type { Bundle, Profile } from "../src/core/concord";
import { valueAt } from "../src/profile/patch";
import { answered, digest, titles, watched } from "./browser";
import { nativeDigest, ownProfile } from "./native";
import { serve } from "./server";
import { MANY } from "./vault";

const { visit } = watched();

interface Frame {
  /** From the `input` event of the number that the list was ranked by. */
  readonly ms: number;
  /** From the pointer's move behind it, which waits for a frame before the page hears of it. */
  readonly sinceMove: number;
  /** Whether it is painted in the very frame that brought the input. */
  readonly same: boolean;
  readonly digest: string;
  readonly patch: string;
}

interface Drag {
  readonly frames: readonly Frame[];
  /** How many numbers the slider took. */
  readonly inputs: number;
  /** Those that no painted list shows, since a later one took their place. */
  readonly passedOver: readonly number[];
}

/**
 * From now on every painted list is noted: its digest, its numbers, and how long after the input.
 * A list is paired with its input by the number it was ranked by, so that none is timed from an
 * input that came later. `own` is the number's value where the patch does not name it.
 */
async function watchFrames(page: Page, key: string, own: number): Promise<void> {
  await page.evaluate(
    ([key, own]) => {
      const list = document.querySelector<HTMLElement>("[data-digest]")!;
      const { clock = () => performance.now() } = window as { clock?: () => number };
      const drag = { frames: [] as Frame[], inputs: 0, passedOver: [] as number[] };
      const unpainted = new Map<number, { input: number; move: number; rendered: boolean }>();
      Object.assign(window, {
        drag: () => ({ ...drag, passedOver: [...unpainted.keys()] }),
      });
      let move = 0;
      addEventListener("pointermove", ({ timeStamp }) => (move = timeStamp), true);
      addEventListener("pointerdown", ({ timeStamp }) => (move = timeStamp), true);
      addEventListener(
        "input",
        ({ target, timeStamp }) => {
          const slider = target as HTMLInputElement;
          if (slider.dataset["number"] !== `n-${key}`) return;
          drag.inputs++;
          const value = slider.valueAsNumber;
          if (unpainted.has(value)) return;
          const one = { input: timeStamp, move, rendered: false };
          unpainted.set(value, one);
          requestAnimationFrame(() => {
            one.rendered = true;
          });
        },
        true,
      );
      new MutationObserver(() => {
        const digest = list.dataset["digest"] ?? "";
        const patch = list.dataset["patch"] ?? "";
        const named = key.split(".").reduce((at, part) => at?.[part], JSON.parse(patch));
        const value: number = named ?? own;
        const same = unpainted.get(value)?.rendered === false;
        requestAnimationFrame(() => {
          // What was replaced before the frame came is on no screen.
          if (list.dataset["digest"] !== digest) return;
          const from = unpainted.get(value);
          unpainted.delete(value);
          // After the frame's rendering, the first task to run is this one.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            const now = clock();
            const [ms, sinceMove] = [now - (from?.input ?? NaN), now - (from?.move ?? NaN)];
            drag.frames.push({ ms, sinceMove, same, digest, patch });
          };
          port2.postMessage(null);
        });
      }).observe(list, { attributes: true, attributeFilter: ["data-digest"] });
    },
    [key, own] as const,
  );
}

async function drag(page: Page, key: string, steps: number): Promise<Drag> {
  const box = await page.locator(`[data-number="n-${key}"]`).boundingBox();
  if (!box) throw new Error(`no slider ${key}`);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 8, y);
  await page.mouse.down();
  for (let i = 0; i <= steps; i++) {
    await page.mouse.move(box.x + 8 + ((box.width - 16) * i) / steps, y);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await page.waitForTimeout(300);
  return page.evaluate(() => (window as unknown as { drag: () => Drag }).drag());
}

const DRAGGED = "fuse.weights.lexical";
const MORE = { limit: 50, retrieve: { pool_min: MANY } };

/** More than 200 candidates on a page, as the server answered, and every painted list noted from now on. */
async function draggable(before?: (page: Page) => unknown) {
  let answer: Promise<Response> | null = null;
  const page = await visit(
    `/?domain=many&q=late+shipment+of+copper&patch=${encodeURIComponent(JSON.stringify(MORE))}`,
    {
      before: async (fresh) => {
        answer = fresh.waitForResponse(/\/v1\/vault\/search/);
        await before?.(fresh);
      },
    },
  );
  const { receipt } = (await (await answer!).json()) as { receipt: { bundle: Bundle; profile: Profile } };
  await answered(page);
  expect(receipt.bundle.chunks.length).toBeGreaterThanOrEqual(200);
  const own = await ownProfile(inject("origin"), "many");
  await watchFrames(page, DRAGGED, valueAt(own, DRAGGED.split(".")) as number);
  return { page, bundle: receipt.bundle, own };
}

/** How long the page waits for its worker it reads from a clock that stands still here, so that no
 * machine is too slow for what is promised: a list in the frame of its input. */
function withoutHurry(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const clock = performance.now.bind(performance);
    Object.assign(window, { clock });
    Object.defineProperty(performance, "now", { value: () => 0 });
  });
}

test("while a slider is dragged over 200 candidates, every list on the screen has the native core's digest", async () => {
  const { page, bundle, own } = await draggable(withoutHurry);
  expect(await page.evaluate(() => crossOriginIsolated), "memory is shared with the worker").toBe(true);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) asked.push(request.url());
  });
  const { frames, inputs, passedOver } = await drag(page, DRAGGED, 90);
  expect(asked, "a re-ranking asks the server nothing").toEqual([]);
  expect(frames.length).toBeGreaterThan(20);
  expect(
    frames.filter(({ ms }) => !(ms >= 0)),
    "every list is some input's",
  ).toEqual([]);
  expect(frames.length + passedOver.length).toBe(inputs);
  expect(new Set(frames.map((frame) => frame.digest)).size).toBeGreaterThan(10);
  const inFrame = frames.filter(({ same }) => same).length;
  expect(inFrame, "lists painted in the frame of their input").toBe(frames.length);

  // The native core is a process a ranking here: a dozen frames of the drag stand for all.
  const sampled = frames.filter((_, i) => i % Math.ceil(frames.length / 12) === 0);
  for (const { digest, patch } of sampled) expect(digest, patch).toBe(nativeDigest(bundle, own, patch));

  const spread = (times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const [median, p95] = [0.5, 0.95].map((part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
    return `median ${median?.toFixed(1)} ms, p95 ${p95?.toFixed(1)} ms`;
  };
  console.log(
    `drag over ${bundle.chunks.length} candidates, 50 rows: input to painted list, ` +
      `${spread(frames.map(({ ms }) => ms))} over ${frames.length} frames (aims: 16, 33); ` +
      `from the pointer's move, ${spread(frames.map(({ sinceMove }) => sinceMove))}; ` +
      `${inFrame} in the frame of their input; ` +
      `${passedOver.length} of ${inputs} inputs passed over; ${sampled.length} digests equal native's`,
  );
});

test("where memory is not shared the list follows a slider all the same, with the native core's digests", async () => {
  const { page, bundle, own } = await draggable((fresh) =>
    fresh.route(
      (url) => url.pathname === "/",
      async (route) => {
        const response = await route.fetch();
        const { "cross-origin-opener-policy": _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      },
    ),
  );
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  const first = { digest: await digest(page), titles: await titles(page) };
  const { frames } = await drag(page, DRAGGED, 30);
  // The last number has the last word, whenever its message comes.
  await page.waitForFunction(() => {
    const { patch } = document.querySelector<HTMLElement>("[data-digest]")!.dataset;
    const slider = document.querySelector<HTMLInputElement>('[data-number="n-fuse.weights.lexical"]')!;
    return JSON.parse(patch!).fuse?.weights?.lexical === slider.valueAsNumber;
  });
  const last = {
    digest: await digest(page),
    patch: (await page.locator("[data-digest]").getAttribute("data-patch"))!,
  };
  expect(last.digest).not.toBe(first.digest);
  expect(await titles(page)).not.toEqual(first.titles);
  for (const { digest, patch } of [...frames.filter((_, i) => i % 10 === 0), last])
    expect(digest, patch).toBe(nativeDigest(bundle, own, patch));
  expect(await page.locator("[data-agreement]").getAttribute("data-agreement")).toBe("same");
});

test("rows move, and say how far", async () => {
  const page = await visit("/?domain=many&q=late+shipment+of+copper");
  await answered(page);
  const before = await titles(page);
  await page.locator('[data-number="n-fuse.weights.lexical"]').fill("2");
  await page.waitForFunction(
    (old) =>
      [...document.querySelectorAll("[data-row] .title")]
        .map((row) => (row as HTMLElement).innerText)
        .join() !== old,
    before.join(),
  );
  const moving = await page.evaluate(
    () =>
      document
        .getAnimations()
        .filter((motion) => (motion.effect as KeyframeEffect).target?.matches("[data-row]")).length,
  );
  expect(moving).toBeGreaterThan(0);
  expect(await page.locator(".moved.up, .moved.down").count()).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Reset Words" }).click();
  await page.waitForFunction(
    (old) =>
      [...document.querySelectorAll("[data-row] .title")]
        .map((row) => (row as HTMLElement).innerText)
        .join() === old,
    before.join(),
  );
  expect(await page.locator(".moved.up, .moved.down").count()).toBe(0);
});

test("who wants no motion gets none", async () => {
  const page = await visit("/?domain=many&q=late+shipment+of+copper", { reducedMotion: "reduce" });
  await answered(page);
  const before = await digest(page);
  await page.locator('[data-number="n-fuse.weights.lexical"]').fill("2");
  await page.waitForFunction(
    (old) => document.querySelector<HTMLElement>("[data-digest]")?.dataset["digest"] !== old,
    before,
  );
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test("with the server stopped, the list still follows every control", async () => {
  const server = await serve(inject("vault"));
  const page = await visit("/?domain=finance&q=Northreach+margin", {
    origin: server.origin,
    expected: /Failed to load|ERR_CONNECTION/,
  });
  await answered(page);
  await server.stop();
  const moved = async (act: () => Promise<unknown>) => {
    const before = await digest(page);
    await act();
    await page.waitForFunction(
      (old) => document.querySelector<HTMLElement>("[data-digest]")?.dataset["digest"] !== old,
      before,
    );
  };
  await moved(() => page.locator('[data-number="n-graph.beta"]').fill("0.9"));
  await moved(() => page.getByLabel("Age weighs", { exact: true }).selectOption("half_life"));
  await moved(() => page.getByLabel("Weight of the newest").fill("0.3"));
  await moved(() => page.locator(".presets select").selectOption("balanced"));
  await page
    .getByRole("button", { name: /^Why is/ })
    .first()
    .click();
  await page.locator(".why table").waitFor();
  await page.getByRole("tab", { name: "Note" }).click();
  await page.locator(".panel article .in").first().waitFor();
  await page.keyboard.press("Escape");
  const rows = await page.locator("[data-row]").count();
  await page.getByRole("searchbox").fill("something else");
  await page.getByText("The server is not running.").waitFor();
  expect(await page.locator("[data-row]").count()).toBe(rows);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.waitForTimeout(300);
});

test("a link shows the same view to whoever opens it", async () => {
  const page = await visit("/?domain=finance");
  await page.getByRole("searchbox").fill("Northreach margin");
  await answered(page);
  await page.locator(".presets select").selectOption("balanced");
  await page.locator('[data-number="n-fuse.weights.vector"]').fill("0.2");
  await page.locator('[data-number="n-recency.amount"]').fill("0.3");
  await page.locator("[data-row] .title").nth(2).click();
  await page.locator(".panel article").waitFor();
  await page.getByRole("tab", { name: "Why" }).click();
  await page.waitForTimeout(500);
  const seen = async (of: Page) => ({
    titles: await titles(of),
    scores: await of.locator(".score").allInnerTexts(),
    moved: await of.locator(".moved").allInnerTexts(),
    panel: await of.locator(".panel h2").innerText(),
    why: await of.locator(".why .lead").innerText(),
    vector: await of.locator('[data-number="n-fuse.weights.vector"]').inputValue(),
  });
  const there = await visit(page.url().slice(inject("origin").length));
  await answered(there);
  await there.locator(".why .lead").waitFor();
  await there.waitForTimeout(300);
  expect(await seen(there)).toEqual(await seen(page));
});

test("a number that the core does not take is refused beside its control", async () => {
  const page = await visit("/?domain=finance&q=margin");
  await answered(page);
  const before = await digest(page);
  await page.locator("#n-fuse\\.k").fill("-5");
  await page.keyboard.press("Enter");
  await page.locator(".setting .fault").waitFor();
  expect(await page.locator(".setting .fault").innerText()).toContain("fuse.k");
  expect(await digest(page)).toBe(before);
});
