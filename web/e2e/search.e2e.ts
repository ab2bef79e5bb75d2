import { expect, inject, test } from "vitest";
import { answered, titles, watched } from "./browser";

const { visit } = watched();

test("a question is answered while it is typed, and the browser agrees with the server", async () => {
  const page = await visit("/?domain=finance");
  await page.getByRole("searchbox").fill("warranty charge Kestrel");
  await answered(page);
  expect((await titles(page))[0]).toBe("Voltquay Storage, third quarter 2026");
  const first = page.locator("[data-row]").first();
  expect(await first.locator("mark").count()).toBeGreaterThan(0);
  expect(await first.locator(".meta").innerText()).toMatch(
    /Filings.*What moved.*Voltquay Storage.*Nov 12, 2026/s,
  );
  expect(await first.locator(".score").innerText()).toMatch(/^\d\.\d{4}$/);
  expect(await page.locator("[data-agreement]").getAttribute("data-agreement")).toBe("same");
});

test("the last question wins, whatever order the answers come in", async () => {
  const page = await visit("/?domain=finance");
  // The first question is held back until long after the second was answered.
  await page.route(/q=warranty/, async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue().catch(() => {});
  });
  const field = page.getByRole("searchbox");
  await field.fill("warranty");
  await page.waitForRequest(/q=warranty/);
  await field.fill("Halden Grocers");
  await answered(page);
  const before = await titles(page);
  await page.waitForTimeout(2000);
  expect(await titles(page)).toEqual(before);
  expect(await page.locator(".stale").count()).toBe(0);
});

test("Enter opens a note that answers the question, never one of the question before", async () => {
  const page = await visit("/?domain=finance&q=warranty+charge+Kestrel");
  await answered(page);
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/q=Halden/, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(/q=Halden/);
  await page.getByRole("searchbox").fill("Halden Grocers");
  await page.keyboard.press("Enter");
  await asked;
  await page.keyboard.press("Enter");
  release();
  await answered(page);
  expect(await page.locator(".panel").count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.locator(".panel h2").waitFor();
  expect(await page.locator(".panel h2").innerText()).toBe((await titles(page))[0]);
});

test("scopes narrow the search, and a link carries them", async () => {
  const page = await visit("/?domain=finance&q=margin&folder=Filings");
  await answered(page);
  const paths = await page
    .locator("[data-row]")
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["note"]));
  expect(paths.every((path) => path?.startsWith("Filings/"))).toBe(true);
  await page.getByRole("button", { name: "Search all notes" }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[data-row]")].some(
      (row) => !(row as HTMLElement).dataset["note"]?.startsWith("Filings/"),
    ),
  );
  // The address follows when nothing has changed for a moment.
  await page.waitForURL((url) => !url.searchParams.has("folder"));
});

test("a note opens at its passage, and its links lead on", async () => {
  const page = await visit("/?domain=finance&q=warranty+charge+Kestrel");
  await answered(page);
  await page.getByRole("link", { name: "The Kestrel 2 warranty charge" }).first().click();
  const panel = page.getByRole("complementary", { name: "Note" });
  await panel.locator("article .in").first().waitFor();
  const mark = panel.locator("article mark").first();
  expect(await mark.count()).toBe(1);
  const [box, frame] = [await mark.boundingBox(), await panel.boundingBox()];
  expect(box && frame && box.y >= frame.y && box.y < frame.y + frame.height).toBe(true);
  await panel.getByRole("tab", { name: /Links/ }).click();
  await panel.getByRole("link", { name: "Backlog is not revenue" }).click();
  await panel.getByRole("heading", { name: "Backlog is not revenue", level: 2 }).waitFor();
  await page.goBack();
  await panel.getByRole("heading", { name: "The Kestrel 2 warranty charge", level: 2 }).waitFor();
});

