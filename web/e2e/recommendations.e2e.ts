import { expect, test } from "vitest";
import { watched } from "./browser";
import { small } from "./small";

const { visit } = watched();

const LETTER =
  "# Letter to the board\n\nThe harbour charged forty crowns for the salt. Nobody had asked for it.\n";
const vault = small({
  "Letter.md": LETTER,
  "Ledger.md": "# Ledger\n\nIn March the wool came in under budget, as the clerk had promised.\n",
});

const DRAFT = [
  "The letter says “The harbour charged forty crowns for the salt”, see [[Letter]].",
  "It also says “the wool came in under budget” ([[Letter]]).",
  "And “as the clerks have promised” ([[Ledger]]).",
  "Nobody wrote “the moon is made of green cheese entirely”.",
].join("\n\n");

test("a draft is kept with its quotations, and told when one of them no longer holds", async () => {
  const page = await visit(`/?view=citations#token=${vault.token}`, { origin: vault.origin });
  await page.getByLabel("Draft", { exact: true }).fill(DRAFT);
  await page.getByText("Save as a recommendation").click();
  await page.getByLabel("Title").fill("What the salt cost");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "What the salt cost" }).waitFor();
  const id = new URL(page.url()).searchParams.get("rx");
  expect(id).not.toBeNull();
  const verdicts = page.locator(".verdicts > li");
  const kinds = () =>
    verdicts.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["verdict"]));
  expect(await kinds()).toEqual(["verified", "elsewhere", "near", "missing"]);
  expect(await verdicts.first().locator("mark").innerText()).toBe(
    "The harbour charged forty crowns for the salt",
  );
  expect(await verdicts.nth(1).innerText()).toContain("Stands instead in Ledger");
  expect(await verdicts.nth(2).locator("del").allInnerTexts()).not.toEqual([]);
  expect(await page.locator(".draft .quote").count()).toBe(4);
  await page.locator(".draft .quote.near").click();
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["verdict"])).toBe("near");

  await page.keyboard.press("Escape");
  const card = page.locator(`[data-rx="${id}"]`);
  await card.waitFor();
  expect(await card.innerText()).toMatch(/has a mismatch.*1 of 4 quotations verified/s);
  await page.getByRole("button", { name: /^Stale 0/ }).click();
  await page.getByText("None went stale.").waitFor();

  vault.write("Letter.md", LETTER.replace("forty crowns", "fifty crowns"));
  vault.index();
  await page.request.post(`${vault.origin}/v1/vault/reload`, {
    headers: { authorization: `Bearer ${vault.token}` },
  });
  await page.reload();
  await page.getByRole("button", { name: /^Stale 1/ }).click();
  await card.getByRole("link").click();
  await page.locator('[data-verdict="stale"]').waitFor();
  expect(await kinds()).toEqual(["stale", "elsewhere", "near", "missing"]);
  expect(await verdicts.first().innerText()).toContain("The note no longer has these words.");

  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByText(/Nothing is kept in/).waitFor();
});

test("without the token nothing is kept, and the token can be given on the spot", async () => {
  const page = await visit("/?view=citations", { origin: vault.origin, expected: /401/ });
  await page.getByLabel("Draft", { exact: true }).fill("He said “The harbour charged forty crowns”.");
  await page.getByText("Save as a recommendation").click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const token = page.getByLabel(/Saving needs the token/);
  await token.fill("nothing of the kind");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByText("There is no token in that.").waitFor();
  await token.fill(`${vault.origin}/#token=${vault.token}`);
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByRole("button", { name: "All recommendations" }).waitFor();
});

test("a recommendation cannot do more than be read", async () => {
  const harm = "<img src=x onerror='window.harm = 1'><script>window.harm = 1</script>";
  const created = await fetch(`${vault.origin}/v1/rx`, {
    method: "POST",
    headers: { authorization: `Bearer ${vault.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      title: `Aardvark ${harm}`,
      question: `\u202Ewhose question ${harm}`,
      text: `He said “${harm} and \u202Eno more”, see [${harm}](javascript:window.harm=1).`,
    }),
  });
  const { id } = (await created.json()) as { id: string };
  const page = await visit(`/?view=recommendations&rx=${id}`, { origin: vault.origin });
  await page.getByRole("heading", { name: /^Aardvark/ }).waitFor();
  expect(await page.locator(".draft").innerText()).toContain("<img src=x onerror='window.harm = 1'>");
  await page.getByRole("button", { name: "All recommendations" }).click();
  await page.locator(`[data-rx="${id}"]`).waitFor();
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.evaluate(() => document.body.innerText)).not.toMatch(/[\u202a-\u202e]/);
  expect(await page.evaluate(() => (window as unknown as { harm?: unknown }).harm)).toBeUndefined();
});
