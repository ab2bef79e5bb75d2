import AxeBuilder from "@axe-core/playwright";
import type { Page, Route } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { answered, watched } from "./browser";

const { visit } = watched();
const SHOTS = new URL("../../target/screenshots/", import.meta.url).pathname;

interface State {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
  readonly before?: (page: Page) => Promise<unknown>;
  readonly expected?: RegExp;
  /** The picture shows the page to its end, not just the first screen. */
  readonly whole?: boolean;
}

const ASKED = "/?domain=finance&q=warranty+charge+Kestrel";
const NOTE = "&note=Research%2FThe+Kestrel+2+warranty+charge.md&at=0";

/** Changes the server's real answer, for a state that the sample vault does not have. */
const amended = (change: object) => async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: { ...((await response.json()) as object), ...change } });
};

/** As who opened the address that the server printed. */
const unlock = (page: Page) =>
  page.addInitScript((token) => sessionStorage.setItem("concord.token", token), inject("token"));

const HALDEN = "[[Research/What Northreach lost with Halden]]";

/** A draft with a quotation of every kind, and the verdict that each must get, in order. */
const DRAFT = [
  `Of the lorries, “About 140 vehicles are tied to the contract” (${HALDEN}).`,
  `They lose their work: “The others will go to work at lower rates … or stand.” (${HALDEN})`,
  `Maren Tolvik puts it so: “I estimate that the contract brought in a quarter of the haulage division's operating profit.” (${HALDEN})`,
  `She adds that “Halden has promised to come back in the spring” (${HALDEN}).`,
  "In her words, a “sell”.",
].join("\n\n");
const TOLD = [
  /^Verified\. It stands there word for word\./,
  /^Verified\. Its 2 parts stand there/,
  /^Not word for word\./,
  /^Not found\./,
  /^Too short\./,
];

/** A recommendation with a quotation of every kind. */
const keep = async (page: Page) => {
  const listed = await page.request.get(`${inject("origin")}/v1/rx?domain=finance`);
  if (((await listed.json()) as { recommendations: unknown[] }).recommendations.length > 0) return;
  const text = [
    "Of the lorries, “About 140 vehicles are tied to the contract” ([[Research/What Northreach lost with Halden]]).",
    "“Halden Grocers accounted for six per cent of group revenue” ([[Concepts/Margin of safety]]).",
    "“About 130 vehicles were tied to that contract” ([[Research/What Northreach lost with Halden]]).",
    "Nobody wrote “the moon is made of green cheese entirely”.",
  ].join("\n\n");
  await page.request.post(`${inject("origin")}/v1/rx?domain=finance`, {
    headers: { authorization: `Bearer ${inject("token")}` },
    data: { title: "Halden and the lorries", question: "What did Northreach lose?", text },
  });
};