test("whatever notes are opened and closed, every Back changes what is seen", async () => {
  const page = await visit("/?domain=finance");
  await page.getByRole("searchbox").fill("warranty charge Kestrel");
  await answered(page);
  const rows = page.locator("[data-row] .title");
  const panel = page.locator(".panel");
  const close = async () => {
    await page.getByRole("button", { name: "Close the note" }).click();
    await panel.waitFor({ state: "detached" });
  };
  const search = () => new URL(page.url()).search;
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await page.locator(".dot").first().waitFor();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await answered(page);
  const list = search();
  for (const n of [0, 1]) {
    await rows.nth(n).click();
    await panel.locator("article").waitFor();
    await panel.getByRole("tab", { name: "Why" }).click();
    await close();
    await page.waitForURL((url) => url.search === list);
  }
  // From note to note, the way back leads over the first.
  await rows.nth(0).click();
  await rows.nth(0).click();
  await panel.locator("article").waitFor();
  const first = await panel.locator("h2").innerText();
  await rows.nth(1).click();
  await page.waitForFunction((title) => document.querySelector(".panel h2")?.textContent !== title, first);
  await close();
  await page.goBack();
  await panel.locator("h2", { hasText: first }).waitFor();
  await close();
  // Where the list was left for a note that was closed again, it is found at once.
  await page.goBack();
  await page.locator(".dot").first().waitFor();
  await page.goBack();
  await answered(page);
  expect(await panel.count()).toBe(0);
});

test("closing a note leaves the list where it was scrolled to meanwhile", async () => {
  const page = await visit("/?domain=finance&q=margin");
  await answered(page);
  await page.locator("[data-row] .title").nth(4).click();
  await page.locator(".panel article").waitFor();
  const scrolled = () => page.evaluate(() => scrollY);
  const row = page.locator("[data-row]").nth(4);
  // The row, to which the focus returns, stays on the screen.
  await page.evaluate(() => scrollBy(0, 40));
  await page.waitForFunction(() => scrollY > 0);
  const before = await scrolled();
  const place = await row.boundingBox();
  expect(place && place.y > 60 && place.y < 700).toBe(true);
  await page.getByRole("button", { name: "Close the note" }).click();
  await page.waitForURL((url) => !url.searchParams.has("note"));
  await page.waitForTimeout(200);
  expect(await scrolled()).toBe(before);
});

test("with no mouse: ask, go through the list, open, read why, come back", async () => {
  const page = await visit("/?domain=finance");
  await page.locator("main").waitFor();
  const focused = () =>
    page.evaluate(
      () =>
        document.activeElement?.closest("[data-row]")?.getAttribute("data-row") ??
        document.activeElement?.id ??
        "",
    );
  await page.keyboard.press("/");
  expect(await focused()).toBe("q");
  await page.keyboard.type("deposit float");
  await answered(page);
  const ids = await page
    .locator("[data-row]")
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["row"]));
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe(ids[0]);
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe(ids[1]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("q");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".panel article").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  await page.locator(".why table").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await page.waitForTimeout(100);
  expect(await focused()).toBe(ids[1]);
  await page.keyboard.press("Escape");
  expect(await focused()).toBe("q");
});

test("why a note is not here is told by the stage that kept it out", async () => {
  const page = await visit("/?domain=finance&q=warranty+charge&patch=%7B%22limit%22%3A2%7D");
  await answered(page);
  const field = page.getByLabel("Why is a note not here?");
  const said = page.locator(".absent .said");
  const explain = async (name: string) => {
    const before = await said.innerText();
    await field.fill(name);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.waitForFunction(
      (old) => (document.querySelector<HTMLElement>(".absent .said")?.innerText ?? "") !== old,
      before,
    );
    return said.innerText();
  };
  const here = await page.locator("[data-row]").first().getAttribute("data-note");
  expect(await explain(here ?? "")).toContain("is here, at 1st");
  const listed = await page
    .locator("[data-row]")
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["note"]));
  const other =
    ["Concepts/Margin of safety.md", "Research/Quillon without Varga.md"].find(
      (path) => !listed.includes(path),
    ) ?? "";
  expect(await explain(other)).toMatch(/the list ends after 2|was no candidate/);
  expect(await explain("nowhere at all")).toMatch(/No such note/);
});

