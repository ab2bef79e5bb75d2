import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { answered, watched } from "./browser";
import { HOSTILE } from "./vault";

const { visit } = watched();

/** Each note's own word, and what must be readable of it as text. */
const CASES: Record<keyof typeof HOSTILE, readonly [word: string, text: string]> = {
  script: ["aardvark", "<script>window.harm = 'text'</script>"],
  handlers: ["bandicoot", '<img src=x onerror="window.harm = 1">'],
  svg: ["capybara", '<svg onload="window.harm = 1">'],
  links: ["dingo", "A dingo runs"],
  bidi: ["echidna", "An echidna curls up"],
  megabyte: ["fossa", "A fossa climbs"],
};

/** Of so few notes, the server may say that none answers; they are to be looked at all the same. */
async function listed(page: Page): Promise<void> {
  const anyway = page.getByRole("button", { name: /^Show the nearest/ });
  await page.locator("[data-row]").first().or(anyway).waitFor();
  if (await anyway.isVisible()) await anyway.click();
  await answered(page);
}

async function read(page: Page, word: string): Promise<void> {
  await listed(page);
  const row = page
    .locator("[data-row]")
    .filter({ hasText: new RegExp(word, "i") })
    .first();
  await row.locator(".title").click();
  await page.locator(".panel article").waitFor();
}

const harm = (page: Page) => page.evaluate(() => (window as unknown as { harm?: unknown }).harm);

describe("a note cannot do more than be read", () => {
  test.each(Object.keys(HOSTILE) as (keyof typeof HOSTILE)[])("%s", async (name) => {
    const [word, text] = CASES[name];
    const page = await visit(`/?domain=hostile&q=${word}`);
    await read(page, word);
    expect(await page.locator(".panel article").innerText()).toContain(text);
    for (const tab of ["Why", "Links", "Note"]) await page.getByRole("tab", { name: tab }).click();
    await page.waitForTimeout(300);
    const made = await page
      .locator(".panel, .rows")
      .evaluateAll((parts) =>
        parts.flatMap((part) =>
          [...part.querySelectorAll("script, svg, img, iframe, object, embed, style, link, animate")].map(
            (one) => one.outerHTML,
          ),
        ),
      );
    expect(made).toEqual([]);
    expect(await harm(page)).toBeUndefined();
  });
});

test("no link leads anywhere but to a note or a web page", async () => {
  const page = await visit("/?domain=hostile&q=dingo");
  await read(page, "dingo");
  const hrefs = await page
    .locator(".panel a")
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).getAttribute("href")));
  expect(hrefs).toEqual(["https://example.org/seven"]);
  for (const dead of await page.locator(".panel .dead").all()) await dead.click();
  expect(await harm(page)).toBeUndefined();
});

test("an override of direction is shown, not followed", async () => {
  const page = await visit("/?domain=hostile&q=echidna");
  await read(page, "echidna");
  expect(await page.evaluate(() => document.body.innerText)).not.toMatch(/[\u202a-\u202e]/);
  expect(await page.locator("[data-row] .title").first().innerText()).toContain("\ufffdfdp.exe");
});

test("a title of a megabyte leaves the page in its shape", async () => {
  const page = await visit("/?domain=hostile&q=fossa", { viewport: { width: 360, height: 800 } });
  await listed(page);
  const row = page.locator("[data-row]").filter({ hasText: /fossa/i }).first();
  expect((await row.locator(".title").innerText()).length).toBeLessThanOrEqual(200);
  expect((await row.boundingBox())?.height).toBeLessThan(500);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