const STATES: readonly State[] = [
  {
    name: "welcome",
    path: "/?domain=finance",
    ready: (page) => page.getByText(/notes in .* passages/).waitFor(),
  },
  { name: "results", path: ASKED, ready: answered },
  {
    name: "reranked",
    path: `${ASKED}&patch=${encodeURIComponent('{"fuse":{"weights":{"lexical":2}},"graph":{"beta":0.6}}')}`,
    ready: (page) => page.locator(".moved.up").first().waitFor(),
  },
  {
    name: "note",
    path: `${ASKED}${NOTE}`,
    ready: (page) => page.locator(".panel article .in").first().waitFor(),
  },
  {
    name: "why",
    path: `${ASKED}${NOTE}&tab=why`,
    ready: (page) => page.locator(".panel .why table").waitFor(),
  },
  {
    name: "links",
    path: `${ASKED}${NOTE}&tab=links`,
    ready: (page) => page.locator(".links li").first().waitFor(),
  },
  { name: "graph", path: `${ASKED}&view=graph`, ready: (page) => page.locator(".dot").first().waitFor() },
  {
    name: "walk",
    path: `${ASKED}&view=graph`,
    ready: async (page) => {
      await page.locator(".dot").first().waitFor();
      await page.getByRole("button", { name: "Fast beside deep" }).click();
      await page.locator(".beside .picture").nth(1).waitFor();
    },
  },
  {
    name: "compare",
    path: `${ASKED}&view=compare&against=balanced`,
    ready: (page) => page.locator(".compare tbody tr").first().waitFor(),
  },
  {
    name: "citations",
    path: "/?domain=finance&view=citations",
    ready: async (page) => {
      await page.getByLabel("Draft").fill(DRAFT);
      await page.getByRole("button", { name: /Check 5/ }).click();
      await page.locator(".verdicts li").nth(4).waitFor();
      const told = await page.locator(".verdicts .told").allInnerTexts();
      expect(told.map((words, i) => TOLD[i]?.test(words) || words)).toEqual(TOLD.map(() => true));
    },
  },
  {
    name: "citations-verdicts",
    path: "/?domain=finance&view=citations",
    ready: async (page) => {
      await page.getByLabel("Draft").fill(DRAFT);
      await page.getByRole("button", { name: /Check 5/ }).click();
      await page.locator(".verdicts li").nth(4).waitFor();
    },
    whole: true,
  },
  {
    name: "recommendations-none",
    path: "/?domain=nutrition&view=recommendations",
    ready: (page) => page.getByText("Nothing is kept in nutrition yet.").waitFor(),
  },
  {
    name: "recommendations",
    path: "/?domain=finance&view=recommendations",
    before: keep,
    ready: (page) => page.locator("[data-rx]").first().waitFor(),
  },
  {
    name: "recommendation",
    path: "/?domain=finance&view=recommendations",
    before: keep,
    ready: async (page) => {
      await page.locator("[data-rx] a").first().click();
      await page.locator(".verdicts li").nth(3).waitFor();
    },
  },
  {
    name: "review",
    path: "/?domain=fitness&view=review",
    ready: (page) => page.locator("[data-proposal]").nth(2).waitFor(),
  },
  {
    name: "review-none",
    path: "/?domain=many&view=review",
    ready: (page) => page.getByText("Nothing is waiting for review.").waitFor(),
  },
  {
    name: "review-preview",
    path: "/?domain=fitness&view=review",
    before: unlock,
    ready: async (page) => {
      await page.locator("[data-proposal] input").first().check();
      await page.locator("[data-proposal] input").nth(1).check();
      await page.getByRole("button", { name: "Preview 2 notes …" }).click();
      await page.locator(".diff .added").first().waitFor();
    },
  },
  {
    name: "review-locked",
    path: "/?domain=fitness&view=review",
    ready: async (page) => {
      await page.getByRole("button", { name: "Propose tags for untagged notes" }).click();
      await page.getByLabel(/needs the token/).waitFor();
    },
    expected: /401/,
  },
  {
    name: "rename",
    path: "/?domain=fitness&view=rename",
    before: unlock,
    ready: async (page) => {
      await page.getByLabel("Tag 1", { exact: true }).fill("recovery/sleep");
      await page.getByLabel("New name of tag 1").fill("mobility");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.locator(".diff .added").first().waitFor();
    },
  },
  {
    name: "agreement",
    path: `${ASKED}&view=agreement`,
    ready: (page) => page.getByText("Computed here").waitFor(),
  },
  {
    name: "nothing",
    path: ASKED,
    before: (page) =>
      page.route(
        /vault\/search/,
        amended({ nothing_relevant: true, why: "The nearest passage is too far from the question." }),
      ),
    ready: (page) => page.getByText("Nothing here answers that.").waitFor(),
  },
  {
    name: "words-only",
    path: ASKED,
    before: (page) =>
      page.route(
        /vault\/search/,
        amended({ words_only: true, why: "By words alone: no encoder could be loaded." }),
      ),
    ready: answered,
  },
  {
    name: "error",
    path: ASKED,
    before: (page) =>
      page.route(/vault\/search/, (route) =>
        route.fulfill({
          status: 503,
          json: {
            error: {
              code: "busy",
              message: "The server has too much to do.",
              hint: "Try again in a moment.",
              key: null,
              request_id: "r-1",
            },
          },
        }),
      ),
    ready: (page) => page.getByText("The server has too much to do.").waitFor(),
    expected: /503/,
  },
  {
    name: "offline",
    path: ASKED,
    before: (page) => page.route(/\/v1\//, (route) => route.abort()),
    ready: (page) => page.getByText("The server is not running.").waitFor(),
    expected: /ERR_FAILED|Failed to load/,
  },
  {
    name: "down",
    path: ASKED,
    before: (page) =>
      page.route(/v1\/domains/, async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { domains: { name: string }[] };
        const error = {
          code: "domain_down",
          message: "the domain `finance` does not answer: no process listens at its address",
          hint: "start it with `DOMAIN=finance concord serve --port 8701`",
        };
        const domains = answer.domains.map((one) =>
          one.name === "finance" ? { name: one.name, up: false, error } : one,
        );
        await route.fulfill({ response, json: { ...answer, domains } });
      }),
    ready: (page) => page.getByText("finance cannot be asked now.").waitFor(),
  },
  {
    name: "loading",
    path: ASKED,
    // Never answered; the page is closed meanwhile.
    before: (page) => page.route(/vault\/search/, () => {}),
    ready: (page) => page.locator(".ghost").first().waitFor(),
  },
];

const LOOKS = [
  { look: "light wide", colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { look: "dark wide", colorScheme: "dark", viewport: { width: 1440, height: 900 } },
  { look: "light narrow", colorScheme: "light", viewport: { width: 360, height: 800 } },
  { look: "dark narrow", colorScheme: "dark", viewport: { width: 360, height: 800 } },
] as const;

describe.each(LOOKS)("$look", ({ look, colorScheme, viewport }) => {
  test.each(STATES)(
    "$name is accessible, and fits",
    async ({ name, path, ready, before, expected, whole }) => {
      const page = await visit(path, { colorScheme, viewport, reducedMotion: "reduce", before, expected });
      await ready(page);
      await page.waitForTimeout(150);
      await page.screenshot({
        path: `${SHOTS}${name} ${look}.png`.replaceAll(" ", "-").replace("--", "-"),
        fullPage: whole ?? false,
      });
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
        "nothing sticks out",
      ).toBe(0);
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
        .analyze();
      expect(
        violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
        ),
      ).toEqual([]);
    },
  );
});

test("the colours can be chosen, and are kept", async () => {
  const page = await visit("/?domain=finance", { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  const toggle = page.getByRole("button", { name: /^Colours/ });
  await toggle.click();
  expect(await ground()).toBe(light);
  await toggle.click();
  expect(await ground()).not.toBe(light);
  await page.reload();
  expect(await ground()).not.toBe(light);
});

test("nothing jumps while results come", async () => {
  const page = await visit("/?domain=finance");
  await page.getByText(/notes in .* passages/).waitFor();
  await page.evaluate(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        (window as unknown as { shift: number }).shift += (entry as unknown as { value: number }).value;
      }
    }).observe({ type: "layout-shift" });
  });
  // At once: between the answers to two questions rows are meant to move.
  await page.getByRole("searchbox").fill("deposit float");
  await answered(page);
  await page.waitForTimeout(400);
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.02);
});
