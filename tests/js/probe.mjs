// Bad input of any shape is an Error with a code, and the next call works.

const deep = (depth) => {
  let value = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};
const cycle = {};
cycle.self = cycle;
const throwing = { get schema() { throw new TypeError("a getter that throws"); } };
const proxy = new Proxy({}, { ownKeys() { throw new RangeError("a proxy that throws"); } });

const SHAPES = [
  undefined, null, true, false, 0, -0, NaN, Infinity, 1e308, "", "text", "\ud800", Symbol("s"), 10n, () => {},
  [], {}, [[]], [null], new Map([["schema", 1]]), new Set([1]), new Date(NaN), new Date(0), /x/, new Error("e"),
  new Uint8Array(8), new ArrayBuffer(8), new Array(1000), cycle, throwing, proxy, deep(200), deep(100_000),
  Object.create(null), Object.freeze({ schema: 1 }), { schema: 1 }, { schema: "1" }, { schema: 1.5 }, { schema: -1 },
  { schema: 2 ** 53 }, { schema: NaN }, { toJSON() { throw new Error("toJSON"); } }, { toJSON: () => undefined },
  { quote: 1, chunk: 2 }, { quote: "q" }, { extends: "nobody" }, { extends: 1 }, { limit: NaN }, { limit: Infinity },
  { fuse: { weights: { vector: -1 } } }, { fuse: null }, { unknown: 1 }, "x".repeat(1_000_000),
];

/** Throws if a shape is not refused with a code, or if the module does not work afterwards. */
export function probe(concord) {
  const good = { quote: "the quick brown fox", chunk: "see how THE  QUICK brown fox jumps" };
  const expected = JSON.stringify(concord.verify(good));
  let refused = 0;
  const attempt = (name, call) => {
    try {
      call();
    } catch (error) {
      if (!(error instanceof Error) || !/^(bad_[a-z]+)$/.test(error.code) || typeof error.key !== "string") {
        throw new Error(`${name}: not an Error with a code`, { cause: error });
      }
      refused += 1;
    }
    if (JSON.stringify(concord.verify(good)) !== expected) throw new Error(`${name}: the next call does not work`);
  };
  for (const [i, shape] of SHAPES.entries()) {
    attempt(`rank(shape ${i})`, () => concord.rank(shape, {}));
    attempt(`graph(shape ${i})`, () => concord.graph(shape, {}));
    attempt(`complete_profile(shape ${i})`, () => concord.complete_profile(shape, ""));
    attempt(`verify(shape ${i})`, () => concord.verify(shape));
    attempt(`verify_many(shape ${i})`, () => concord.verify_many(shape));
    attempt(`traverse(shape ${i})`, () => concord.traverse(shape, shape));
    attempt(`replay(shape ${i})`, () => concord.replay(shape));
    attempt(`digest(shape ${i})`, () => concord.digest(shape));
  }
  // A caller's exception must not eat the stack, however often it comes.
  for (let i = 0; i < 20_000; i++) attempt("rank(throwing)", () => concord.rank(throwing, {}));
  if (refused < 20_000 + SHAPES.length * 6) throw new Error(`only ${refused} shapes were refused`);
}