test("quotations of a draft are checked, and where they stand is shown", async () => {
  const page = await visit("/?domain=finance&view=citations");
  await page
    .getByLabel("Draft")
    .fill(
      "He writes that “About 140 vehicles are tied to the contract”, see [[Research/What Northreach lost with Halden]].\n\n" +
        "Elsewhere: “Halden Grocers accounted for six per cent of group revenue” ([[Concepts/Margin of safety]]).\n\n" +
        "Nobody wrote “the moon is made of green cheese entirely”, and “tiny” is too short.\n\n" +
        "> Leases on sixty of them end by December.\n",
    );
  await page.getByRole("button", { name: "Check 5 quotations" }).click();
  await page.locator(".verdicts li").nth(4).waitFor();
  const verdicts = await page
    .locator(".verdicts > li")
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["verdict"]));
  expect(verdicts).toEqual(["verified", "elsewhere", "missing", "short", "verified"]);
  expect(await page.locator(".verdicts > li").first().locator("mark").innerText()).toBe(
    "About 140 vehicles are tied to the contract",
  );
  await page.locator(".verdicts > li").nth(1).getByRole("link").last().click();
  await page.locator(".panel article").waitFor();
});

test("a draft is opened from a file, and what is no text is refused", async () => {
  const page = await visit("/?domain=finance&view=citations");
  const open = (name: string, buffer: Buffer) =>
    page.getByLabel("A text file").setInputFiles({ name, mimeType: "text/plain", buffer });
  await open("draft.md", Buffer.from("He says “About 140 vehicles are tied to the contract”."));
  await page.getByRole("button", { name: "Check 1 quotation" }).waitFor();
  await open("picture.png", Buffer.from([0x89, 0x50, 0x00, 0x01]));
  await page.getByText("“picture.png” is not a text.").waitFor();
  await open("book.txt", Buffer.alloc((1 << 20) + 1, "a"));
  await page.getByText("“book.txt” is larger than a megabyte.").waitFor();
  expect(await page.getByLabel("Draft").inputValue()).toContain("About 140 vehicles");
});

test("the parity cases run in this browser, and every one has the native core's bits", async () => {
  const page = await visit("/?domain=finance&view=agreement");
  await page.getByRole("button", { name: "Run the parity cases" }).click();
  const status = page.locator("[data-cases]");
  await page.getByText(/^(The same bits in all|\d+ of) \d+ cases/).waitFor();
  expect(await status.getAttribute("data-apart")).toBe("0");
  expect(Number(await status.getAttribute("data-cases"))).toBeGreaterThan(400);
  console.log(`parity: ${await status.innerText()}`);
});

test("one parity case with another answer is told by its name", async () => {
  const page = await visit("/?domain=finance&view=agreement", {
    before: (fresh) =>
      fresh.route(/cases-.*\.json/, async (route) => {
        const response = await route.fetch();
        const cases = (await response.json()) as { name: string; digest: string }[];
        cases[7]!.digest = cases[8]!.digest;
        cases[7]!.name = "the falsified one";
        await route.fulfill({ response, json: cases });
      }),
  });
  await page.getByRole("button", { name: "Run the parity cases" }).click();
  await page.getByText(/^1 of \d+ cases differ; the first: the falsified one\.$/).waitFor();
});

test("many rankings are compared with the server's, and all are the same", async () => {
  const page = await visit("/?domain=finance&q=margin&view=agreement");
  await page.getByRole("button", { name: /Compare \d+ rankings/ }).click();
  const status = page.locator("[data-compared]");
  await page.waitForFunction(
    () => /all \d+ rankings|differ/.test(document.querySelector("[data-compared]")?.textContent ?? ""),
    null,
    { timeout: 50_000 },
  );
  expect(await status.getAttribute("data-same")).toBe(await status.getAttribute("data-compared"));
  console.log(`agreement: ${await status.innerText()}`);
});

