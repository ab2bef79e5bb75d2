// Uses the page as a visitor would, and posts back how it went. Runs in a browser without a driver.
const until = async (what, look) => {
  for (const from = performance.now(); performance.now() - from < 20_000; ) {
    const found = look();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`waited for ${what}`);
};
const one = (selector) => document.querySelector(selector);
const shown = () => ({ ...one("[data-digest]")?.dataset });
const mark = () => one("[data-agreement]")?.dataset.agreement;

const report = {
  agent: navigator.userAgent,
  isolated: crossOriginIsolated,
  rows: 0,
  agreement: "",
  moved: null,
  still: "",
  note: "",
  failure: null,
};
try {
  await until("a result", () => one("[data-row]"));
  report.rows = document.querySelectorAll("[data-row]").length;
  report.agreement = await until("the mark", mark);
  const before = shown().digest;
  const slider = one('[data-number="n-fuse.weights.lexical"]');
  slider.value = "1.7";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const { digest, patch } = await until("another ranking", () => shown().digest !== before && shown());
  report.moved = { digest, patch };
  report.still = mark();
  one("[data-row] .title").click();
  await until("the note", () => one(".panel article"));
  report.note = one(".panel h2").textContent;
} catch (error) {
  report.failure = String(error);
}
await fetch("/smoke", { method: "POST", body: JSON.stringify(report) });
