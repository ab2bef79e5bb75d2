// The counterpart of tests/src/bench.rs: the same rows, measured in the same way.

const SIZES = [60, 200, 1000].flatMap((candidates) => [200, 2000, 20000].map((edges) => [candidates, edges]));

const PATCH = {
  extends: "vault",
  limit: 20,
  retrieve: { pool_min: 1000 },
  decay: { mode: "ranked_grouped" },
  diversity: { max_per_note: 2 },
};

function median(call) {
  call();
  const samples = [];
  const begun = performance.now();
  while (samples.length < 5 || (performance.now() - begun < 300 && samples.length < 1000)) {
    const start = performance.now();
    call();
    samples.push(performance.now() - start);
  }
  return samples.sort((a, b) => a - b)[samples.length >> 1];
}

export async function bench(concord, url) {
  const { origin, searchParams } = new URL(url);
  const rows = {};
  for (const [candidates, edges] of SIZES) {
    const response = await fetch(`${origin}/bundle/${candidates}/${edges}`);
    const bundle = new Uint8Array(await response.arrayBuffer());
    const ranker = new concord.Ranker(bundle);
    rows[`step ${candidates}/${edges}`] = median(() => ranker.rank(PATCH));
    rows[`whole ${candidates}/${edges}`] = median(() => concord.rank(bundle, PATCH));
    ranker.free();
  }
  const words = Array.from({ length: 600 }, (_, i) => `Word${(i * 7919) % 600}`);
  const quotation = { quote: words.slice(570).join("  ").toUpperCase(), chunk: words.join(" ") };
  // One check is shorter than a browser's clock ticks: count many.
  rows["verify 600 words"] = median(() => {
    for (let i = 0; i < 20; i++) concord.verify(quotation);
  }) / 20;
  await fetch(`${origin}/timings/${searchParams.get("runtime")}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(rows),
  });
}