test("the graph is drawn, walked by keys, and readable as a table", async () => {
  const page = await visit("/?domain=finance&q=Northreach+margin&view=graph");
  await page.locator(".dot").first().waitFor();
  const dots = await page.locator(".dot").count();
  expect(await page.locator(".as-table tbody tr").count()).toBe(dots);
  await page.locator(".dot[tabindex='0']").focus();
  const before = await page.locator("figcaption").innerText();
  for (const key of ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]) {
    await page.keyboard.press(key);
    if ((await page.locator("figcaption").innerText()) !== before) break;
  }
  expect(await page.locator("figcaption").innerText()).not.toBe(before);
  await page.keyboard.press("Enter");
  await page.locator(".panel article").waitFor();
  const chosen = await page.locator(".dot[tabindex='0']").getAttribute("data-dot");
  await page.keyboard.press("Escape");
  await page.waitForFunction((dot) => document.activeElement?.getAttribute("data-dot") === dot, chosen);
  await page.keyboard.press("Enter");
  await page.locator(".panel article").waitFor();
  await page.getByRole("button", { name: "Fast beside deep" }).click();
  await page.locator(".beside .picture").nth(1).waitFor();
  expect(await page.locator(".beside > div").nth(1).innerText()).toMatch(/kept, \d+ pruned, \d+ looked at/);
});

test("a walk starts at a note by any of its names, and a name of several is told with their paths", async () => {
  const page = await visit("/?domain=finance&view=graph&walk=fast", { expected: /400|404/ });
  const from = page.getByLabel("From");
  const start = page.locator(".as-table tbody tr", { hasText: "the walk began here" });
  for (const name of [
    "the kestrel 2 warranty charge",
    "Margin of safety",
    "Voltquay Storage, third quarter 2026",
  ]) {
    await from.fill(name);
    await from.press("Enter");
    await start.filter({ hasText: new RegExp(name, "i") }).waitFor();
  }
  await from.fill("2026-Q3");
  await from.press("Enter");
  const told = page.locator(".graph [role=alert]");
  await told.filter({ hasText: "2026-Q3 may mean several notes" }).waitFor();
  const paths = await told.locator("code").allInnerTexts();
  expect(paths.slice(1)).toContain("Filings/NRTH/2026-Q3.md");
  await from.fill("Filings/NRTH/2026-Q3.md");
  await from.press("Enter");
  await start.waitFor();
  expect(await told.count()).toBe(0);
  await from.fill("nowhere at all");
  await from.press("Enter");
  await told.filter({ hasText: "There is no note nowhere at all" }).waitFor();
});

test("a profile is saved under a name with the token, and refused without", async () => {
  const patch = encodeURIComponent(JSON.stringify({ fuse: { weights: { lexical: 1.25 } } }));
  const page = await visit(`/?domain=finance&q=margin&patch=${patch}#token=${inject("token")}`);
  await answered(page);
  expect(page.url()).not.toContain("token");
  await page.getByRole("button", { name: "Save as …" }).click();
  await page.getByPlaceholder("name").fill("wordy");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved as “wordy”.").waitFor();
  await page.waitForTimeout(300);
  expect(new URL(page.url()).searchParams.get("profile")).toBe("wordy");
  expect(new URL(page.url()).searchParams.has("patch")).toBe(false);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“wordy” is gone.").waitFor();

  const other = await visit("/?domain=finance&q=margin", { expected: /401|403/ });
  await answered(other);
  await other.getByRole("button", { name: "Save as …" }).click();
  await other.getByPlaceholder("name").fill("wordy");
  await other.getByRole("button", { name: "Save", exact: true }).click();
  await other.locator(".presets .fault").waitFor();
  expect(await other.locator(".presets .fault").innerText()).toContain("token");
});

test("two profiles stand side by side", async () => {
  const page = await visit("/?domain=finance&q=Northreach+margin&view=compare&against=balanced");
  await page.locator(".compare tbody tr").first().waitFor();
  expect(await page.getByLabel("Profile B").inputValue()).toBe("balanced");
  expect(await page.locator(".compare tbody tr").count()).toBeGreaterThan(5);
});

test("on a narrow screen a note's walk is seen, not covered by the note", async () => {
  const page = await visit(
    "/?domain=finance&q=margin&note=Research%2FThe+Kestrel+2+warranty+charge.md&tab=links",
    {
      viewport: { width: 360, height: 800 },
    },
  );
  await page.getByRole("button", { name: "Walk along them in the graph" }).click();
  await page.locator(".picture .dot").first().waitFor();
  expect(await page.locator(".panel").count()).toBe(0);
  expect(new URL(page.url()).searchParams.get("from")).toBe("Research/The Kestrel 2 warranty charge.md");
});
